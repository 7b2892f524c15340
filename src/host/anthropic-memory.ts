/**
 * The commands of Anthropic's memory tool (`memory_20250818`) on a journal's entries: each file under `/memories` is an
 * entry. Answers are worded as the tool's documentation and its SDK word them.
 */
import type { Action } from "../action/actions.ts";
import { isJournalError } from "../errors.ts";
import type { Journal } from "../journal/public.ts";
import { Queue } from "../stream/queue.ts";
import { keyOfPath, memoryFolder, relativePath } from "../tool/memory-paths.ts";
import { lineRange, requireTexts } from "./memory-command.ts";
import { filesIn, listing, type MemoryFiles, numbered, snippet } from "./memory-files.ts";

/** This is what is used of a journal. */
export type MemoryJournal = Pick<Journal, "state" | "version" | "refresh" | "applyAll">;

/** These are the commands of Anthropic's memory tool. */
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

/**
 * Makes the handlers for `betaMemoryTool(memoryHandlers(journal))` of `@anthropic-ai/sdk`. A refusal is thrown: the SDK tells
 * it to the model, with `Error: ` before it. Each command is one commit or none, decided on the newest state.
 *
 * @param journal The journal whose entries are the files.
 * @throws TypeError for a value that is not a journal. A handler throws an error with the message for the model if a command is
 *   refused.
 * @example
 * import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
 *
 * const tool = betaMemoryTool(memoryHandlers(journal));
 */
