/** Files that ask for more than there is: of the stack, of descriptors, of what a database takes. Reading them ends. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { Output } from "../../src/cli/output.ts";
import { genesisHash, sealCommit } from "../../src/line/chain.ts";
import { lineNames } from "../../src/line/format.ts";
import { isTornLine } from "../../src/line/torn.ts";
import { copyJournal } from "../../src/open/copy-journal.ts";
import { openJournals } from "../../src/open/open-journals.ts";
import { isFull } from "../reliability/results.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-endless-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const time = "2026-11-21T20:00:00.000Z";
const header = `${JSON.stringify({ type: "session", version: 3, id: "s", timestamp: time, cwd: "/" })}\n`;

/** A commit that counts, with whatever its event holds. */
function commitLine(event: Readonly<Record<string, unknown>>): string {
  const first = { v: 1, id: "c1", at: time, version: 1, events: [event], prev: genesisHash("s") };
  const { data } = sealCommit(first as unknown as Parameters<typeof sealCommit>[0]);
  const customType = "openclaw:scratchpad:events";
  return `${JSON.stringify({ type: "custom", customType, data, id: "e1", parentId: null, timestamp: time })}\n`;
}

function written(name: string, text: string): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, text);
  return file;
}

test("a table of more rows than arguments fit on the stack is printed", async () => {
  let sent = 0;
  const stream = { write: (_: unknown, done: () => void) => ++sent && done(), on: () => undefined };
  const output = new Output(stream, {});
  output.table(Array.from({ length: 130_000 }, () => ["row", "text"]));
  await output.flush();
  expect(sent).toBeGreaterThan(0);
});

test.each([
  ["four million escapes", String.raw`\"`.repeat(4_000_000)],
  ["an escape that is cut in two behind four million", String.raw`\u00e9`.repeat(1_300_000) + String.raw`\u00`],
])("a torn line with %s is torn", (_, text) => {
  const names = lineNames("openclaw:scratchpad");
  const line = `{"type":"custom","customType":"openclaw:scratchpad:events","data":{"x":"${text}`;
  expect(isTornLine(new TextEncoder().encode(line), names)).toBe(true);
  expect(isTornLine(new TextEncoder().encode(`${line}"}}`), names)).toBe(false);
});

test.each([
  ["true", true],
  ["a number", 5],
  ["an object", {}],
])(
  "a commit whose actor is %s is copied into a database, which takes no such thing, as the agent's",
  async (_, actor) => {
    const file = written("actor.jsonl", header + commitLine({ type: "notes.set", text: "n", actor }));
    const database = path.join(fs.mkdtempSync(path.join(folder, "actor-")), "journals.db");
    expect(await copyJournal(file, `sqlite:${database}`)).toMatchObject({ version: 1, events: 1 });
    const shelf = await openJournals(`sqlite:${database}`, { readonly: true });
    for await (const summary of shelf.list()) expect(summary).toMatchObject({ version: 1, actor: "agent" });
    await shelf.close();
  },
);

const descriptors = "/dev/fd";

test.skipIf(!fs.existsSync(descriptors))("copies leave no descriptor open, whether they end well or not", async () => {
  const [file, other] = ["one", "other"].map((text) =>
    written(`${text}.jsonl`, header + commitLine({ type: "notes.set", text, actor: "agent" })),
  ) as [string, string];
  const copies = isFull ? 1000 : 50;
  const before = fs.readdirSync(descriptors).length;
  for (let index = 0; index < copies; index++) {
    await copyJournal(file, path.join(folder, "copy.jsonl"), { durability: "os" });
    const copying = copyJournal(other, path.join(folder, "copy.jsonl"), { durability: "os" });
    await expect(copying).rejects.toMatchObject({ code: "version_conflict" });
  }
  expect(fs.readdirSync(descriptors).length).toBeLessThan(before + 25);
});
