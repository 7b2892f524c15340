import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { genesisHash } from "../../../src/line/chain.ts";
import { commitDataOf, commitLine } from "../../../src/line/encode.ts";
import { lineNames } from "../../../src/line/format.ts";
import { openJournal } from "../../../src/open/open-journal.ts";

const at = "2026-01-01T00:00:00.000Z";

test("under policy branch, a line whose parent cannot be read hangs on the root where only the header is before it", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-branch-"));
  const file = path.join(folder, "session.jsonl");
  const head = { version: 0, hash: genesisHash("s") };
  const events = [{ event: { type: "notes.set", text: "kept" } as const, actor: "agent" }];
  const data = commitDataOf({ id: "c", at, events }, head, "branch");
  const context = { names: lineNames(), timestamp: at, salt: () => "0123456789abcde" };
  const message = { type: "message", id: "aaaaaaaa", parentId: null, timestamp: at, message: { role: "user" } };
  fs.writeFileSync(
    file,
    `${JSON.stringify({ type: "session", version: 3, id: "s", timestamp: at, cwd: "/" })}\n` +
      commitLine(data, "gone", context).text +
      `${JSON.stringify(message)}\n`,
  );
  const journal = await openJournal(file, { fold: "branch", readonly: true });
  expect(journal.state.notes).toBe("kept");
  await journal.close();
  fs.rmSync(folder, { recursive: true });
});
