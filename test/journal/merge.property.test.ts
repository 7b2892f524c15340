import fc from "fast-check";
import { expect, test } from "vitest";
import type { Action } from "../../src/action/actions.ts";
import type { Journal } from "../../src/journal/public.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import type { ScratchpadState } from "../../src/state/state.ts";
import { memoryStore } from "../../src/store/memory.ts";

interface Change {
  readonly what: "line" | "unline" | "ref" | "unref" | "entry" | "unentry";
  readonly at: number;
}

const changes = fc.array(
  fc.record<Change>({
    what: fc.constantFrom("line", "unline", "ref", "unref", "entry", "unentry"),
    at: fc.nat(5),
  }),
  { maxLength: 6 },
);

test("a merge takes what only the other side changed, keeps the rest, and has then nothing more to take", async () => {
  const story = fc.record({ before: changes, ours: changes, theirs: changes });
  await fc.assert(fc.asyncProperty(story, hold), { numRuns: 40 });
});

async function hold(story: { readonly [Side in "before" | "ours" | "theirs"]: readonly Change[] }): Promise<void> {
  const ours = await openJournal(memoryStore());
  await change(ours, "base", story.before);
  const theirs = await ours.fork(memoryStore());
  const base = ours.state;
  await change(ours, "ours", story.ours);
  await change(theirs, "theirs", story.theirs);
  const { state: before, version } = ours;
  const planned = await ours.merge(theirs, { dryRun: true });
  expect([ours.state, ours.version]).toEqual([before, version]);
  const { answers, message, ...merged } = await ours.merge(theirs);
  expect(planned).toEqual({ ...merged, answers: [], message: message.replace(/ (was|were) /, " would be ") });
  expect([answers.length, ours.version - version]).toEqual(
    merged.ok ? [merged.steps.length, merged.steps.length] : [0, 0],
  );
  expect(merged.conflicts.flatMap(({ key }) => key ?? []).toSorted()).toEqual(
    keysInConflict(base, before, theirs.state).toSorted(),
  );
  if (!merged.ok) {
    expect(ours.state).toEqual(before);
    return;
  }
  expectBrought(base, before, theirs.state, ours.state);
  expect(await ours.merge(theirs)).toMatchObject({ ok: true, steps: [], left: [] });
  expect(await theirs.merge(ours)).toMatchObject({ ok: true, conflicts: [] });
  expect(theirs.state).toEqual({ ...ours.state, refs: expect.anything() });
  expect(theirs.state.refs.toSorted()).toEqual(ours.state.refs.toSorted());
}

/** Each line has a text of its own; refs and entries are few, so that both sides meet. */
async function change(journal: Journal, name: string, asked: readonly Change[]): Promise<void> {
  const [lines, refs] = [[...linesOf(journal.state)], [...journal.state.refs]];
  const actions: Action[] = [];
  for (const [index, { what, at }] of asked.entries()) {
    const [ref, key, text] = [`r${at % 3}`, `k${at % 3}`, `${name} ${index}`];
    switch (what) {
      case "line":
        lines.splice(at, 0, text);
        break;
      case "unline":
        lines.splice(at, 1);
        break;
      case "ref":
        refs.push(ref);
        break;
      case "unref":
        refs.splice(refs.indexOf(ref), 1);
        break;
      case "entry":
        actions.push({ action: "entries.write", key, content: text });
        break;
      case "unentry":
        actions.push({ action: "entries.write", key, content: "" }, { action: "entries.delete", key });
        break;
    }
  }
  const all: Action[] = [
    { action: "set_notes", content: lines.join("\n") },
    { action: "refs.set", items: refs },
  ];
  await journal.applyAll([...all, ...actions]);
}

function linesOf({ notes }: ScratchpadState): readonly string[] {
  return notes === "" ? [] : notes.split("\n");
}

function keysInConflict(base: ScratchpadState, ours: ScratchpadState, theirs: ScratchpadState): string[] {
  return ["k0", "k1", "k2"].filter((key) => {
    const [was, mine, other] = [base.entries[key], ours.entries[key], theirs.entries[key]];
    return mine !== was && other !== was && mine !== other;
  });
}

function expectBrought(
  base: ScratchpadState,
  ours: ScratchpadState,
  theirs: ScratchpadState,
  after: ScratchpadState,
): void {
  const [was, mine, other] = [base, ours, theirs].map(linesOf) as [
    readonly string[],
    readonly string[],
    readonly string[],
  ];
  const isKept = (line: string) => (was.includes(line) ? mine.includes(line) && other.includes(line) : true);
  expect(linesOf(after).toSorted()).toEqual([...new Set([...mine, ...other])].filter(isKept).toSorted());
  for (const ref of ["r0", "r1", "r2"]) {
    const [is, ...of] = [after, base, ours, theirs].map(({ refs }) => refs.filter((each) => each === ref).length);
    expect([ref, is]).toEqual([ref, countAfter(of[0] ?? 0, of[1] ?? 0, of[2] ?? 0)]);
  }
  for (const key of ["k0", "k1", "k2"]) {
    const isOurs = theirs.entries[key] === base.entries[key];
    expect([key, after.entries[key]]).toEqual([key, (isOurs ? ours : theirs).entries[key]]);
  }
}

/** What both did alike counts once. */
function countAfter(base: number, ours: number, theirs: number): number {
  const [mine, other] = [ours - base, theirs - base];
  if (mine * other <= 0) return base + mine + other;
  return base + (Math.abs(mine) > Math.abs(other) ? mine : other);
}
