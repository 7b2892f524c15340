/** A session file's journal without the file around it, and back into a file. */
import { FoldPolicyError, StorageError } from "../../errors.ts";
import { Ledger } from "../../line/acceptance.ts";
import type { SealKey } from "../../line/chain.ts";
import { commitLine, type EncodeContext, type EncodedLine } from "../../line/encode.ts";
import type { LineNames } from "../../line/format.ts";
import { escapeSeparators } from "../../line/json.ts";
import { Places } from "../../line/places.ts";
import { type AcceptedRecord, recordOf, type StreamRecord } from "../../line/record.ts";
import { nobody, pagesOf } from "../records/record-stream.ts";
import { classifyBetween, mayMatterBetween } from "./line-between.ts";
import type { OpenedSession } from "./session-header.ts";
import { spansIn } from "./session-lines.ts";
import type { SessionPen } from "./session-pen.ts";

/** Of every line that counts, in file order. Closes `bytes` at the end. */
export async function* recordsInSession(
  { bytes, header }: OpenedSession,
  names: LineNames,
  seal: SealKey | undefined,
): AsyncGenerator<AcceptedRecord> {
  const ledger = new Ledger(header, seal);
  const places = new Places(names.namespace);
  try {
    for (const { start, end, ended } of spansIn(bytes)) {
      if (!ended) return;
      if (!mayMatterBetween(bytes, start, end, places)) continue;
      const line = classifyBetween(bytes, start, end, names);
      const { turn } = ledger;
      const { events } = ledger.take(line, start);
      const record = recordOf(line, turn);
      if (record !== undefined && events.length > 0) yield { record: timed(record, events), events };
    }
  } finally {
    bytes.close();
  }
}

/** Elsewhere the line before it says nothing of its time. */
function timed(record: StreamRecord, [first]: AcceptedRecord["events"]): StreamRecord {
  return record.kind === "value" && first !== undefined ? { ...record, timestamp: first.at } : record;
}

const pageRecords = 256;

/** Appends the records as lines, each behind the one before it. `start`: what ends a torn line. */
export async function appendRecords(
  pen: SessionPen,
  start: string,
  records: AsyncIterable<StreamRecord>,
): Promise<void> {
  let heal = start;
  for await (const page of pagesOf(records, pageRecords)) {
    pen.requireSession(true);
    let { parentId } = pen.parent();
    let { version } = pen.reader().ledger;
    const lines = page.map((record) => {
      const line = lineOf(record, parentId, pen);
      parentId = line.id;
      version = record.kind === "commit" ? record.data.version : version + 1;
      return line;
    });
    pen.append(heal, lines);
    heal = "";
    await pen.sync();
    await pen.readBack(nobody);
    requireVersion(pen, version);
  }
}

function lineOf(
  record: StreamRecord,
  parentId: string | null,
  pen: SessionPen,
): { readonly text: string; readonly id: string | null } {
  switch (record.kind) {
    case "commit":
      if (record.data.fold === undefined) return asFound(commitLine(record.data, parentId, contextOf(record, pen)));
      throw new FoldPolicyError("a journal that is folded by branch stays in its file: its lines hang on the host's");
    case "value": {
      const { key, data, id, timestamp } = record;
      const customType = pen.settings.names[key];
      const json = JSON.stringify({ type: "custom", customType, data, id, parentId, timestamp });
      return { text: `${escapeSeparators(json)}\n`, id: id ?? parentId };
    }
  }
}

/** The line's time stands in for one that the commit does not have. */
function contextOf({ timestamp }: Extract<StreamRecord, { kind: "commit" }>, pen: SessionPen): EncodeContext {
  return timestamp === undefined ? pen.context() : { ...pen.context(), timestamp };
}

/** Another writer has made the commit: its hash is checked when it is read back. */
function asFound({ text, id }: EncodedLine): { readonly text: string; readonly id: string } {
  return { text, id };
}

function requireVersion(pen: SessionPen, expected: number): void {
  const { version } = pen.reader().ledger;
  if (version === expected) return;
  const { file } = pen.settings;
  throw new StorageError(
    `${file} came to version ${version} instead of ${expected}: somebody else wrote to it; look at it with verify, then go on`,
    "unknown",
    { file },
  );
}
