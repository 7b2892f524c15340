import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { sessionFileStore } from "../../../src/store/session-file/session-file-store.ts";

test("a draft that can never be accepted ends in an error instead of filling the disk", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-attempts-"));
  const store = sessionFileStore(path.join(folder, "session.jsonl"), { durability: "os", lock: { mode: "off" } });
  const sink = { reset: () => undefined, event: () => undefined };
  let drafts = 0;
  const decide = () => {
    drafts += 1;
    const event = { type: "notes.appended", text: "once" } as const;
    return { id: `draft ${drafts}`, at: "2026-01-01T00:00:00.000Z", events: [{ event, actor: "w", command: "used" }] };
  };
  try {
    const end = await store.commit(undefined, sink, decide);
    await expect(store.commit(end, sink, decide)).rejects.toMatchObject({ code: "storage", fate: "not-written" });
    expect((await store.catchUp(end, sink)).version).toBe(1);
  } finally {
    await store.close();
    fs.rmSync(folder, { recursive: true });
  }
});
