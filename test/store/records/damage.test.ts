import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { copyRecords } from "../../../src/journal/copy.ts";
import { sealCommit } from "../../../src/line/chain.ts";
import { parseRecord } from "../../../src/line/record.ts";
import { storeAt } from "../../../src/open/addresses.ts";
import { copyJournal } from "../../../src/open/copy-journal.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { type Backend, ChangedStreams, type Edit, replaced, without } from "./streams.ts";

let streams: ChangedStreams;
beforeAll(async () => {
  streams = await ChangedStreams.start();
});
afterEach(() => streams.closeAll());
afterAll(() => streams?.stop());

const backends: readonly Backend[] = ["sqlite", "nats"];
const three = ["one", "two", "three"];

/** With a hash that fits what was changed. */
const hashedAnew: Edit = (records) => changedAnew(records, { ref: "TWO" });

/** With a hash that fits `null`, which is printed for what `JSON.parse` makes of it. */
const beyondNumbers: Edit = (records) =>
  changedAnew(records, { n: null }).map((json) => json.replace('"n":null', '"n":1e400'));

const changedAnew = (records: readonly string[], change: object): string[] =>
  records.map((json, index) => {
    const record = parseRecord(json);
    if (index !== 1 || record?.kind !== "commit") return json;
    const { hash: _, ...data } = record.data;
    const events = data.events.map((event) => ({ ...event, ...change }));
    return JSON.stringify({ ...record, ...sealCommit({ ...data, events }), json: undefined });
  });

const changes: readonly [string, Edit, readonly string[], readonly string[]][] = [
  ["a removed record", without(1), ["one", "three"], ["gap"]],
  ["a removed beginning", without(0), ["two", "three"], ["gap"]],
  ["a changed text", replaced(1, "two", "TWO"), ["one", "three"], ["hash", "gap"]],
  ["a changed text with a hash that fits", hashedAnew, ["one", "TWO", "three"], ["gap"]],
  ["a number beyond all numbers", beyondNumbers, ["one", "three"], ["corrupt", "gap"]],
  ["a record that is not JSON", replaced(1, "{", ""), ["one", "three"], ["corrupt", "gap"]],
];
const cases = backends.flatMap((backend) => changes.map((change) => [backend, ...change] as const));

test.each(cases)(
  "in %s, %s is found, strict refuses it, and reading goes on",
  async (backend, _, edit, refs, kinds) => {
    const where = await streams.edited(await streams.written(backend, three), edit);
    const journal = await streams.open(where);
    expect([journal.version, journal.state.refs]).toEqual([3, refs]);
    const { ok, findings } = await journal.verify();
    expect([ok, findings.map(({ kind, severity }) => `${kind} ${severity}`)]).toEqual([
      false,
      kinds.map((kind) => `${kind} damage`),
    ]);
    await expect(streams.open(where, { strict: true })).rejects.toMatchObject({ code: "corrupt_entry" });
    expect((await journal.refs.add("four")).version).toBe(4);
    const next = await streams.open(where);
    expect([next.version, next.state.refs]).toEqual([4, [...refs, "four"]]);
  },
);

test.each(cases)("in %s, %s does not pass for what a kept head stands for", async (backend, _, edit) => {
  const written = await streams.written(backend, three);
  const { head } = await streams.open(written);
  expect((await (await streams.open(written)).verify({ head })).ok).toBe(true);
  const journal = await streams.open(await streams.edited(written, edit));
  expect((await journal.verify({ head })).ok).toBe(false);
});

test.each(cases)("in %s, %s does not keep the rest from being copied, and shows in the copy", async (...given) => {
  const [backend, name, edit, refs] = given;
  const where = await streams.edited(await streams.written(backend, three), edit);
  const file = path.join(streams.folder, `${backend} ${name}.jsonl`);
  expect((await copyJournal(where, file)).version).toBe(3);
  const copy = await streams.open(file);
  expect(copy.state.refs).toEqual(refs);
  expect((await copy.verify()).findings.map(({ kind }) => kind)).toContain("gap");
  const back = streams.fresh(backend);
  expect((await copyJournal(where, back)).events).toBe(refs.length);
  expect((await streams.open(back)).state.refs).toEqual(refs);
});

test.each(backends)(
  "in %s, a damaged newest record stays where it is, and what is written next counts",
  async (backend) => {
    const where = await streams.edited(await streams.written(backend, three), replaced(2, "three", "THREE"));
    const before = await streams.kept(where);
    const journal = await streams.open(where);
    expect(journal.version).toBe(2);
    for (const version of [3, 4]) expect((await journal.refs.add(`new ${version}`)).version).toBe(version);
    const after = await streams.kept(where);
    expect([after.slice(0, 3), after.length]).toEqual([before, 5]);
    const next = await streams.open(where);
    expect([next.version, next.state.refs]).toEqual([4, ["one", "two", "new 3", "new 4"]]);
    expect((await next.refs.add("more")).version).toBe(5);
    expect((await next.verify()).findings.map(({ kind }) => kind)).toEqual(["hash"]);
  },
);

