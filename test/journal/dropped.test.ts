/** What a journal says whose owner has its oldest records dropped: nothing that was not so. */
import { afterEach, expect, test } from "vitest";
import type { Journal } from "../../src/journal/public.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import type { OpenOptions } from "../../src/open/open-options.ts";
import { DroppingLog } from "./dropping-log.ts";
import { typesOf } from "./streams.ts";

let log: DroppingLog;
let journals: Journal[] = [];
afterEach(async () => {
  for (const journal of journals) await journal.close();
  journals = [];
});

async function open(options: OpenOptions = {}): Promise<Journal> {
  const journal = await openJournal(log.store(), options);
  journals.push(journal);
  return journal;
}

/** Five versions, of which a snapshot knows all and the log has the last two. */
async function dropped(): Promise<Journal> {
  log = new DroppingLog();
  const journal = await open();
  await journal.apply({ action: "append_notes", content: "once" }, { command: "c1" });
  for (const ref of ["a", "b", "c", "d"]) await journal.refs.add(ref);
  await journal.snapshot();
  log.keep(2);
  return journal;
}

test.each(["the same handle", "another handle"])(
  "a command whose record was dropped is not carried out once more by %s, and says why",
  async (who) => {
    const first = await dropped();
    const journal = who === "the same handle" ? first : await open();
    const repeated = journal.apply({ action: "append_notes", content: "once" }, { command: "c1" });
    await expect(repeated).rejects.toMatchObject({
      code: "bad_point",
      message: expect.stringMatching(/^command "c1" was carried out before, and its answer is gone with the records/),
    });
    expect(await typesOf(journal)).toEqual(["ref.added", "ref.added"]);
    await journal.refs.add("e");
    const reader = await open({ readonly: true });
    expect([reader.state.notes, reader.state.refs]).toEqual(["once", ["a", "b", "c", "d", "e"]]);
    expect((await reader.verify()).ok).toBe(true);
  },
);

test("a call beside a command whose record was dropped is carried out", async () => {
  const journal = await dropped();
  const repeated = journal.apply({ action: "append_notes", content: "once" }, { command: "c1" });
  const other = journal.apply({ action: "append_notes", content: "twice" }, { command: "c2" });
  await expect(repeated).rejects.toMatchObject({ code: "bad_point" });
  expect(await other).toMatchObject({ ok: true, version: 6 });
  expect(await journal.apply({ action: "append_notes", content: "twice" }, { command: "c2" })).toMatchObject({
    ok: true,
    version: 6,
  });
});
