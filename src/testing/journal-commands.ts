/**
 * Model-based test of any journal over any store: steps through several handles, each held against a plain model. The
 * steps of a counterexample can be read.
 */

import { deepStrictEqual, equal, rejects } from "node:assert/strict";
import type { Action } from "../action/actions.ts";
import type { Answer } from "../action/answer.ts";
import { isJournalError } from "../errors.ts";
import type { Journal } from "../journal/public.ts";
import { given, requireOptions } from "../options.ts";
import { arbitraryRequest } from "./arbitraries.ts";
import { fc } from "./fast-check.ts";
import { type Asked, JournalModel, plain } from "./journal-model.ts";
import { otherAnswers, otherEvents, World } from "./journal-world.ts";
import { sourceOf } from "./script.ts";

/** Steps, as `runJournalCommands` takes them. */
export type JournalCommands = Iterable<fc.AsyncCommand<object, object>>;

/** These are the options of {@link journalCommands}. */
export interface JournalCommandsOptions {
  /** This is how many handles are open at the same time at most. The default is 3. */
  readonly handlesMax?: number;
  /** This is the largest number of steps. The default is 20. */
  readonly stepsMax?: number;
  /** This is what is asked for: whatever a model or a bug may hand in. Leases must last longer than the test. */
  readonly actions?: fc.Arbitrary<unknown>;
}

/**
 * Generates steps through several handles: open, close, apply, applyAll, several at the same time, repeated and misused
 * commands, right and wrong expected versions, refresh, restore, turns, looking back.
 *
 * @param options The largest numbers of handles and steps, and the actions.
 * @throws An Error of fast-check for a number that is not a whole one from 0 on, and a TypeError for an option that does not exist.
 * @example
 * const property = fc.asyncProperty(journalCommands(), async (steps) => {
 *   const store = myStore();
 *   await runJournalCommands(steps, () => openJournal(store));
 * });
 * await fc.assert(property);
 */
export function journalCommands(options: JournalCommandsOptions = {}): fc.Arbitrary<JournalCommands> {
  requireOptions(options, "handlesMax", "stepsMax", "actions");
  const { handlesMax = 3, stepsMax = 20, actions = arbitraryRequest().map(withLongLease) } = options;
  const pick = fc.nat({ max: 11 });
  const actor = fc.constantFrom("agent", "other");
  const steps: fc.Arbitrary<Step>[] = [
    fc.constant(opening(handlesMax)),
    pick.map(closing),
    fc.tuple(pick, actions, actor, fc.boolean()).map((given) => applying(...given)),
    fc.tuple(pick, actions, actor, fc.boolean()).map((given) => applying(...given)),
    fc.tuple(pick, fc.array(actions, { maxLength: 4 }), actor, fc.boolean()).map((given) => applyingAll(...given)),
    fc
      .tuple(fc.array(fc.tuple(pick, actions), { minLength: 2, maxLength: 4 }), actor)
      .map((given) => together(...given)),
    fc.tuple(pick, pick).map((given) => repeating(...given)),
    fc.tuple(pick, pick).map((given) => misusing(...given)),
    fc.tuple(pick, actions, fc.constantFrom(-1, 0, 1)).map((given) => expecting(...given)),
    pick.map(refreshing),
    fc.tuple(pick, pick).map((given) => restoring(...given)),
    pick.map(beginning),
    fc.tuple(pick, pick).map((given) => looking(...given)),
  ];
  return fc.commands<JournalModel, World, false>(steps, { maxCommands: stepsMax, size: "max" });
}

/**
 * Runs the steps on one new stream, and compares every answer with a plain model.
 *
 * @param steps What `journalCommands` generated.
 * @param open Opens another handle on the same stream at each call.
 * @throws AssertionError that shows the difference (as a rejection).
 * @example
 * await runJournalCommands(steps, () => openJournal(store));
 */
export async function runJournalCommands(steps: JournalCommands, open: () => Promise<Journal>): Promise<void> {
  const world = new World(open);
  const model = new JournalModel();
  try {
    await world.open(model);
    await fc.asyncModelRun(() => ({ model, real: world }), steps);
  } finally {
    await world.closeAll();
  }
}

