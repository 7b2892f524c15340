/**
 * The commands of Anthropic's memory tool (`memory_20250818`) on a journal's entries: the file `/memories/<key>` is the
 * entry of that key. Answers are worded as the tool's documentation words them.
 */
import type { Answer } from "../action/answer.ts";
import type { Journal } from "../journal/journal.ts";

/** What is used of a journal. */
export type MemoryJournal = Pick<Journal, "state" | "refresh" | "apply" | "applyAll">;

export interface MemoryHandlers {
  view(command: { readonly path: string; readonly view_range?: readonly number[] }): Promise<string>;
  create(command: { readonly path: string; readonly file_text: string }): Promise<string>;
  str_replace(command: { readonly path: string; readonly old_str: string; readonly new_str: string }): Promise<string>;
  insert(command: {
    readonly path: string;
    readonly insert_line: number;
    readonly insert_text: string;
  }): Promise<string>;
  delete(command: { readonly path: string }): Promise<string>;
  rename(command: { readonly old_path: string; readonly new_path: string }): Promise<string>;
}

const folder = "/memories";

/** For `betaMemoryTool(memoryHandlers(journal))` of `@anthropic-ai/sdk`. A refusal is thrown: the SDK tells it to the model. */
export function memoryHandlers(journal: MemoryJournal): MemoryHandlers {
  return {
    view: async ({ path, view_range }) => {
      await journal.refresh();
      return isFolder(path) ? listing(journal) : numbered(path, textAt(journal, path), view_range);
    },
    create: async ({ path, file_text }) => {
      await write(journal, path, file_text);
      return `File created successfully at: ${path}`;
    },
    str_replace: async ({ path, old_str, new_str }) => {
      await journal.refresh();
      const text = textAt(journal, path);
      const parts = old_str === "" ? [text] : text.split(old_str);
      if (parts.length === 1)
        fail(`No replacement was performed, old_str \`${old_str}\` did not appear verbatim in ${path}.`);
      if (parts.length > 2)
        fail(
          `No replacement was performed. Multiple occurrences of old_str \`${old_str}\` in ${path}. Please ensure it is unique`,
        );
      await write(journal, path, parts.join(new_str));
      return "The memory file has been edited.";
    },
    insert: async ({ path, insert_line, insert_text }) => {
      await journal.refresh();
      const lines = textAt(journal, path).split("\n");
      if (!Number.isSafeInteger(insert_line) || insert_line < 0 || insert_line > lines.length)
        fail(
          `Invalid \`insert_line\` parameter: ${insert_line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
        );
      lines.splice(insert_line, 0, insert_text.replace(/\n$/, ""));
      await write(journal, path, lines.join("\n"));
      return `The file ${path} has been edited.`;
    },
    delete: async ({ path }) => {
      if (isFolder(path)) fail(`The directory ${folder} itself cannot be deleted`);
      await journal.refresh();
      textAt(journal, path);
      mustBeDone(await journal.apply({ action: "entries.delete", key: keyOf(path) }));
      return `Successfully deleted ${path}`;
    },
    rename: async ({ old_path, new_path }) => {
      await journal.refresh();
      const content = textAt(journal, old_path);
      if (Object.hasOwn(journal.state.entries, keyOf(new_path))) fail(`The destination ${new_path} already exists`);
      const answers = await journal.applyAll([
        { action: "entries.delete", key: keyOf(old_path) },
        { action: "entries.write", key: keyOf(new_path), content },
      ]);
      for (const answer of answers) if (answer.code !== "not_applied") mustBeDone(answer);
      return `Successfully renamed ${old_path} to ${new_path}`;
    },
  };
}

function isFolder(path: string): boolean {
  return path.replace(/\/$/, "") === folder;
}

/** Keys have neither folders nor dots: what does not fit is refused when it is written, and not found when it is read. */
function keyOf(path: string): string {
  if (!path.startsWith(`${folder}/`)) fail(`The path ${path} is not in ${folder}`);
  return path.slice(folder.length + 1);
}

function textAt({ state: { entries } }: MemoryJournal, path: string): string {
  const key = keyOf(path);
  const text = Object.hasOwn(entries, key) ? entries[key] : undefined;
  return text ?? fail(`The path ${path} does not exist. Please provide a valid path.`);
}

async function write(journal: MemoryJournal, path: string, content: string): Promise<void> {
  mustBeDone(await journal.apply({ action: "entries.write", key: keyOf(path), content }));
}

function mustBeDone({ ok, message }: Answer): void {
  if (!ok) fail(message);
}

function listing({ state: { entries } }: MemoryJournal): string {
  const rows = Object.keys(entries)
    .sort()
    .map((key) => `${Buffer.byteLength(entries[key] ?? "")}\t${folder}/${key}`);
  return [`Here're the files in ${folder}, with their sizes in bytes:`, ...rows].join("\n");
}

function numbered(path: string, text: string, [from = 1, to = -1]: readonly number[] = []): string {
  const lines = text.split("\n").map((line, index) => `${String(index + 1).padStart(6)}\t${line}`);
  const shown = lines.slice(Math.max(0, from - 1), to === -1 ? undefined : to);
  return [`Here's the content of ${path} with line numbers:`, ...shown].join("\n");
}

function fail(message: string): never {
  throw new Error(message);
}
