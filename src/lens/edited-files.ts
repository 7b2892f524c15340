/** An agent edits files of plans and memory with its own tools. This follows what they held before, and what they hold since. */
import type { Fields } from "../event/fields.ts";
import { type Hunk, patched } from "./hunks.ts";
import type { Confirmed, Telling } from "./telling.ts";
import type { TrackedFiles } from "./tracked-files.ts";

/** What a call did to a file, as far as the client recorded it. */
export interface FileEdit {
  readonly path: string;
  /** This is the whole text before the edit. */
  readonly before?: string | undefined;
  /** There was no such file before. */
  readonly isNew?: boolean;
  /** This is the whole text after the edit. */
  readonly after?: string | undefined;
  /** Where the whole text since is not recorded: what was put in whose place, one after the other. */
  readonly edits?: readonly Replacement[];
  /** This diff is used if those do not fit. */
  readonly hunks?: readonly Hunk[];
}

export interface Replacement {
  /** This is empty if the edit writes the whole file. */
  readonly old: string | undefined;
  readonly put: string | undefined;
  /** With true, the edit applies everywhere, not only at the first place. */
  readonly all?: boolean;
  /** With true, an edit that deletes text deletes the end of its line with it, so that no empty line is left. */
  readonly takesLineEnd?: boolean;
}

export class EditedFiles {
  /** The session's folder, as soon as it is known. */
  cwd: string | undefined;
  readonly #telling: Telling;
  readonly #files: TrackedFiles;

  constructor(telling: Telling, files: TrackedFiles) {
    this.#telling = telling;
    this.#files = files;
  }

  has(path: string | undefined): path is string {
    return path !== undefined && this.#files.has(path);
  }

  nameOf(path: string): string {
    return this.#telling.names.of(path, this.cwd);
  }

  apply(edit: FileEdit, by: Confirmed): void {
    const name = this.nameOf(edit.path);
    if (edit.isNew === true) this.#telling.checkSection(name, undefined, by);
    else if (edit.before !== undefined) this.#telling.checkSection(name, withLineFeeds(edit.before), by);
    const after = textAfter(edit, this.#telling.sections.get(name));
    if (after === undefined) {
      this.#telling.note(by.place, `${name} was edited, but what it holds since is not in the file`);
    } else this.#telling.writeSection(name, after, by);
  }

  /** The edit stands on a branch of the conversation that was left. */
  left(edit: FileEdit): void {
    const name = this.nameOf(edit.path);
    this.#telling.leftSection(name, textAfter(edit, this.#telling.heldOnBranch(name)));
  }

  refuse({ tool, path, input, content, message }: Refused, by: Confirmed): void {
    const offer = { tool, name: this.nameOf(path), message };
    this.#telling.refuse(
      "sections.write",
      content === undefined ? { ...offer, input: input as never } : { ...offer, content },
      by,
    );
  }
}

export interface Refused {
  readonly tool: string;
  readonly path: string;
  readonly input: Fields;
  readonly content?: string | undefined;
  readonly message: string;
}

/** Clients repeat a file so, whatever its lines end with: now and then with what they end with, and now and then without. */
export function withLineFeeds(file: string): string {
  return file.replaceAll("\r\n", "\n");
}

/** `held` is what the file held, where the edit does not say it. The result is undefined if it is not known what the file holds since. */
function textAfter(edit: Omit<FileEdit, "path">, held: string | undefined): string | undefined {
  const before = edit.edits?.[0]?.old === "" ? "" : (edit.before ?? held);
  const after = edit.after ?? (before === undefined ? undefined : edited(withLineFeeds(before), edit));
  return after === undefined ? undefined : withLineFeeds(after);
}

/** The result is undefined if the edits do not fit the text, so it is not the one that was edited. */
function edited(before: string, { edits = [], hunks = [] }: Omit<FileEdit, "path">): string | undefined {
  const replaced = edits.reduce<string | undefined>(
    (text, edit) => (text === undefined ? undefined : replacedIn(text, edit)),
    edits.length === 0 ? undefined : before,
  );
  return replaced ?? (hunks.length === 0 ? undefined : patched(before, hunks.map(hunkWithLineFeeds)));
}

function hunkWithLineFeeds({ oldStart, lines }: Hunk): Hunk {
  return { oldStart, lines: lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line)) };
}

/** The result is undefined if the text does not hold what is to be replaced. */
export function replacedIn(
  text: string,
  { old, put, all = false, takesLineEnd = false }: Replacement,
): string | undefined {
  if (old === undefined || put === undefined) return undefined;
  const part = withLineFeeds(old);
  if (!text.includes(part)) return undefined;
  const isLine = takesLineEnd && put === "" && !part.endsWith("\n") && text.includes(`${part}\n`);
  const wanted = isLine ? `${part}\n` : part;
  return all && old !== "" ? text.replaceAll(wanted, () => put) : text.replace(wanted, () => put);
}
