/** A session file's journal without the file around it, and back into a file. */
import { FoldPolicyError, StorageError } from "../../errors.ts";
import { Ledger } from "../../line/acceptance.ts";
import type { SealKey } from "../../line/chain.ts";
import { decodeLine } from "../../line/decode.ts";
import { commitLine, type EncodedLine } from "../../line/encode.ts";
import type { LineNames } from "../../line/format.ts";
import { isMessageOfUser } from "../../line/glance.ts";
import { escapeSeparators } from "../../line/json.ts";
import { outlineOf } from "../../line/outline.ts";
import { type AcceptedRecord, recordOf, type StreamRecord } from "../../line/record.ts";
import { nobody, pagesOf } from "../records/record-stream.ts";
import type { OpenedSession } from "./session-header.ts";
import { linesOf } from "./session-lines.ts";
import type { SessionPen } from "./session-pen.ts";

/** Of every line that counts, in file order. Closes `bytes` at the end. */
export async function* recordsInSession(
  { bytes, header }: OpenedSession,
  names: LineNames,
  seal: SealKey | undefined,
): AsyncGenerator<AcceptedRecord> {
  const ledger = new Ledger(header, seal);
  try {
    for await (const line of linesOf(bytes)) {
      if (!line.ended) return;
      const { turn } = ledger;
      const content = Buffer.from(line.bytes);
      const ours = decodeLine(content, names, line.size);
      if (ours === undefined) {
        const { type, role, whole } = outlineOf(content);
        if (isMessageOfUser(content) || (type === "message" && role === "user" && whole)) ledger.beginTurn();
        continue;
      }
      const { events } = ledger.take(ours, line.offset);
      const record = recordOf(ours, turn);
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
      if (record.data.fold === undefined) return asFound(commitLine(record.data, parentId, pen.context()));
      throw new FoldPolicyError("a journal that is folded by branch stays in its file: its lines hang on the host's");
    case "value": {
      const { key, data, id, timestamp } = record;
      const customType = pen.settings.names[key];
      const json = JSON.stringify({ type: "custom", customType, data, id, parentId, timestamp });
      return { text: `${escapeSeparators(json)}\n`, id: id ?? parentId };
    }
  }
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