export function memoryHandlers(journal: MemoryJournal): MemoryHandlers {
  if (typeof (journal as Partial<MemoryJournal> | undefined)?.applyAll !== "function")
    throw new TypeError("the memory tool takes a journal: await openJournal(path) gives one");
  const changes = new Queue();
  // A model asks for many at once, and none of them is to find that the others were faster.
  const change = async <Command extends object>(
    name: keyof MemoryHandlers,
    command: Command,
    texts: readonly (keyof Command & string)[],
    decide: (files: MemoryFiles, command: Command) => Decision,
  ) => {
    requireTexts(name, command, ...texts);
    return changes.run(() => changed(journal, (files) => decide(files, command)));
  };
  return {
    view: async (command) => {
      requireTexts("view", command, "path");
      const { path, view_range } = command;
      const lines = lineRange(view_range);
      await journal.refresh();
      const files = filesIn(journal.state);
      const relative = within(path);
      const text = files.get(relative)?.text;
      if (text !== undefined) return numbered(path, text, lines);
      if (relative !== "" && !isFolder(files, relative)) fail(notThere(path, " Please provide a valid path."));
      return listing(path, files, relative);
    },
    create: (command) =>
      change("create", command, ["path", "file_text"], (files, { path, file_text }) => {
        const relative = within(path);
        if (relative === "" || exists(files, relative)) fail(`File ${path} already exists`);
        return { actions: [write(files, path, relative, file_text)], answer: `File created successfully at: ${path}` };
      }),
    str_replace: (command) =>
      change("str_replace", command, ["path", "old_str", "new_str"], (files, { path, old_str, new_str }) => {
        const { key, text } = fileAt(files, path, " Please provide a valid path.");
        const at = onlyPlaceOf(old_str, text, path);
        const content = text.slice(0, at) + new_str + text.slice(at + old_str.length);
        const answer = `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippet(content, at, new_str)}`;
        return { actions: [{ action: "entries.write", key, content }], answer };
      }),
    insert: (command) =>
      change("insert", command, ["path", "insert_text"], (files, { path, insert_line, insert_text }) => {
        const { key, text } = fileAt(files, path);
        const lines = text.split("\n");
        if (!Number.isSafeInteger(insert_line) || insert_line < 0 || insert_line > lines.length)
          fail(
            `Invalid \`insert_line\` parameter: ${insert_line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
          );
        lines.splice(insert_line, 0, insert_text.replace(/\n$/, ""));
        const actions = [{ action: "entries.write", key, content: lines.join("\n") } as const];
        return { actions, answer: `The file ${path} has been edited.` };
      }),
    delete: (command) =>
      change("delete", command, ["path"], (files, { path }) => {
        const relative = within(path);
        if (relative === "") fail(`Cannot delete the ${memoryFolder} directory itself`);
        const actions = [...mustBeThere(files, relative, path).values()].map(
          ({ key }) => ({ action: "entries.delete", key }) as const,
        );
        return { actions, answer: `Successfully deleted ${path}` };
      }),
    rename: (command) =>
      change("rename", command, ["old_path", "new_path"], (files, { old_path, new_path }) => {
        const [from, to] = [within(old_path), within(new_path)];
        if (from === "") fail(`Cannot rename the ${memoryFolder} directory itself`);
        const moved = mustBeThere(files, from, old_path);
        if (to === "" || exists(files, to)) fail(`The destination ${new_path} already exists`);
        if (to.startsWith(`${from}/`)) fail(`Cannot move ${old_path} into itself`);
        const actions: Action[] = [...moved.values()].map(({ key }) => ({ action: "entries.delete", key }));
        const others = new Map([...files].filter(([name]) => !moved.has(name)));
        for (const [name, { text }] of moved) actions.push(write(others, new_path, to + name.slice(from.length), text));
        return { actions, answer: `Successfully renamed ${old_path} to ${new_path}` };
      }),
  };
}

interface Decision {
  readonly actions: readonly Action[];
  readonly answer: string;
}

/** Decides again where somebody else wrote in between, so that nothing of theirs is overwritten unseen. */
async function changed(
  journal: MemoryJournal,
  decide: (files: MemoryFiles) => Decision,
  attempts = 10,
): Promise<string> {
  await journal.refresh();
  const { actions, answer } = decide(filesIn(journal.state));
  try {
    const answers = await journal.applyAll(actions, { expectedVersion: journal.version });
    for (const { ok, code, message } of answers) if (!ok && code !== "not_applied") fail(message);
    return answer;
  } catch (error) {
    if (attempts <= 1 || !isJournalError(error, "version_conflict")) throw error;
    return changed(journal, decide, attempts - 1);
  }
}

function within(path: string): string {
  return relativePath(path) ?? fail(`Path must start with ${memoryFolder} and stay in it, got: ${path}`);
}

function isFolder(files: MemoryFiles, relative: string): boolean {
  for (const name of files.keys()) if (name.startsWith(`${relative}/`)) return true;
  return false;
}

function exists(files: MemoryFiles, relative: string): boolean {
  return files.has(relative) || isFolder(files, relative);
}

/** The file of that name, or all that lie in the folder of that name. */
function mustBeThere(files: MemoryFiles, relative: string, path: string): MemoryFiles {
  const file = files.get(relative);
  const found =
    file === undefined ? [...files].filter(([name]) => name.startsWith(`${relative}/`)) : [[relative, file] as const];
  if (found.length === 0) fail(notThere(path));
  return new Map(found);
}

function fileAt(files: MemoryFiles, path: string, advice = ""): { readonly key: string; readonly text: string } {
  return files.get(within(path)) ?? fail(notThere(path, advice));
}

function notThere(path: string, advice = ""): string {
  return `The path ${path} does not exist${advice === "" ? "" : `.${advice}`}`;
}

function write(files: MemoryFiles, path: string, relative: string, content: string): Action {
  const names = relative.split("/");
  for (let depth = 1; depth < names.length; depth += 1) {
    const folder = names.slice(0, depth).join("/");
    if (files.has(folder)) fail(`Cannot put ${path} into ${memoryFolder}/${folder}: that is a file`);
  }
  const key = keyOfPath(relative) ?? fail(`The path ${path} is too long: use shorter names`);
  return { action: "entries.write", key, content };
}

function onlyPlaceOf(part: string, text: string, path: string): number {
  const places: number[] = [];
  for (let at = text.indexOf(part); part !== "" && at !== -1; at = text.indexOf(part, at + part.length))
    places.push(at);
  const [first, second] = places;
  if (first === undefined)
    return fail(`No replacement was performed, old_str \`${part}\` did not appear verbatim in ${path}.`);
  if (second === undefined) return first;
  const lines = new Set(places.map((at) => text.slice(0, at).split("\n").length));
  return fail(
    `No replacement was performed. Multiple occurrences of old_str \`${part}\` in lines: ${[...lines].join(", ")}. Please ensure it is unique`,
  );
}

function fail(message: string): never {
  throw new Error(message);
}
