import { expect, test } from "vitest";
import { Notices } from "../../../src/store/postgres/notices.ts";
import type { Connections, Query } from "../../../src/store/postgres/pool.ts";

test("what grows right behind a notification is told with the next one, and nothing is left out", async () => {
  const told: unknown[] = [];
  const query: Query = async (_, values) => {
    told.push(values?.[1]);
    return [];
  };
  const server = { schema: "journals", connected: (work: (query: Query) => unknown) => work(query) };
  const notices = new Notices(server as unknown as Connections);
  notices.announce("one");
  await Promise.resolve();
  expect(told).toEqual([["one"]]);
  for (const session of ["two", "one", "two"]) {
    notices.announce(session);
    await Promise.resolve();
  }
  await notices.close();
  expect(told).toEqual([["one"], ["two", "one"]]);
});
