/** The lines that make older runtimes read what we read, and the last entry one that the host's newest is on the path of. */
import type { CommitData } from "../../event/commit.ts";
import { isTime } from "../../event/iso-time.ts";
import { commitLine, type EncodeContext, type EncodedLine, markLine, mirrorLine, turnLine } from "../../line/encode.ts";
import type { LineNames, MirroredValues } from "../../line/format.ts";
import { escapeSeparators } from "../../line/json.ts";
import { type LastValues, type mirroredKeys, showsValue } from "../../line/legacy.ts";
import type { LogRecord, Step } from "../../stream/log.ts";
import type { WrittenLines } from "./session-reader.ts";

/** `line` is what `json` decodes to, if this process has made it. Other lines are read back as anybody's. */
export type NewLine = Pick<EncodedLine, "json"> & Partial<Pick<EncodedLine, "line">>;

export interface LineSettings {
  readonly names: LineNames;
  readonly mirrored: ReturnType<typeof mirroredKeys>;
  readonly context: () => EncodeContext;
}

/** A host that is running in this process and appends to the session itself. */
export interface LiveHost {
  /** Has the host append a commit. */
  append(data: CommitData): Promise<void>;
  /** The result is the id of the entry where the host stands. It is absent if the host does not say. */
  readonly leafId?: (() => string | null | undefined) | undefined;
  /** False: its file is not there yet, or lacks lines that the host has. Then nothing may be written to it. */
  hasWritten(): boolean;
}

/** No hash covers the turn of a record: what is damaged or forged there must not fill the disk. */
const turnsMax = 65_536;

/** The records as lines, each hung on the one before it, and the mirrors of what a commit changes. */
export function recordLines(
  { records, json, changed = {}, turn = Number.POSITIVE_INFINITY }: Extract<Step, { type: "append" }>,
  parentId: string | null,
  settings: LineSettings,
): NewLine[] {
  const lines: NewLine[] = [];
  const context = settings.context();
  let parent = parentId;
  let before = turn;
  let turnsLeft = turnsMax;
  for (const record of records) {
    const end = record.turn - before > turnsLeft ? before : record.turn;
    for (; before < end; before++, turnsLeft--) {
      const begun = turnLine(before + 1, parent, { ...context, timestamp: timeOf(record, context) });
      lines.push(begun);
      parent = begun.id;
    }
    const line = lineOf(record, parent, json, context);
    lines.push(line);
    parent = line.id;
    before += turnsBegunBy(record);
  }
  const [record] = records;
  if (record?.kind !== "commit") return lines;
  for (const [key, space] of settings.mirrored) {
    const value = changed[space];
    if (value === undefined) continue;
    const line = mirrorLine(key, value, record.data.id, parent, context);
    lines.push(line);
    parent = line.id;
  }
  return lines;
}

export function staleKeys(last: LastValues, values: MirroredValues, { mirrored }: LineSettings) {
  return mirrored.filter(([key, space]) => !showsValue(last, key, values[space]));
}

/** What to append where older runtimes would not read `values`, or the last entry is off the path. */
export function repairLines(
  stale: ReturnType<typeof staleKeys>,
  { values, commit }: Extract<Step, { type: "settle" }>,
  parentId: string | null,
  settings: LineSettings,
): NewLine[] {
  const context = settings.context();
  if (stale.length === 0) return [markLine(commit, parentId, context)];
  let parent = parentId;
  return stale.map(([key, space]) => {
    const line = mirrorLine(key, values[space], commit, parent, context);
    parent = line.id;
    return line;
  });
}

/** `json` is given where this process has made the commit: the hash of another one is checked when it is read back. */
function lineOf(
  record: LogRecord,
  parentId: string | null,
  json: string | undefined,
  context: EncodeContext,
): NewLine & { readonly id: string | null } {
  const { timestamp } = record;
  if (record.kind === "commit") {
    // The line's time stands in for one that the commit does not have.
    const at = timestamp === undefined ? context : { ...context, timestamp };
    const encoded = commitLine(record.data, parentId, at, json);
    return json === undefined ? { json: encoded.json, id: encoded.id } : encoded;
  }
  const { key, data, id } = record;
  const printed = JSON.stringify({ type: "custom", customType: context.names[key], data, id, parentId, timestamp });
  return { json: `${printed}\n`, id: id ?? parentId };
}

function timeOf(record: LogRecord, { timestamp }: EncodeContext): string {
  const at = record.timestamp ?? (record.kind === "commit" ? record.data.at : undefined);
  return isTime(at) ? new Date(at).toISOString() : timestamp;
}

function turnsBegunBy(record: LogRecord): number {
  return record.kind === "commit" ? record.data.events.filter(({ type }) => type === "turn.began").length : 0;
}

export interface PrintedLines {
  readonly bytes: Buffer;
  /** With so many bytes written, the first line is there but for its end. */
  readonly countsFrom: number;
  /** The lines are recognised by this when they are read back. It is undefined if this process has not made all of them. */
  readonly written: WrittenLines | undefined;
}

/** `start`: what ends a torn line before them. */
export function printedLines(start: string, lines: readonly NewLine[]): PrintedLines {
  const all = lines.reduce((before, { json }) => before + json, start);
  // Most texts are ASCII, in which nothing is escaped.
  const isAscii = Buffer.byteLength(all) === all.length;
  const bytes = isAscii ? Buffer.from(all, "latin1") : Buffer.from(escapeSeparators(all));
  const sizes = lines.map(({ json }) => (isAscii ? json.length : Buffer.byteLength(escapeSeparators(json))));
  const known = lines.map(({ line }) => line).filter((line) => line !== undefined);
  const written = start === "" && known.length === lines.length ? { bytes, lines: known, sizes } : undefined;
  return { bytes, countsFrom: start.length + (sizes[0] ?? 0) - 1, written };
}

export function commitsIn({ records }: Extract<Step, { type: "append" }>): CommitData[] {
  return records.flatMap((record) => (record.kind === "commit" ? record.data : []));
}
