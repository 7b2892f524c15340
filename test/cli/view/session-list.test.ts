/** What a list shows while readers come and go. */
import { expect, test } from "vitest";
import type { Opening } from "../../../src/cli/view/listed-session.ts";
import { SessionList, type SessionSource } from "../../../src/cli/view/session-list.ts";

type Put = Parameters<SessionSource["follow"]>[0];

function openingOf(key: string): Opening {
  const listed = { key, client: "session-journal", title: "session-journal", session: key, where: key } as const;
  return { listed, open: () => Promise.reject(new Error("nobody opens it")) };
}

test("what a look finds that nobody waits for any more takes no place of what the next one has found", async () => {
  const puts: Put[] = [];
  const list = new SessionList([{ follow: async (put) => void puts.push(put) }]);
  const told = async (): Promise<void> => {
    const leaving = new AbortController();
    const telling = list.tell(async () => leaving.abort(), leaving.signal);
    puts.at(-1)?.([openingOf(`look ${puts.length}`)]);
    await telling;
  };
  await told();
  await told();
  expect(list.find("look 2")).toBeDefined();
  puts[0]?.([]);
  expect(list.find("look 2")).toBeDefined();
});
