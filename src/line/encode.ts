/** This file turns what was decided into bytes. A line is built as one string, so that it can be written in one piece. */

import type { CommitData, Draft, DraftEvent, FoldPolicy, Head, WrittenEvent } from "../event/commit.ts";
import { encodeEvent } from "../event/parse.ts";
import { currentSchema } from "../event/upcast.ts";
import { given } from "../options.ts";
import { entryIdFor, entryIdOf, type SealedCommit, type SealKey, sealCommit } from "./chain.ts";
import type { Entry, JournalLine, LineNames, ValueKey } from "./format.ts";
import { canonicalJson, escapeSeparators, sorted, textJson } from "./json.ts";

/** The context has what every written line needs from outside. `salt` gives 15 random hex digits for each line. */
export interface EncodeContext {
  readonly names: LineNames;
  /** This is the ISO time of the write. */
  readonly timestamp: string;
  readonly salt: () => string;
}

export class EncodedLine {
  /** This is the text as it is before it is escaped: lines that stand together are escaped together. */
  readonly json: string;
  /** This is the id of the entry, which is the next line's parent. */
  readonly id: string;
  /** The text decodes to this. */
  readonly line: JournalLine;

  constructor(json: string, id: string, line: JournalLine) {
    this.json = json;
    this.id = id;
    this.line = line;
  }

  /** Ends with a line feed. */
  get text(): string {
    return escapeSeparators(this.json);
  }
}

export function commitDataOf(draft: Draft, head: Head, fold: FoldPolicy, seal?: SealKey): CommitData {
  return sealDraft(draft, head, fold, seal).data;
}

export function sealDraft(draft: Draft, head: Head, fold: FoldPolicy, seal?: SealKey): SealedCommit {
  const events = draft.events.map(writtenEvent);
  return sealBehind({ v: currentSchema, id: draft.id, at: draft.at, events }, head, fold, seal);
}

/** A commit before it has its place. */
export type UnlinkedCommit = Pick<CommitData, "v" | "id" | "at" | "events">;

export function linkCommit(commit: UnlinkedCommit, head: Head, fold: FoldPolicy, seal?: SealKey): CommitData {
  return sealBehind(commit, head, fold, seal).data;
}

/** Gives a commit its place behind `head`. */
export function sealBehind(commit: UnlinkedCommit, head: Head, fold: FoldPolicy, seal?: SealKey): SealedCommit {
  const { v, id, at, events } = commit;
  const version = head.version + events.length;
  const placed = { v, id, at, version, events, prev: head.hash };
  return sealCommit(fold === "branch" ? { ...placed, fold } : placed, seal);
}

/** What an event holds stands in the order in which it is printed, so that it makes the same state read back or not. */
function writtenEvent({ event, actor, command, source, limits, markers }: DraftEvent): WrittenEvent {
  return sorted({ ...encodeEvent(event), actor, command, source, limits, markers }) as unknown as WrittenEvent;
}

/** `json`: the data's canonical JSON, where it is at hand. */
export function commitLine(
  data: CommitData,
  parentId: string | null,
  context: EncodeContext,
  json: string = canonicalJson(data),
): EncodedLine {
  const ofType = textJson(context.names.events);
  const line = printed(textJson(data.hash), ofType, `${ofType},"data":${json}`, parentId, context);
  return new EncodedLine(line.json, line.entry.id, { kind: "commit", entry: line.entry, data });
}

/** `mirror` is the id of the commit whose value it repeats. */
export function mirrorLine(
  key: ValueKey,
  value: string | readonly string[],
  mirror: string,
  parentId: string | null,
  context: EncodeContext,
): EncodedLine {
  const content = JSON.stringify(value);
  const ofType = textJson(context.names[key]);
  const ofMirror = `,"mirror":${textJson(mirror)}`;
  const carried = `${ofType},"data":${content}${ofMirror}`;
  const { json, entry } = printed(content, ofType + ofMirror, carried, parentId, context);
  return new EncodedLine(json, entry.id, { kind: "value", entry, key, data: value, mirror });
}

/** Carries no data: there only to be the last entry. */
export function markLine(mirror: string, parentId: string | null, context: EncodeContext): EncodedLine {
  const shown = `${textJson(context.names.mark)},"mirror":${textJson(mirror)}`;
  const { json, entry } = printed("null", shown, shown, parentId, context);
  return new EncodedLine(json, entry.id, { kind: "mark", entry, mirror });
}

/**
 * A message of the user's, which begins a turn, for a copy of a journal whose host's own lines are elsewhere. The field
 * `copied` tells it from what a host writes.
 */
export function turnLine(
  turn: number,
  parentId: string | null,
  { timestamp, salt }: EncodeContext,
): { readonly json: string; readonly id: string } {
  const text = `Turn ${turn}. What was said in it is not in this copy.`;
  const id = entryIdFor({ customType: "message", parentId, timestamp, content: text }, salt());
  const message = { role: "user", content: [{ type: "text", text }], timestamp: Date.parse(timestamp) };
  return { json: `${JSON.stringify({ type: "message", id, parentId, timestamp, message, copied: true })}\n`, id };
}

/** All are JSON: what the id is a digest of, with the custom type, and what the line has from the custom type up to the id. */
function printed(
  content: string,
  ofType: string,
  carried: string,
  parentId: string | null,
  { timestamp, salt }: EncodeContext,
): { readonly json: string; readonly entry: Entry & { readonly id: string } } {
  const [parent, time] = [parentId === null ? "null" : textJson(parentId), textJson(timestamp)];
  const id = entryIdOf(content, ofType, parent, time, salt());
  const json = `{"type":"custom","customType":${carried},"id":"${id}","parentId":${parent},"timestamp":${time}}\n`;
  return { json, entry: { id, parentId, timestamp } };
}

/** The header of a session that we create has these. */
export type NewSession = { id: string; timestamp: string; cwd: string; parentSession?: string };

/** The first line of a session file that we create: exactly what its real client expects. */
export function headerLine(session: NewSession): string {
  return `${JSON.stringify({
    type: "session",
    version: 3,
    id: session.id,
    timestamp: session.timestamp,
    cwd: session.cwd,
    ...given({ parentSession: session.parentSession }),
  })}\n`;
}