type Step = fc.AsyncCommand<JournalModel, World>;

function step(text: string, run: Step["run"], check: Step["check"] = ({ handles }) => handles > 0): Step {
  return { check, run, toString: () => text };
}

function opening(handlesMax: number): Step {
  return step(
    "open",
    (model, world) => world.open(model),
    ({ handles }) => handles < handlesMax,
  );
}

function closing(pick: number): Step {
  return step(`close ${pick}`, (model, world) => world.close(model, pick));
}

/** A command is named for the version that it was asked at, so that it is new. */
function newCommand(model: JournalModel, isWanted: boolean): { readonly command?: string } {
  return isWanted ? { command: `command ${model.version} ${model.commands.length}` } : {};
}

function applying(pick: number, action: unknown, actor: string, withCommand: boolean): Step {
  return step(`handle ${pick}: ${actor} asks ${sourceOf(action)}${commandNote(withCommand)}`, async (model, world) => {
    const handle = world.handle(pick);
    const asked = { actions: [action], actor, ...newCommand(model, withCommand) };
    await world.settle(model, handle, asked, [await handle.journal.apply(action as Action, optionsOf(asked))]);
  });
}

function applyingAll(pick: number, actions: readonly unknown[], actor: string, withCommand: boolean): Step {
  const text = `handle ${pick}: ${actor} asks for all of ${sourceOf(actions)}${commandNote(withCommand)}`;
  return step(text, async (model, world) => {
    const handle = world.handle(pick);
    const asked = { actions, actor, ...newCommand(model, withCommand) };
    await world.settle(
      model,
      handle,
      asked,
      await handle.journal.applyAll(actions as readonly Action[], optionsOf(asked)),
    );
  });
}

/** Whatever order they came in, the versions say it. */
function together(all: readonly (readonly [number, unknown])[], actor: string): Step {
  const text = all.map(([pick, action]) => `handle ${pick}: ${actor} asks ${sourceOf(action)}`).join(" | ");
  return step(`at the same time: ${text}`, async (model, world) => {
    const asked = all.map(([pick, action]) => ({ handle: world.handle(pick), action }));
    const answers = await Promise.all(
      asked.map(({ handle, action }) => handle.journal.apply(action as Action, { actor })),
    );
    const [first] = world.handles;
    const fresh = first === undefined ? [] : await world.eventsAfter(first, model.version);
    for (const recorded of fresh) {
      const index = answers.findIndex(({ version, events }) => version === recorded.version && events.length > 0);
      const { handle, action } = asked[index] as (typeof asked)[number];
      const expected = model.expect({ actions: [action], actor }, handle.journal.limits, recorded.at);
      deepStrictEqual(plain(answers[index]), plain(expected.answers[0]), otherAnswers);
      deepStrictEqual(plain([recorded.event]), plain(expected.events), otherEvents(model));
      model.append(recorded);
    }
    const said = answers.filter(({ events }) => events.length > 0).length;
    equal(
      said,
      fresh.length,
      `${said} answers say that an event was recorded, and the history has ${fresh.length} more`,
    );
    for (const { handle } of asked) await handle.journal.refresh();
    for (const { handle } of asked) handle.seen = model.version;
    world.check(model);
  });
}

function repeating(pick: number, which: number): Step {
  return step(`handle ${pick}: command ${which} again`, async (model, world) => {
    const known = model.commands[which % Math.max(1, model.commands.length)];
    if (known === undefined) return;
    const handle = world.handle(pick);
    const answers = plain(await askAgain(handle.journal, known.asked));
    deepStrictEqual(answers, plain(known.answers), "a repeated command is not answered as it was at first");
    deepStrictEqual(await world.eventsAfter(handle, model.version), [], "a repeated command recorded events again");
    handle.seen = model.version;
    world.check(model);
  });
}

function askAgain(journal: Journal, asked: Asked): Promise<Answer[]> {
  return journal.applyAll(asked.actions as readonly Action[], optionsOf(asked));
}

