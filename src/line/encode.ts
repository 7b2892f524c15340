/** From what was decided to bytes. A line is built as one string, so that it can be written in one piece. */
import type { CommitData, Draft, DraftEvent, FoldPolicy, Head, WrittenEvent } from "../event/commit.ts";
import { encodeEvent } from "../event/parse.ts";
import { currentSchema } from "../event/upcast.ts";
import { entryIdFor, type SealKey, sealCommit } from "./chain.ts";
import type { LineNames } from "./format.ts";
import { canonicalJson, escapeSeparators } from "./json.ts";

/** What every line that is written needs from outside. `salt`: 15 random hex digits for each line. */
export interface EncodeContext {
  readonly names: LineNames;
  /** ISO time of the write. */
  readonly timestamp: string;
  readonly salt: () => string;
}

export interface EncodedLine {
  /** Ends with a line feed. */
  readonly text: string;
  /** The entry id: the next line's parent. */
  readonly id: string;
}

export function commitDataOf(draft: Draft, head: Head, fold: FoldPolicy, seal?: SealKey): CommitData {
  const { id, at } = draft;
  return linkCommit({ v: currentSchema, id, at, events: draft.events.map(writtenEvent) }, head, fold, seal);
}

/** Gives a commit its place behind `head`. */
export function linkCommit(
  commit: Pick<CommitData, "v" | "id" | "at" | "events">,
  head: Head,
  fold: FoldPolicy,
  seal?: SealKey,
): CommitData {
  const { v, id, at, events } = commit;
  const version = head.version + events.length;
  return sealCommit({ v, id, at, version, events, ...(fold === "branch" ? { fold } : {}), prev: head.hash }, seal);
}

function writtenEvent(draft: DraftEvent): WrittenEvent {
  return {
    ...encodeEvent(draft.event),
    actor: draft.actor,
    ...(draft.command === undefined ? {} : { command: draft.command }),
  };
}

export function commitLine(data: CommitData, parentId: string | null, context: EncodeContext): EncodedLine {
  return entryLine(context.names.events, data.hash, canonicalJson(data), undefined, parentId, context);
}

/** `mirror` is the id of the commit whose value it repeats. */
export function mirrorLine(
  customType: string,
  value: string | readonly string[],
  mirror: string,
  parentId: string | null,
  context: EncodeContext,
): EncodedLine {
  return entryLine(customType, value, canonicalJson(value), mirror, parentId, context);
}

/** Carries no data: there only to be the last entry. */
export function markLine(mirror: string, parentId: string | null, context: EncodeContext): EncodedLine {
  return entryLine(context.names.mark, null, undefined, mirror, parentId, context);
}

function entryLine(
  customType: string,
  content: unknown,
  dataJson: string | undefined,
  mirror: string | undefined,
  parentId: string | null,
  context: EncodeContext,
): EncodedLine {
  const { timestamp } = context;
  const id = entryIdFor(
    { customType, parentId, timestamp, content, ...(mirror === undefined ? {} : { mirror }) },
    context.salt(),
  );
  const json =
    `{"type":"custom","customType":${JSON.stringify(customType)}` +
    (dataJson === undefined ? "" : `,"data":${dataJson}`) +
    (mirror === undefined ? "" : `,"mirror":${JSON.stringify(mirror)}`) +
    `,"id":"${id}","parentId":${JSON.stringify(parentId)},"timestamp":${JSON.stringify(timestamp)}}\n`;
  return { text: escapeSeparators(json), id };
}

/** The first line of a session file that we create: exactly what its real client expects. */
export function headerLine(session: { id: string; timestamp: string; cwd: string; parentSession?: string }): string {
  return `${JSON.stringify({
    type: "session",
    version: 3,
    id: session.id,
    timestamp: session.timestamp,
    cwd: session.cwd,
    ...(session.parentSession === undefined ? {} : { parentSession: session.parentSession }),
  })}\n`;
}
