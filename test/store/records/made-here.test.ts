/** A commit that this process made is handed to the stream without being parsed: it must be what everybody else reads. */
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { sealDraft } from "../../../src/line/encode.ts";
import { AppendCall } from "../../../src/store/records/append-call.ts";
import { type Appending, entryMadeHere, placed } from "../../../src/store/records/backend.ts";
import type { KeptRecord } from "../../../src/store/records/record-cursor.ts";
import { RecordCursor } from "../../../src/store/records/record-cursor.ts";
import type { LogEntry } from "../../../src/stream/log.ts";
import { Reading } from "../../../src/stream/reading.ts";
import { arbitraryEvent } from "../../../src/testing/arbitraries.ts";

const head = { version: 0, hash: new Reading({ id: "s" }, "file", { where: "s", strict: true }).ledger.hash };

test("a commit that was made here is the one that others read", () => {
  fc.assert(
    fc.property(fc.array(arbitraryEvent(), { minLength: 1, maxLength: 3 }), fc.nat(9), (events, turn) => {
      const draft = { id: "c", at: "2026-11-23T12:00:00.000Z", events: events.map((event) => ({ event })) };
      const step = appending(draft, turn);
      const onBroker = { place: 1, json: JSON.stringify(step.records[0]), entry: entryMadeHere(step, 1) };
      for (const made of [...placed(step, 0), onBroker]) {
        const { place, json, entry } = made;
        expect(entry).toBeDefined();
        expect(taken(entriesOf([made]))).toEqual(taken(entriesOf([{ place, json }])));
      }
    }),
  );
});

test("a commit that was made here is neither parsed nor hashed again", () => {
  const draft = {
    id: "c",
    at: "2026-11-23T12:00:00.000Z",
    events: [{ event: { type: "notes.set", text: "n" } as const }],
  };
  const kept = placed(appending(draft, 0), 0);
  const parse = vi.spyOn(JSON, "parse");
  const [event] = taken(entriesOf(kept));
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
  expect(event).toMatchObject({ version: 1, commit: "c" });
});

test("what another handed over to be appended is checked all the same", () => {
  const { records } = appending(
    { id: "c", at: "2026-11-23T12:00:00.000Z", events: [{ event: { type: "plan.set", text: "p" } }] },
    0,
  );
  const forged = records.map((record) =>
    record.kind === "commit" ? { ...record, data: { ...record.data, id: "d" } } : record,
  );
  expect(() => taken(entriesOf(placed({ type: "append", records: forged }, 0)))).toThrow("its hash does not match");
});

function appending(draft: Parameters<typeof sealDraft>[0], turn: number): Appending {
  const { data, json } = sealDraft(draft, head, "file");
  return { type: "append", records: [{ kind: "commit", turn, data, version: data.version }], json };
}

function entriesOf(kept: readonly KeptRecord[]): readonly LogEntry[] {
  let entries: readonly LogEntry[] = [];
  const call = new AppendCall({ id: "s" }, new RecordCursor(0), (page) => {
    entries = page.entries;
    return { type: "leave" };
  });
  call.next(kept);
  return entries;
}

function taken(entries: readonly LogEntry[]) {
  const reading = new Reading({ id: "s" }, "file", { where: "s", strict: true });
  const deliveries: Parameters<Reading["take"]>[1] = [];
  reading.take(entries, deliveries);
  return deliveries.map((delivery) =>
    "recorded" in delivery ? { ...delivery.recorded, state: delivery.state } : delivery,
  );
}
