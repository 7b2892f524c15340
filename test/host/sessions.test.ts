import { expect, test } from "vitest";
import { Sessions } from "../../src/host/sessions.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { parseConfig } from "../../src/prompt/config.ts";
import { memoryStore } from "../../src/store/memory.ts";

test("an opening that fails after its session was closed does not forget the one that was opened since", async () => {
  const sessions = new Sessions(parseConfig({}));
  let fail = (_: Error): void => undefined;
  const first = sessions.of("s", () => new Promise<never>((_, reject) => (fail = reject)));
  const closed = sessions.close("s");
  const open = async () => ({ journal: await openJournal(memoryStore()) });
  const second = await sessions.of("s", open);
  fail(new Error("no disk"));
  await expect(first).rejects.toThrow("no disk");
  await closed;
  expect(await sessions.of("s", open)).toBe(second);
  await sessions.close();
});
