import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { hostMarkers } from "../../src/audit/host-markers.ts";
import type { VerifiedLine } from "../../src/audit/verify/finding.ts";
import type { HostMarker } from "../../src/event/marker.ts";
import { lineNames } from "../../src/line/format.ts";

const { namespace } = lineNames();
const sessions = resolve(import.meta.dirname, "../../fixtures/sessions");

function* linesOf(file: string): Generator<readonly VerifiedLine[]> {
  let offset = 0;
  for (const [index, text] of file.split("\n").slice(0, -1).entries()) {
    const bytes = Buffer.from(text);
    yield [{ offset, number: index + 1, bytes, size: bytes.length, ended: true }];
    offset += bytes.length + 1;
  }
}

async function markersOf(file: string): Promise<HostMarker[]> {
  const markers: HostMarker[] = [];
  for await (const marker of hostMarkers(linesOf(file), namespace)) markers.push(marker);
  return markers;
}

function session(...entries: readonly object[]): string {
  const header = { type: "session", version: 3, id: "s", timestamp: "2026-03-09T13:00:00Z", cwd: "/" };
  return [header, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

const message = (id: string, parentId: string | null) => ({ type: "message", id, parentId, message: { role: "user" } });
const ours = (id: string, parentId: string | null) => ({
  ...{ type: "custom", customType: `${namespace}:notes`, data: "n", mirror: "m" },
  ...{ id, parentId },
});

test("a real session: its models, its compaction, and the branch that was left", async () => {
  const markers = await markersOf(readFileSync(join(sessions, "pi-0.87.1.jsonl"), "utf8"));
  expect(markers.map(({ marker, line, detail }) => [marker, line, detail])).toEqual([
    ["model", 3, "anthropic/claude-sonnet-4-5"],
    ["compaction", 54, "61340 tokens before, kept from entry eef79e5e"],
    ["branch", 65, "goes on from entry 396f7636"],
    ["model", 67, "openai/gpt-5.1-codex"],
  ]);
  expect(markers[1]).toMatchObject({ at: "2026-03-09T13:10:16.417Z", entryId: "396f7636" });
});

test("a host that does not know of our lines has not rewound its conversation", async () => {
  const behindItsOwn = session(message("a", null), ours("b", "a"), ours("c", "b"), message("d", "a"));
  const betweenOurs = session(message("a", null), ours("b", "a"), ours("c", "b"), message("d", "b"));
  const behindOurs = session(message("a", null), ours("b", "a"), message("d", "b"), message("e", "d"));
  for (const file of [behindItsOwn, betweenOurs, behindOurs]) expect(await markersOf(file)).toEqual([]);
});

test("a line of ours from before the host's newest entry is a place to rewind to", async () => {
  const file = session(message("a", null), ours("b", "a"), message("c", "b"), message("d", "b"));
  expect(await markersOf(file)).toMatchObject([{ marker: "branch", line: 5, detail: "goes on from entry b" }]);
});

test("what cannot be read is passed over", async () => {
  const broken = '{"type":"compaction","id":\n[]\n\n';
  const file = `${session(message("a", null))}${broken}${JSON.stringify({ ...message("b", "a"), type: "model_change" })}\n`;
  expect(await markersOf(file)).toMatchObject([{ marker: "model", detail: "" }]);
});

test("a rewind says where it goes back to, once there is a compaction that it may leave behind", async () => {
  const compaction = (id: string, parentId: string) => ({ type: "compaction", id, parentId });
  const file = session(
    ...[message("a", null), message("b", "a"), message("c", "a"), compaction("d", "c"), ours("e", "d")],
    ...[message("f", "e"), message("g", "e"), message("h", "b")],
  );
  const lines = file.split("\n");
  const place = (line: number) => lines.slice(0, line - 1).join("\n").length + 1;
  expect((await markersOf(file)).map(({ marker, line, back }) => [marker, line, back])).toEqual([
    ["branch", 4, undefined],
    ["compaction", 5, undefined],
    ["branch", 8, place(6)],
    ["branch", 9, 0],
  ]);
});
