import fc from "fast-check";
import { expect, test } from "vitest";
import type { Action } from "../../src/action/actions.ts";
import type { Answer } from "../../src/action/answer.ts";
import { reduce } from "../../src/action/decide.ts";
import type { Limits } from "../../src/action/limits.ts";
import type { RecordedEvent } from "../../src/event/event.ts";
import { resumeJournal } from "../../src/journal/journal.ts";
import type { Journal } from "../../src/journal/public.ts";
import { fold } from "../../src/state/fold.ts";
import { initialState } from "../../src/state/state.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { arbitraryLimits, arbitraryRequest } from "../../src/testing/arbitraries.ts";
import { historyOf } from "./streams.ts";

const at = "2026-01-01T00:00:00.000Z";
const actor = "agent";
let ids = 0;

function openOn(store: ReturnType<typeof memoryStore>, limits: Limits): Promise<Journal> {
  const clock = () => new Date(at);
  const openChild = () => Promise.reject(new Error("no child is opened here"));
  const parts = { limits, actor, readonly: false, clock, ids: () => `id ${ids++}`, openChild };
  return resumeJournal({ store, ownsStore: false, ...parts });
}

const requests = fc.array(arbitraryRequest(), { maxLength: 12 });
const wasRecorded = ({ events }: Answer) => events.length > 0;

test("a journal is what deciding and evolving in turn give, but for refusals that repeat the last", async () => {
  await fc.assert(
    fc.asyncProperty(requests, arbitraryLimits(), async (actions, limits) => {
      const journal = await openOn(memoryStore(), limits);
      let state = initialState;
      for (const action of actions) {
        const expected = reduce(state, action, { limits, actor, at, version: journal.version });
        const answer = await journal.applyUnknown(action);
        if (wasRecorded(answer) || expected.events.length === 0) expect(answer).toEqual(expected.answer);
        else expect([answer.ok, answer.code]).toEqual([false, expected.answer.code]);
        state = expected.state;
        expect(journal.state).toEqual(state);
      }
    }),
  );
});

test("calls that share a commit are answered as one after the other", async () => {
  await fc.assert(
    fc.asyncProperty(requests, arbitraryLimits(), async (actions, limits) => {
      const [together, apart] = [await openOn(memoryStore(), limits), await openOn(memoryStore(), limits)];
      const answers = await Promise.all(actions.map((action) => together.applyUnknown(action)));
      const expected: Answer[] = [];
      for (const action of actions) expected.push(await apart.applyUnknown(action));
      expect(answers).toEqual(expected);
      expect(together.state).toEqual(apart.state);
    }),
  );
});

test("every recorded answer comes again for its command, in any order, from any journal", async () => {
  await fc.assert(
    fc.asyncProperty(requests, arbitraryLimits(), fc.infiniteStream(fc.nat()), async (actions, limits, picks) => {
      const store = memoryStore();
      const journal = await openOn(store, limits);
      const first: { readonly action: unknown; readonly command: string; readonly answer: Answer }[] = [];
      for (const [index, action] of actions.entries()) {
        const command = `c${index}`;
        const answer = await journal.applyUnknown(action, { command });
        if (wasRecorded(answer)) first.push({ action, command, answer });
      }
      const other = await openOn(store, limits);
      const again = first.toSorted(() => ((picks.next().value ?? 0) % 2) - 0.5);
      const answers = await Promise.all(again.map(({ action, command }) => other.applyUnknown(action, { command })));
      expect(answers).toEqual(again.map(({ answer }) => answer));
      expect(other.version).toBe(journal.version);
    }),
  );
});

test("a group is applied whole or not at all, and is answered alike when it is repeated", async () => {
  await fc.assert(
    fc.asyncProperty(requests, requests, arbitraryLimits(), async (before, actions, limits) => {
      const journal = await openOn(memoryStore(), limits);
      for (const action of before) await journal.applyUnknown(action);
      const { version, state } = journal;
      const answers = await journal.applyAll(actions as readonly Action[], { command: "group" });
      expect(answers).toHaveLength(actions.length);
      if (answers.every(({ ok }) => ok)) expect(journal.version).toBe(version + actions.length);
      else {
        expect(answers.filter(({ code }) => code !== "not_applied")).toHaveLength(1);
        expect(journal.state).toEqual(state);
        expect(journal.version - version).toBe(answers.filter(wasRecorded).length);
      }
      if (journal.version > version)
        expect(await journal.applyAll(actions as readonly Action[], { command: "group" })).toEqual(answers);
    }),
  );
});

test("however journals take turns, all read one history, and every version of it is there to look at", async () => {
  const step = fc.record({ writer: fc.nat({ max: 2 }), action: arbitraryRequest(), waits: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), arbitraryLimits(), async (steps, limits) => {
      const store = memoryStore();
      const journals = await Promise.all([1, 2, 3].map(() => openOn(store, limits)));
      const answering: Promise<Answer>[] = [];
      for (const { writer, action, waits } of steps) {
        const answer = (journals[writer] as Journal).applyUnknown(action);
        answering.push(answer);
        if (waits) await answer;
      }
      await Promise.all(answering);
      const [journal] = journals as [Journal];
      const events: RecordedEvent[] = await historyOf(journal);
      expect(events.map(({ version }) => version)).toEqual(events.map((_, index) => index + 1));
      for (const each of journals) {
        await each.refresh();
        expect(each.state).toEqual(fold(events));
      }
      for (let version = 0; version <= events.length; version++) {
        expect((await journal.at(version)).state).toEqual(fold(events.slice(0, version)));
      }
    }),
  );
});
