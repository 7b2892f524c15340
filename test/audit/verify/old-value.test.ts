/** A mirror of a newer commit that repeats an older value: older runtimes would read what was overwritten. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openJournal } from "../../../src/index.ts";
import { entryIdFor } from "../../../src/line/chain.ts";

let folder = "";
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-old-value-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

test("a mirror that repeats a value from before its commit is damage, even if its entry id fits", async () => {
  const file = path.join(folder, "session.jsonl");
  const journal = await openJournal(file, { durability: "os" });
  await journal.notes.set("Approved: 10 seats");
  await journal.notes.set("Approved: none");
  await journal.close();
  const lines = fs.readFileSync(file, "utf8").trimEnd().split("\n");
  const { customType, parentId, timestamp, mirror } = JSON.parse(lines.at(-1) ?? "");
  const content = "Approved: 10 seats";
  const id = entryIdFor({ customType, parentId, timestamp, content, mirror }, "000abc");
  lines[lines.length - 1] = JSON.stringify({
    type: "custom",
    customType,
    data: content,
    mirror,
    id,
    parentId,
    timestamp,
  });
  fs.writeFileSync(file, `${lines.join("\n")}\n`);
  const reader = await openJournal(file, { readonly: true });
  const { ok, findings } = await reader.verify();
  await reader.close();
  expect([ok, findings.map(({ kind, line }) => [kind, line])]).toEqual([false, [["mirror", 5]]]);
});
