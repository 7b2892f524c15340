import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import type { RecordedEvent } from "../../src/event/event.ts";
import type { TurnPrompt } from "../../src/event/foreign.ts";
import type { HostMarker } from "../../src/event/marker.ts";
import type { Journal } from "../../src/journal/public.ts";
import { allOf } from "../../src/journal/readings.ts";
import { openJournal, openToVerify } from "../../src/open/open-journal.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-verify-first-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
let files = 0;

function message(id: string, parentId: string | null): string {
  const said = { role: "user", content: [{ type: "text", text: `asked in ${id}` }] };
  return `${JSON.stringify({ type: "message", id, parentId, timestamp: "2026-11-21T20:00:00.000Z", message: said })}\n`;
}

/** The host goes back to its first message after the second, and changes its model at the end. */
async function session(options: { readonly fold?: "branch"; readonly isSaved?: boolean }): Promise<string> {
  files += 1;
  const file = path.join(folder, `${files}.jsonl`);
  const { isSaved, ...fold } = options;
  const journal = await openJournal(file, { durability: "os", ...fold });
  for (const [id, parentId] of [["a", null] as const, ["b", "a"] as const, ["c", "a"] as const]) {
    fs.appendFileSync(file, message(id, parentId));
    await journal.notes.append(`noted under ${id}`);
  }
  if (isSaved === true) await journal.snapshot();
  await journal.close();
  const model = { type: "model_change", id: "d", parentId: "c", timestamp: "2026", provider: "p", modelId: "m" };
  fs.appendFileSync(file, `${JSON.stringify(model)}\n`);
  return file;
}

async function readingOf(journal: Journal) {
  let [events, markers, prompts]: [RecordedEvent[], HostMarker[], TurnPrompt[]] = [[], [], []];
  const verification = await journal.verify({
    history: async (all) => {
      events = await allOf(all);
    },
    markers: async (all) => {
      markers = await allOf(all);
    },
    prompts: async (all) => {
      prompts = await allOf(all);
    },
  });
  const { version, turn, head, state, isDamaged } = journal;
  await journal.close();
  return { events, markers, prompts, verification, version, turn, head, state, isDamaged };
}

test.each([
  ["a session", {}],
  ["one that is folded by branch, which only its commits say", { fold: "branch" } as const],
  ["one with a snapshot", { isSaved: true }],
])("%s is shown as it is when it is opened first", async (_, options) => {
  const file = await session(options);
  const expected = await readingOf(await openJournal(file, { readonly: true }));
  expect(expected.prompts).not.toEqual([]);
  expect(expected.markers.map(({ marker }) => marker)).toContain("model");
  expect(await readingOf(await openToVerify(file, { readonly: true }))).toEqual(expected);
});

test("a session with a damaged line is known to be damaged afterwards", async () => {
  const file = await session({});
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace("noted under b", "noted under x"));
  const found = await readingOf(await openToVerify(file, { readonly: true }));
  expect([found.isDamaged, found.verification.ok]).toEqual([true, false]);
  expect(found).toEqual(await readingOf(await openJournal(file, { readonly: true })));
});

test("a session of nothing but its header, and one that goes on afterwards", async () => {
  const file = path.join(folder, "header.jsonl");
  await (await openJournal(file)).close();
  const journal = await openToVerify(file, { readonly: true });
  const reader = await openToVerify(file, { readonly: true });
  expect(await readingOf(reader)).toMatchObject({ version: 0, events: [], verification: { ok: true, findings: [] } });
  expect((await journal.verify({ history: async () => undefined })).ok).toBe(true);
  const writer = await openJournal(file);
  await writer.notes.set("later");
  await writer.close();
  await journal.refresh();
  expect([journal.version, journal.state.notes]).toEqual([1, "later"]);
  await journal.close();
});

test("what the user asked is told right, however far behind it the event stands, and of values between two messages", async () => {
  const file = path.join(folder, "far.jsonl");
  await (await openJournal(file, { durability: "os" })).close();
  const place = { id: "v", parentId: "a", timestamp: "2026-11-21T20:00:00.000Z" };
  const value = { type: "custom", customType: "openclaw:scratchpad:notes", data: "by an older runtime", ...place };
  const answers = Array.from({ length: 300 }, (_, index) => {
    const said = { role: "assistant", content: [{ type: "text", text: "x".repeat(4096) }] };
    return `${JSON.stringify({ type: "message", id: `x${index}`, parentId: "b", timestamp: "2026", message: said })}\n`;
  });
  const asked = [message("a", null), `${JSON.stringify(value)}\n`, message("b", "v")];
  fs.appendFileSync(file, [...asked, ...answers].join(""));
  const journal = await openJournal(file, { durability: "os" });
  await journal.notes.append("a megabyte later");
  await journal.close();
  const found = await readingOf(await openToVerify(file, { readonly: true }));
  expect(found.prompts).toEqual([
    { turn: 1, text: "asked in a" },
    { turn: 2, text: "asked in b" },
  ]);
  expect(found).toEqual(await readingOf(await openJournal(file, { readonly: true })));
});

test("what is no session is refused before anything is checked", async () => {
  const file = path.join(folder, "none.jsonl");
  await expect(openToVerify(file, { readonly: true })).rejects.toThrow("does not exist");
  fs.writeFileSync(file, "no session\n");
  await expect(openToVerify(file, { readonly: true })).rejects.toMatchObject({ code: "not_a_session" });
});
