import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { copyJournal } from "../../../src/open/copy-journal.ts";
import { type Backend, ChangedStreams } from "./streams.ts";

let streams: ChangedStreams;
beforeAll(async () => {
  streams = await ChangedStreams.start();
});
afterEach(() => streams.closeAll());
afterAll(() => streams?.stop());

const backends: readonly Backend[] = ["sqlite", "nats"];

test.each(backends)("in %s, a misspelt session is neither read nor made by who may not make it", async (backend) => {
  const where = await streams.written(backend, ["one"]);
  await streams.closeAll();
  for (const options of [{ create: false }, { readonly: true, create: false }]) {
    await expect(streams.open(`${where}x`, options)).rejects.toMatchObject({
      code: "not_a_session",
      message: `${where}x does not exist: check the name; the newest ones there are "s"`,
    });
    const journal = await streams.open(where, options);
    expect(journal.state.refs).toEqual(["one"]);
  }
  await expect(copyJournal(`${where}x`, streams.fresh(backend))).rejects.toMatchObject({ code: "not_a_session" });
  const fresh = await streams.open(`${where}x`);
  expect(fresh.version).toBe(0);
  expect((await fresh.refs.add("new")).version).toBe(1);
  expect((await streams.open(`${where}x`, { readonly: true })).version).toBe(1);
});

test.each(backends)("in %s, a reader may come before the first event of a session", async (backend) => {
  const where = streams.fresh(backend);
  const writer = await streams.open(where);
  const reader = await streams.open(where, { readonly: true, follow: true });
  const changed = reader.changes();
  const first = changed.next();
  await writer.refs.add("first");
  expect((await first).value).toMatchObject({ version: 1, state: { refs: ["first"] } });
  await changed.return?.();
});

test.each(backends)("in %s, a place without sessions says that there is none", async (backend) => {
  const where = streams.fresh(backend);
  await streams.open(where);
  await expect(streams.open(where, { create: false })).rejects.toMatchObject({
    code: "not_a_session",
    message: expect.stringMatching(/there are no sessions there/),
  });
});

test.each(backends)("in %s, three sessions are named at most, the newest first", async (backend) => {
  const where = await streams.written(backend, ["one"]);
  for (const name of ["a", "b b", "c"]) await (await streams.open(where.replace(/s$/, name))).refs.add("x");
  await expect(streams.open(`${where}x`, { create: false })).rejects.toMatchObject({
    code: "not_a_session",
    message: expect.stringMatching(/are "c", "b b", "a"$/),
  });
});
