/**
 * Little matters of some lines of Codex's: of the beginning of a turn its id, of its context the model, and nothing of a compaction, which repeats
 * the whole conversation. They are read as JSON without anything being made of them, so that a broken one is noticed as before.
 */
import type { CodexKind, CodexSettled } from "./codex-lines.ts";
import type { LineHeads, MemoryPlace } from "./line-heads.ts";
import { type Member, noMember, type ToldObject } from "./told-object.ts";
import type { TrackedFiles } from "./tracked-files.ts";

type ToldKind = CodexSettled["what"];

const toldKinds: ReadonlySet<CodexKind> = new Set<CodexKind>(["turn", "context", "said", "compaction", "patch"]);

/** The result says whether lines of this kind are read so. */
export function isTold(kind: CodexKind): kind is ToldKind {
  return toldKinds.has(kind);
}

/** The result is undefined if the line is to be parsed. */
export function toldIn(
  program: LineHeads,
  line: MemoryPlace,
  what: ToldKind,
  files: TrackedFiles,
): CodexSettled | undefined {
  const object = program.objectAt(line);
  const payload = object?.member(object.root, "payload") ?? noMember;
  if (object?.isObject(payload) !== true) return undefined;
  const textOf = (name: string) => object.text(object.member(payload, name));
  switch (what) {
    case "turn":
      return { what, turn: textOf("turn_id") };
    case "context":
      return { what, cwd: textOf("cwd"), model: textOf("model") };
    case "said":
      return { what, message: textOf("message") };
    case "compaction":
      return { what };
    case "patch": {
      const call = object.plain(object.member(payload, "call_id"));
      return call !== undefined && isOther(object, payload, files) ? { what, call } : undefined;
    }
  }
}

/** The client says which files the patch changed, and none of them is followed. */
function isOther(object: ToldObject, patch: Member, files: TrackedFiles): boolean {
  const changes = object.member(patch, "changes");
  if (!object.isObject(changes)) return false;
  for (let change = object.first(changes); change !== noMember; change = object.next(change)) {
    const movedTo = object.member(change, "move_path");
    const isMoved = movedTo !== noMember && object.printed(movedTo) !== "null";
    const target = isMoved ? object.plain(movedTo) : "";
    if (!object.isObject(change) || target === undefined || files.has(target) || files.has(object.name(change)))
      return false;
  }
  return true;
}

const closing = 0x22;
const backslash = 0x5c;
const lineEnds: ReadonlySet<number | undefined> = new Set([0x6e, 0x72]);
/** No file has a longer name. */
const nameBytesMax = 4096;

/** The patch that a call asks for stands from `from` on, in the string of a line, and the result says that none of its files is followed. */
export function asksForOthers(program: LineHeads, from: number, files: TrackedFiles): boolean {
  const { memory } = program;
  for (let at = program.fileIn(from); at !== 0; at = program.fileIn(at)) {
    if (at === -1) return false;
    let end = at;
    while (memory[end] !== closing && memory[end] !== backslash) if (++end - at > nameBytesMax) return false;
    // What stands behind the name ends the line of the patch, or the string.
    const isEnded = memory[end] === closing || lineEnds.has(memory[end + 1]);
    if (!isEnded || files.has(memory.toString("utf8", at, end).trimEnd())) return false;
  }
  return true;
}
