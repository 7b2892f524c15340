/** What a file has at once may be more than a call may have arguments. */
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { diagnoseForeign } from "../../src/audit/foreign-doctor.ts";
import { type MergedLine, mergeLines } from "../../src/audit/merge-lines.ts";
import { Matcher } from "../../src/audit/redact/matcher.ts";
import { planRedaction } from "../../src/audit/redact/plan.ts";
import { TurnPrompts } from "../../src/audit/turn-prompts.ts";
import type { RecordedEvent } from "../../src/event/event.ts";
import type { ForeignSession } from "../../src/event/foreign.ts";
import type { HostMarker } from "../../src/event/marker.ts";
import { HostBetween } from "../../src/journal/with-host.ts";
import { classify } from "../../src/line/classify.ts";
import { lineNames, type SessionLine } from "../../src/line/format.ts";
import type { AcceptedRecord } from "../../src/line/record.ts";
import { isFull } from "../reliability/results.ts";
import { historyOf } from "./histories.ts";

/** A call takes some 120,000. */
const many = Array.from({ length: 130_000 }, (_, index) => `line ${index}`);
/** In the full run so many that they cannot be moved for each of them. */
const more = Array.from({ length: isFull ? 800_000 : 140_000 }, (_, index) => index);

function expectMany(lines: readonly MergedLine[]): void {
  expect(lines.length).toBe(many.length);
  expect(lines.every(({ text }, index) => text === many[index])).toBe(true);
}

test.each(["ours", "theirs", "both"] as const)("many lines are merged with those of %s", (side) => {
  expectMany(mergeLines([], many, [], side).lines);
  expectMany(mergeLines(["a"], many, ["b"], "ours").lines);
});

test("many texts are redacted in one that was redacted before", () => {
  const text = `${"a ".repeat(200_000)}[redacted 7 characters]`;
  const redacted = `${"[redacted 1 characters] ".repeat(200_000)}[redacted 7 characters]`;
  expect(new Matcher({ texts: ["a"] }).replace(text)).toBe(redacted);
});

test("a redaction is planned where many refs were set at once", async () => {
  const events = historyOf([{ type: "refs.set", refs: many }]);
  const data = { v: 1, id: "c1", hash: "h1", events: events.map(({ event }) => event) };
  const accepted = [{ record: { kind: "commit", data }, events }] as unknown as readonly AcceptedRecord[];
  async function* history(): AsyncGenerator<AcceptedRecord> {
    yield* accepted;
  }
  const plan = await planRedaction(history, { patterns: [/line 77$/g] }, "key");
  expect([plan.version, plan.matcher.found("line 77")]).toEqual([1, ["line 77"]]);
});

test("many markers and prompts stand before one event, which carries many more", () => {
  const markers = more.map((index): HostMarker => ({ marker: "model", detail: "", offset: index, line: index + 1 }));
  const prompts = more.map((index) => ({ text: "", turn: index + 1 }));
  const [event] = historyOf([
    { event: { type: "plan.set", text: "" }, turn: more.length - 1, offset: more.length - 1 },
  ]);
  const recorded = { ...(event as RecordedEvent), markers: markers.slice(0, 130_000) };
  const carried = recorded.markers.map((marker) => ({ ...marker, after: 1 }));
  const between = new HostBetween({ markers, prompts } as unknown as ConstructorParameters<typeof HostBetween>[0]);
  const items = between.put(recorded);
  const expected = [...markers.slice(0, -1), ...prompts.slice(0, -1), recorded, ...carried];
  expect(items.length).toBe(expected.length);
  expect(items.every((item, index) => item === expected[index] || index > 2 * more.length - 2)).toBe(true);
  const last = items.slice(-carried.length);
  expect(last.every((item, index) => isDeepStrictEqual(item, carried[index]))).toBe(true);
  expect(between.rest()).toEqual([prompts.at(-1), markers.at(-1)]);
});

test("of many prompts before one event, the last one counts", () => {
  const said = (content: string): SessionLine =>
    classify(
      Buffer.from(JSON.stringify({ type: "message", id: "a", message: { role: "user", content } })),
      lineNames(),
    );
  const [first, last] = [said("go"), said("on")];
  const prompts = new TurnPrompts();
  for (const index of more) {
    prompts.line(index === more.length - 1 ? last : first, index);
    prompts.line({ kind: "value" } as SessionLine, index);
  }
  expect(prompts.event({ turn: 1, offset: more.length })).toEqual({ turn: 1, text: "on" });
});

test("who wrote many changes of another client's session is told without moving them for each", () => {
  const events = historyOf(more.map((index) => ({ event: { type: "turn.began" }, actor: index === 7 ? "b" : "a" })));
  const foreign = { title: "Codex", calls: [], markers: [], unanswered: [], unknownTypes: {}, checkedAgainst: [] };
  const verified = { ok: true, findings: [], head: { version: 0, hash: "" } };
  expect(diagnoseForeign(events, verified, foreign as unknown as ForeignSession).writers).toEqual([
    { runtime: "Codex", events: more.length - 1, first: 1, last: more.length, actors: ["a"] },
    { runtime: "Codex", events: 1, first: 8, last: 8, actors: ["b"] },
  ]);
});
