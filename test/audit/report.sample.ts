import type { RecordedEvent, ScratchpadEvent } from "../../src/event/event.ts";
import type { ForeignSession } from "../../src/event/foreign.ts";
import { allOf } from "../../src/journal/readings.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { fold } from "../../src/state/fold.ts";
import { historyOf, type Told } from "./histories.ts";

/** A session of Claude Code whose fifth task stays in progress for ever, across a compaction. */
export const foreignFile = "fixtures/sessions/claude-code/2.1.39-tasks-compaction.jsonl";

export async function foreignSample(): Promise<{ events: RecordedEvent[]; foreign: ForeignSession }> {
  const journal = await openJournal(foreignFile, { readonly: true });
  const events = await allOf(journal.history());
  const foreign = await journal.foreign({ whole: true });
  await journal.close();
  if (foreign === undefined) throw new Error(`${foreignFile} is no session of another client`);
  return { events, foreign };
}

const outside = { origin: "host" as const, actor: "openclaw" };

/** A session in which an agent mends a bug: every space, a refusal, an eviction, an outside writer and a restore. */
export function sampleHistory(): RecordedEvent[] {
  const told: (ScratchpadEvent | Told)[] = [
    { event: { type: "legacy.set", text: "old single-key note" }, origin: "legacy", actor: "legacy", turn: 0 },
    turn(1, { type: "notes.set", text: "Goal: login fails after midnight\nConstraint: no schema change" }, "toolu_01"),
    turn(1, { type: "plan.set", text: "1. Reproduce\n2. Find the cause\n3. Fix auth bug\n4. Add a test" }, "toolu_02"),
    turn(2, { type: "ref.added", ref: "src/auth/login.ts" }, "toolu_03"),
    turn(2, { type: "ref.added", ref: "https://example.org/issues/42" }),
    turn(2, { type: "notes.appended", text: "Root cause: timezone mismatch in token expiry" }, "toolu_04"),
    turn(3, { type: "plan.set", text: "1. ~~Reproduce~~ done\n2. Find the cause\n3. Fix auth bug\n4. Add a test" }),
    turn(3, {
      type: "action.refused",
      action: "append_notes",
      code: "over_budget",
      offered: { content: "A very long stack trace\n  at login.ts:42\n  at session.ts:7" },
    }),
    turn(3, { type: "entry.written", key: "deploy-window", text: "Tuesdays, 09:00–11:00 UTC" }),
    turn(3, { type: "lease.claimed", key: "deploy-window", holder: "agent", until: "2026-11-21T21:00:00.000Z" }),
    turn(4, {
      type: "section.written",
      name: "Current focus",
      text: "token.ts, function isExpired",
      at: "2026-11-21T20:10:00.000Z",
      ttlMinutes: 30,
    }),
    {
      event: { type: "notes.set", text: "Goal: login fails after midnight\nHost summary: compare in UTC" },
      ...outside,
      turn: 4,
    },
    turn(5, {
      type: "refs.set",
      refs: ["src/auth/token.ts", "src/auth/login.ts"],
      dropped: ["docs/a.md", "docs/b.md"],
    }),
    turn(5, { type: "notes.set", text: longNotes(), dropped: "…and the tail that went beyond the budget" }),
    turn(6, {
      type: "notes.edited",
      operation: "find_replace",
      find: "compare in UTC",
      replace: "compare both in UTC",
    }),
    turn(6, { type: "ref.added", ref: "test/auth/token.test.ts", evicted: "src/auth/token.ts" }),
  ];
  const history = historyOf(told);
  const restored = { type: "state.restored" as const, to: 11, state: fold(history.slice(0, 11)) };
  return historyOf([
    ...told,
    turn(7, restored),
    turn(7, { type: "notes.appended", text: "Fixed in token.ts, test added" }),
  ]);
}

function turn(number: number, event: ScratchpadEvent, command?: string): Told {
  return { event, turn: number, ...(command === undefined ? {} : { command }) };
}

function longNotes(): string {
  const findings = Array.from(
    { length: 40 },
    (_, index) => `Finding ${index + 1}: token ${index * 7} expires in local time`,
  );
  return ["Goal: login fails after midnight", "Host summary: compare in UTC", ...findings].join("\n");
}

/** Texts that try to run, to break out, to hide and to tear the layout. */
export const hostileTexts: readonly string[] = [
  '</script><img src=x onerror="window.owned = true">',
  "<script>window.owned = true</script><!-- <script",
  "]]></style><svg onload=window.owned=1>",
  "javascript:window.owned=1",
  "access \u202elevel\u2066 user\u2069 \u200bhidden \u0000\u0007\u001b[31m",
  "line\u2028separator\u2029and \ud83d\ude00 \ud83d lone",
  `https://example.org/${"w".repeat(3000)}`,
  "__proto__",
  "{{constructor.constructor('window.owned=1')()}}",
];

export function hostileHistory(): RecordedEvent[] {
  const written = hostileTexts.flatMap((text): Told[] => [
    { event: { type: "notes.appended", text }, actor: text, command: text },
    { event: { type: "ref.added", ref: text }, commit: text, entryId: text },
    { event: { type: "section.written", name: text, text, at: text }, actor: "agent" },
    { event: { type: "action.refused", action: text, code: "held", offered: { [text]: text } } },
    { event: { type: "unknown", name: text, payload: { [text]: [text] } } },
    { event: { type: "entry.written", key: "__proto__", text }, at: "no time" },
  ]);
  return historyOf(written);
}

/** As many events as asked, with rewrites of whole notes among them, as a long session leaves behind. */
export function longHistory(events: number): RecordedEvent[] {
  const notes: string[] = [];
  const told = Array.from({ length: events }, (_, index): Told => {
    const turnNumber = Math.floor(index / 6);
    notes[index % 60] = `Finding ${index}: ${"a measured fact ".repeat(3)}`;
    if (index % 50 === 49) return turn(turnNumber, refused(index));
    if (index % 5 === 1) return turn(turnNumber, { type: "ref.added", ref: `src/file-${index}.ts`, ...evicted(index) });
    if (index % 5 === 2) return turn(turnNumber, { type: "plan.set", text: `1. Step ${index}\n2. Next\n3. Then` });
    if (index % 5 === 3)
      return turn(turnNumber, { type: "entry.written", key: `key-${index % 20}`, text: `value ${index}` });
    return { event: { type: "notes.set", text: notes.join("\n") }, turn: turnNumber, command: `toolu_${index}` };
  });
  return historyOf(told);
}

function evicted(index: number): { evicted?: string } {
  return index < 250 ? {} : { evicted: `src/file-${index - 250}.ts` };
}

function refused(index: number): ScratchpadEvent {
  return { type: "action.refused", action: "append_notes", code: "over_budget", offered: { content: `more ${index}` } };
}
