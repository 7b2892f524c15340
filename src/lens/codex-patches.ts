/** The changes to files that Codex records: patches of its own form, and what its client says that they changed. */
import { type Fields, fields, isFields } from "../event/fields.ts";
import { endOfFile, patchedAsAsked } from "./asked-hunks.ts";
import { text } from "./fields.ts";
import { hunksOf, patched } from "./hunks.ts";
import type { Confirmed, Telling } from "./telling.ts";
import type { TrackedFiles } from "./tracked-files.ts";

/** This is the change of one file. */
export type FileChange =
  | { readonly type: "add"; readonly path: string; readonly content: string }
  | { readonly type: "delete"; readonly path: string }
  | {
      readonly type: "update";
      readonly path: string;
      /** The result is undefined if the text is not the one that was changed. */
      readonly after: (before: string) => string | undefined;
      readonly movedTo?: string | undefined;
    };

/** The changes are those that the client says, by path. */
function changesIn(value: unknown, isWanted: (paths: readonly string[]) => boolean): FileChange[] {
  return Object.entries(fields(value)).flatMap(([path, change]) =>
    isFields(change) && isWanted([path, text(change["move_path"]) ?? ""]) ? [changeOf(path, change)] : [],
  );
}

function changeOf(path: string, change: Fields): FileChange {
  if (change["type"] === "delete") return { type: "delete", path };
  if (change["type"] === "add") return { type: "add", path, content: text(change["content"]) ?? "" };
  const hunks = hunksOf(text(change["unified_diff"]) ?? "");
  return { type: "update", path, after: (before) => patched(before, hunks), movedTo: text(change["move_path"]) };
}

/** The result is undefined if there is no such file any more, or if its text is not known. */
function textAfter(change: FileChange, before: string | undefined): string | undefined {
  switch (change.type) {
    case "add":
      return change.content;
    case "delete":
      return undefined;
    case "update":
      return before === undefined ? undefined : change.after(before);
  }
}

const fileLine = /^\*\*\* (Add|Update|Delete) File: (.{1,4096})$/;
/**
 * It finds at least the files of those lines, without cutting the patch into lines. A line begins only behind a line feed: behind each carriage
 * return of many, the search would run through all the others again.
 */
const anyFileLine = /(?<![^\n])[^\S\n]*\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.{1,4096})$/gm;
const moveLine = /^\*\*\* Move to: (.{1,4096})$/;
const endLine = "*** End Patch";

/**
 * The changes are those that a patch asks for: hunks say no line numbers there. This passes over white space around a line that names a file,
 * as its client does. Within an update, a line that begins with a space is one of the file.
 */
function changesAsked(patch: string): FileChange[] {
  const changes: { kind: string; path: string; lines: string[]; movedTo: string | undefined }[] = [];
  for (const line of linesOf(patch)) {
    const last = changes.at(-1);
    const head = last?.kind === "Update" ? line.trimEnd() : line.trim();
    const [, kind, path] = fileLine.exec(head) ?? [];
    if (kind !== undefined && path !== undefined) changes.push({ kind, path, lines: [], movedTo: undefined });
    else if (last !== undefined && moveLine.test(head)) last.movedTo = moveLine.exec(head)?.[1];
    else if (line === endOfFile || !line.startsWith("*** ")) last?.lines.push(line);
  }
  return changes.map(({ kind, path, lines, movedTo }): FileChange => {
    if (kind === "Delete") return { type: "delete", path };
    if (kind === "Add")
      return {
        type: "add",
        path,
        content: lines
          .filter((line) => line.startsWith("+"))
          .map((line) => `${line.slice(1)}\n`)
          .join(""),
      };
    return { type: "update", path, after: (before) => patchedAsAsked(before, lines), movedTo };
  });
}

/** The result has the lines of the patch before the one that ends it. */
function linesOf(patch: string): string[] {
  const lines = patch.trimEnd().split(/\r?\n/);
  if (lines.at(-1)?.trim() === endLine) lines.pop();
  const end = lines.indexOf(endLine);
  return end === -1 ? lines : lines.slice(0, end);
}

export class CodexFiles {
  readonly #telling: Telling;
  readonly #files: TrackedFiles;
  readonly #cwd: () => string | undefined;

  constructor(telling: Telling, files: TrackedFiles, cwd: () => string | undefined) {
    this.#telling = telling;
    this.#files = files;
    this.#cwd = cwd;
  }

  /** The changes of followed files that a patch asks for. */
  asked(patch: string): FileChange[] {
    if (!this.#hasAny(Array.from(patch.matchAll(anyFileLine), ([, path = ""]) => path.trimEnd()))) return [];
    return changesAsked(patch).filter((change) =>
      this.#hasAny([change.path, ("movedTo" in change ? change.movedTo : undefined) ?? ""]),
    );
  }

  /** The changes of followed files that the client says, by path. */
  said(value: unknown): FileChange[] {
    return changesIn(value, (paths) => this.#hasAny(paths));
  }

  apply(changes: readonly FileChange[], by: Confirmed): void {
    for (const change of changes) this.#applyOne(change, by);
  }

  /** The changes were made in a turn that was rolled back. The client leaves the files as they are. */
  left(changes: readonly FileChange[]): void {
    for (const change of changes) {
      const name = this.#nameOf(change.path);
      const movedTo = change.type === "update" ? change.movedTo : undefined;
      const after = textAfter(change, this.#telling.heldOnBranch(name));
      this.#telling.leftSection(name, movedTo === undefined ? after : undefined);
      if (movedTo !== undefined) this.#telling.leftSection(this.#nameOf(movedTo), after);
    }
  }

  refuse(patch: string, message: string, by: Confirmed): void {
    for (const { path } of this.asked(patch)) {
      this.#telling.refuse(
        "sections.write",
        { tool: "apply_patch", name: this.#nameOf(path), content: patch, message },
        by,
      );
    }
  }

  #applyOne(change: FileChange, by: Confirmed): void {
    const name = this.#nameOf(change.path);
    switch (change.type) {
      case "add":
        this.#telling.writeSection(name, change.content, by);
        return;
      case "delete":
        this.#telling.clearSection(name, by);
        return;
      case "update":
        this.#update(name, change, by);
        return;
    }
  }

  /** Only what changed is recorded: a text is known from the moment that its file was added. */
  #update(name: string, { after: change, movedTo }: Extract<FileChange, { type: "update" }>, by: Confirmed): void {
    const known = [this.#telling.heldOnBranch(name), this.#telling.sections.get(name)];
    const texts = new Set(known.filter((text) => text !== undefined));
    const after = Array.from(texts, change).find((text) => text !== undefined);
    if (after === undefined) {
      const why = texts.size === 0 ? "what it held before is not in the file" : "it was changed from outside before";
      this.#telling.note(by.place, `${name} was changed, but ${why}: its text is not known`);
      return;
    }
    if (movedTo === undefined) {
      this.#telling.writeSection(name, after, by);
      return;
    }
    this.#telling.clearSection(name, by);
    if (this.#files.has(movedTo)) this.#telling.writeSection(this.#nameOf(movedTo), after, by);
  }

  #hasAny(paths: readonly string[]): boolean {
    return paths.some((path) => this.#files.has(path));
  }

  #nameOf(path: string): string {
    return this.#telling.names.of(path, this.#cwd());
  }
}