function misusing(pick: number, which: number): Step {
  return step(`handle ${pick}: command ${which} for another action`, async (model, world) => {
    const known = model.commands[which % Math.max(1, model.commands.length)];
    if (known === undefined) return;
    const handle = world.handle(pick);
    const other: Action = { action: "sections.write", name: "misused", content: `not ${known.asked.command}` };
    await rejects(handle.journal.apply(other, { command: known.asked.command }), TypeError);
    await handle.journal.refresh();
    handle.seen = model.version;
    world.check(model);
  });
}

function expecting(pick: number, action: unknown, wrongBy: number): Step {
  const text = `handle ${pick}: asks ${sourceOf(action)} at the newest version ${wrongBy < 0 ? "" : "+"}${wrongBy}`;
  return step(text, async (model, world) => {
    const handle = world.handle(pick);
    const expectedVersion = Math.max(0, model.version + wrongBy);
    const applied = handle.journal.apply(action as Action, { expectedVersion, actor: "agent" });
    if (expectedVersion === model.version) {
      await world.settle(model, handle, { actions: [action], actor: "agent" }, [await applied]);
      return;
    }
    await rejects(applied, (error) => {
      if (!isJournalError(error, "version_conflict")) return false;
      const { expected, actual } = error as unknown as { expected: number; actual: number };
      const versions = [expectedVersion, model.version];
      deepStrictEqual([expected, actual], versions, `the conflict is not of the versions ${versions.join(" and ")}`);
      return true;
    });
    handle.seen = model.version;
    world.check(model);
  });
}

function refreshing(pick: number): Step {
  return step(`handle ${pick}: refresh`, async (model, world) => {
    const handle = world.handle(pick);
    await handle.journal.refresh();
    handle.seen = model.version;
    world.check(model);
    requireTurn(handle.journal.turn, model.turn);
  });
}

function requireTurn(is: number, wanted: number): void {
  equal(is, wanted, `the journal is in turn ${is}, and has to be in turn ${wanted}`);
}

function restoring(pick: number, which: number): Step {
  return step(`handle ${pick}: restore ${which}`, async (model, world) => {
    const handle = world.handle(pick);
    const to = which % (model.version + 1);
    const answer = await handle.journal.restore(to, { actor: "agent" });
    await world.settle(model, handle, { actions: [{ action: "restore", to }], actor: "agent", restores: true }, [
      answer,
    ]);
  });
}

function beginning(pick: number): Step {
  return step(`handle ${pick}: begin a turn`, async (model, world) => {
    const handle = world.handle(pick);
    const id = `t${pick % 3}`;
    const newest = model.events.findLast(({ event }) => event.type === "turn.began")?.event;
    const isBegun = newest?.type === "turn.began" && newest.id === id;
    requireTurn(await handle.journal.beginTurn({ id }), isBegun ? model.turn : model.turn + 1);
    const fresh = await world.eventsAfter(handle, model.version);
    deepStrictEqual(
      fresh.map(({ event }) => plain(event)),
      isBegun ? [] : [{ type: "turn.began", id }],
      otherEvents(model),
    );
    for (const recorded of fresh) model.append(recorded);
    handle.seen = model.version;
    world.check(model);
  });
}

function looking(pick: number, which: number): Step {
  return step(`handle ${pick}: look at ${which}`, async (model, world) => {
    const handle = world.handle(pick);
    const version = which % (model.version + 1);
    const { state } = await handle.journal.at(version);
    deepStrictEqual(
      plain(state),
      plain(model.states[version]),
      `the state at version ${version} is another one by now`,
    );
    deepStrictEqual(
      plain(await world.eventsAfter(handle, 0)),
      plain(model.events),
      "the history is another one by now",
    );
    handle.seen = model.version;
    world.check(model);
  });
}

function optionsOf({ actor, command }: Asked): { readonly actor: string; readonly command?: string } {
  return { actor, ...given({ command }) };
}

function commandNote(withCommand: boolean): string {
  return withCommand ? " under a command" : "";
}

/** A lease that ran out between two steps would make the outcome depend on the clock. */
function withLongLease(action: unknown): unknown {
  const isShort = typeof action === "object" && action !== null && "ttlSeconds" in action;
  return isShort && typeof action.ttlSeconds === "number" ? { ...action, ttlSeconds: 3600 } : action;
}