test("a tail that was cut off shows to the journal that has read it", async () => {
  const where = await streams.written("sqlite", three);
  const journal = await streams.open(where);
  await streams.edited(where, without(2));
  const { ok, findings } = await journal.verify();
  expect([ok, findings.map(({ kind }) => kind)]).toEqual([false, ["head"]]);
});

test.each(backends)("in %s, a snapshot does not hide damage from strict", async (backend) => {
  const where = await streams.edited(await streams.written(backend, three), without(1));
  await (await streams.open(where)).snapshot();
  await expect(streams.open(where, { strict: true })).rejects.toMatchObject({ code: "corrupt_entry" });
  const whole = await streams.written(backend, three);
  await (await streams.open(whole)).snapshot();
  expect((await streams.open(whole, { strict: true })).version).toBe(3);
});

test("a handle that goes on meets damage as one that reads from the start", async () => {
  const where = await streams.written("sqlite", ["one"]);
  const open = await streams.open(where);
  const strict = await streams.open(where, { strict: true });
  const writer = await streams.open(where);
  for (const text of ["two", "three"]) await writer.refs.add(text);
  await streams.edited(where, replaced(1, "two", "TWO"));
  await open.refresh();
  expect([open.version, open.state.refs]).toEqual([3, ["one", "three"]]);
  for (let round = 0; round < 2; round++)
    await expect(strict.refresh()).rejects.toMatchObject({ code: "corrupt_entry" });
  expect(strict.state.refs).toEqual(["one"]);
});

const seals: readonly [string, { seal?: string }, { seal?: string }, "hash" | "sealed"][] = [
  ["without the key", { seal: "key" }, {}, "sealed"],
  ["with another key", { seal: "key" }, { seal: "other" }, "hash"],
  ["with a key where there is none", {}, { seal: "key" }, "hash"],
];
const sealCases = backends.flatMap((backend) => seals.map((seal) => [backend, ...seal] as const));

test.each(sealCases)(
  "in %s, %s reading, verifying and writing do as in a file",
  async (backend, _, own, given, kind) => {
    const file = path.join(streams.folder, `${backend} ${crypto.randomUUID()}.jsonl`);
    const first = await streams.open(file, own);
    for (const text of three) await first.refs.add(text);
    const where = await streams.written(backend, three, own);
    const found: unknown[] = [];
    for (const place of [file, where]) {
      const journal = await streams.open(place, given);
      const { ok, findings } = await journal.verify();
      const kinds = findings.map((finding) => `${finding.kind} ${finding.severity}`);
      const failure = await journal.plan.set("p").catch((error: Error) => error.message.replace(place, "").trim());
      await journal.snapshot();
      const again = await streams.open(place, given);
      await expect(again.plan.set("p")).rejects.toMatchObject({ code: "readonly" });
      found.push([journal.version, journal.state.refs, ok, kinds, failure]);
    }
    expect(found[1]).toEqual(found[0]);
    expect(JSON.stringify(found[1])).toContain(`"${kind} ${kind === "sealed" ? "note" : "damage"}"`);
    expect((await (await streams.open(where, own)).plan.set("p")).version).toBe(4);
  },
);

test.each(backends)("in %s, records of another key are refused before anything of them is kept", async (backend) => {
  const from = await streams.written("sqlite", three, { seal: "key" });
  const to = streams.fresh(backend);
  const [source, target] = [await storeAt(from, { seal: "key" }), await storeAt(to, { seal: "other" })];
  await expect(copyRecords(source, target)).rejects.toMatchObject({ code: "corrupt_entry" });
  expect(await streams.kept(to)).toEqual([]);
  await source.close();
  await target.close();
});

test("a live journal whose newest records were replaced starts over: what it knew is not mixed with what is there", async () => {
  const where = await streams.written("sqlite", ["old 1", "old 2", "old 3", "old 4", "old 5"]);
  const live = await streams.open(where);
  const resets: string[] = [];
  const stop = live.onChange((change) => change.type === "reset" && resets.push(change.reason));
  const database = await openDatabase({ database: where.slice("sqlite:".length, -"#s".length) });
  database.handle.exec("DELETE FROM records WHERE version > 3; DELETE FROM snapshots");
  database.close();
  const other = await streams.open(where);
  for (const text of ["new 4", "new 5", "new 6"]) await other.refs.add(text);
  await live.refresh();
  const refs = ["old 1", "old 2", "old 3", "new 4", "new 5", "new 6"];
  expect([live.state.refs, resets]).toEqual([refs, ["rewritten"]]);
  await live.snapshot();
  expect((await streams.open(where)).state.refs).toEqual(refs);
  stop();
});
