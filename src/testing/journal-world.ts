/** A journal open through several handles, beside the model that says what they have to show. */
import { deepStrictEqual, equal, notEqual, ok } from "node:assert/strict";
import type { Answer } from "../action/answer.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import type { Journal } from "../journal/public.ts";
import { type Asked, type JournalModel, plain } from "./journal-model.ts";

export interface Handle {
  readonly journal: Journal;
  /** The version that it has to be at: it moves when it reads or writes, and then to the newest. */
  seen: Version;
}

export const otherAnswers = "the answers are not those of the reducer";

export function otherEvents({ version }: JournalModel): string {
  return `behind version ${version}, the history does not have the events that the action makes`;
}

export class World {
  readonly handles: Handle[] = [];
  readonly #open: () => Promise<Journal>;

  constructor(open: () => Promise<Journal>) {
    this.#open = open;
  }

  async open(model: JournalModel): Promise<void> {
    const journal = await this.#open();
    this.handles.push({ journal, seen: model.version });
    model.handles += 1;
    this.check(model);
  }

  async close(model: JournalModel, pick: number): Promise<void> {
    const handle = this.handle(pick);
    this.handles.splice(this.handles.indexOf(handle), 1);
    model.handles -= 1;
    await handle.journal.close();
    await handle.journal.close();
  }

  async closeAll(): Promise<void> {
    for (const { journal } of this.handles.splice(0)) await journal.close();
  }

  /** Any number picks a handle. */
  handle(pick: number): Handle {
    return this.handles[pick % this.handles.length] as Handle;
  }

  /** `answers` were given to what was asked through `handle`, and the model follows. */
  async settle(model: JournalModel, handle: Handle, asked: Asked, answers: readonly Answer[]): Promise<void> {
    const fresh = await this.eventsAfter(handle, model.version);
    const at = fresh[0]?.at ?? new Date().toISOString();
    const expected = model.expect(asked, handle.journal.limits, at);
    deepStrictEqual(
      fresh.map(({ event, actor, command }) => plain({ event, actor, command })),
      expected.events.map((event) => plain({ event, actor: asked.actor, command: asked.command })),
      otherEvents(model),
    );
    if (expected.refused === undefined) deepStrictEqual(plain(answers), plain(expected.answers), otherAnswers);
    else this.#checkRefused(model, asked, expected.refused, answers, expected);
    for (const recorded of fresh) model.append(recorded);
    const { command } = asked;
    if (command !== undefined && fresh.length > 0) model.commands.push({ asked: { ...asked, command }, answers });
    handle.seen = model.version;
    this.check(model);
  }

  #checkRefused(
    model: JournalModel,
    { actions }: Asked,
    refused: number,
    answers: readonly Answer[],
    expected: { readonly events: Answer["events"]; readonly answers: readonly Answer[] },
  ): void {
    equal(answers.length, actions.length, otherAnswers);
    const refusal = expected.answers[0] as Answer;
    for (const [index, { ok: isDone, code, version, events }] of answers.entries()) {
      deepStrictEqual([isDone, version], [false, model.version + expected.events.length], otherAnswers);
      equal(code, index === refused ? refusal.code : "not_applied", otherAnswers);
      deepStrictEqual(plain(events), index === refused ? plain(expected.events) : [], otherAnswers);
    }
    const isWhole = actions.length === 1 && expected.events.length === refusal.events.length;
    if (isWhole) deepStrictEqual(plain(answers), plain([refusal]), otherAnswers);
  }

  /** Through `handle`, from the stream as it is now. */
  async eventsAfter(handle: Handle, from: Version): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for await (const recorded of handle.journal.history({ from })) events.push(recorded);
    deepStrictEqual(
      events.map(({ version }) => version),
      events.map((_, index) => from + index + 1),
      `the versions behind ${from} are not counted one by one`,
    );
    return events;
  }

  /** Every handle shows its version of the model, whatever the others did. */
  check(model: JournalModel): void {
    for (const { journal, seen } of this.handles) {
      equal(journal.version, seen, `a handle is at version ${journal.version}, and has to be at ${seen}`);
      deepStrictEqual(
        plain(journal.state),
        plain(model.states[seen]),
        `the state at version ${seen} is not what the events add up to`,
      );
      ok(journal.turn <= model.turn);
      notEqual(journal.head.hash, "");
    }
  }
}
