/**
 * Some lines of Codex's are long, and little of them matters: a compaction repeats the whole conversation, and the client says of a patch what
 * it changed. They are read as JSON without anything being made of them, so that a broken one is noticed as before.
 */
import type { CodexSettled } from "./codex-lines.ts";
import { time } from "./fields.ts";
import type { LineHeads, MemoryPlace } from "./line-heads.ts";
import { noMember, type ToldObject } from "./told-object.ts";
import type { TrackedFiles } from "./tracked-files.ts";

/** This is the object of a line whose payload is an object, too, and whose time is one. It is undefined if the line is to be parsed. */
function longLine(program: LineHeads, line: MemoryPlace): ToldObject | undefined {
  const object = program.objectAt(line);
  if (object === undefined || time(object.plain(object.member(object.root, "timestamp"))) === undefined)
    return undefined;
  return object.isObject(object.member(object.root, "payload")) ? object : undefined;
}

/** The result is undefined if the line is to be parsed. */
export function compactionIn(program: LineHeads, line: MemoryPlace): CodexSettled | undefined {
  return longLine(program, line) && { what: "compaction" };
}

/** The result is undefined if the line is to be parsed: a file is followed that the patch changed, or may be. */
export function otherPatchIn(program: LineHeads, line: MemoryPlace, files: TrackedFiles): CodexSettled | undefined {
  const object = longLine(program, line);
  if (object === undefined) return undefined;
  const payload = object.member(object.root, "payload");
  const call = object.plain(object.member(payload, "call_id"));
  const changes = object.member(payload, "changes");
  if (call === undefined || !object.isObject(changes)) return undefined;
  for (let change = object.first(changes); change !== noMember; change = object.next(change)) {
    const movedTo = object.member(change, "move_path");
    const isMoved = movedTo !== noMember && object.printed(movedTo) !== "null";
    const target = isMoved ? object.plain(movedTo) : "";
    const isOther =
      object.isObject(change) && target !== undefined && !files.has(target) && !files.has(object.name(change));
    if (!isOther) return undefined;
  }
  return { what: "patch", call };
}
