/** The actions of one `apply` or `applyAll`: all of them are applied, or none. */
import { type Space, spaceOf } from "../action/actions.ts";
import type { Answer, DecideContext } from "../action/answer.ts";
import { answerTo } from "../action/answers.ts";
import { useOf } from "../action/budget.ts";
import { decide, reduce } from "../action/decide.ts";
import { type Limits, limitsFirst, recordedLimits } from "../action/limits.ts";
import type { Measures } from "../action/measures.ts";
import type { Dedupe } from "../action/ref-form.ts";
import { sameAction } from "../action/replay.ts";
import type { DraftEvent } from "../event/commit.ts";
import type { RecordedEvent, ScratchpadEvent, Version } from "../event/event.ts";
import { fields } from "../event/fields.ts";
import { evolve } from "../state/evolve.ts";
import { fold } from "../state/fold.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { Base, Call, Decided, FirstTime } from "./call.ts";
import { reusedCommand } from "./options.ts";
import { draftBytesMax, LineSize } from "./size.ts";

/** This is who acts, and where the text came from. */
export interface Author extends Pick<DraftEvent, "source"> {
  readonly actor: string;
}

export interface ActionsCallParts {
  readonly actions: readonly unknown[];
  readonly actor: string;
  /** These do the actions, one by one, if `actor` does not do them all. */
  readonly authors?: readonly Author[];
  /** No action makes this event. It stands before those of the actions. */
  readonly leading?: ScratchpadEvent;
  readonly command?: string;
  readonly source?: string;
  readonly expectedVersion?: Version;
  readonly limits: Limits;
  readonly measure?: Measures;
  readonly dedupe?: Dedupe;
  readonly stateAt?: NonNullable<DecideContext["stateAt"]>;
  readonly singleKey?: boolean;
}

export class ActionsCall implements Call {
  readonly command?: string;
  readonly expectedVersion?: Version;
  readonly reject: (error: unknown) => void;
  readonly #resolve: (answers: Answer[]) => void;
  readonly #parts: ActionsCallParts;

  constructor(parts: ActionsCallParts, resolve: (answers: Answer[]) => void, reject: (error: unknown) => void) {
    this.#parts = parts;
    this.#resolve = resolve;
    this.reject = reject;
    if (parts.command !== undefined) this.command = parts.command;
    if (parts.expectedVersion !== undefined) this.expectedVersion = parts.expectedVersion;
  }

  decide(base: Base, at: string): Decided {
    const events = this.#leading(base.state);
    const answers: Answer[] = [];
    let after = events.reduce<Base>((before, draft) => baseAfter(before, draft, base.state), base);
    const size = new LineSize();
    size.add(events);
    for (const [index, action] of this.#parts.actions.entries()) {
      const decision = reduce(after.state, action, this.#context(after.version, at, index));
      const [event] = decision.events;
      if (event === undefined) {
        if (!decision.answer.ok) return this.#unrecorded(base, index, decision.answer);
        answers.push(decision.answer);
        continue;
      }
      const draft = this.#draft(event, decision.state, index);
      if (!decision.answer.ok) return this.#refused(base, index, draft, decision.answer, at);
      size.add([draft]);
      if (size.isOver) return this.#unrecorded(base, index, tooLarge(decision.answer, this.#parts.actions.length));
      events.push(draft);
      answers.push(decision.answer);
      after = baseAfter(after, draft, decision.state);
    }
    const hasExisting = answers.some(({ existing }) => existing !== undefined);
    return { events, after, hasExisting, resolve: () => this.#resolve(answers) };
  }

  recall(first: FirstTime): void {
    const { limits, measure } = this.#parts;
    const parts = { ...this.#parts, limits: limitsFirst(first.events[0], limits, measure) };
    new ActionsCall(parts, this.#resolve, this.reject).#recall(first);
  }

  #recall({ before, events }: FirstTime): void {
    const answers = this.#refusedFirst(before, events) ?? this.#appliedFirst(before, events);
    if (answers !== undefined) this.#resolve(answers);
    else this.reject(usedBefore(events[0]));
  }

  /** The result is undefined if no action was refused the first time, or none of these. */
  #refusedFirst(before: ScratchpadState, events: FirstTime["events"]): Answer[] | undefined {
    const [{ event, version, at }] = events;
    if (event.type !== "action.refused") return undefined;
    const { actions } = this.#parts;
    const context = this.#context(version - 1, at);
    const same = [...actions.keys()].filter((index) => sameAction(actions[index], event, at, this.#parts.dedupe));
    const isRefused = (index: number) =>
      !decide(this.#reached(before, index, context), actions[index], context).answer.ok;
    const index = same.length > 1 ? (same.find(isRefused) ?? same[0]) : same[0];
    if (index === undefined) return undefined;
    const state = this.#reached(before, index, context);
    return this.#beside(index, answerTo(event, state, state, context), before);
  }

  /** The state that the actions before this one made, or would have made. */
  #reached(before: ScratchpadState, index: number, context: DecideContext): ScratchpadState {
    return this.#parts.actions
      .slice(0, index)
      .reduce<ScratchpadState>((state, action) => fold(decide(state, action, context).events, state), before);
  }

  #appliedFirst(before: ScratchpadState, events: FirstTime["events"]): Answer[] | undefined {
    const { actions, dedupe } = this.#parts;
    const left = [...events];
    const answers: Answer[] = [];
    let state = before;
    for (const action of actions) {
      const [recorded] = left;
      if (recorded !== undefined && sameAction(action, recorded.event, recorded.at, dedupe)) {
        const { event, version, at } = recorded;
        const next = evolve(state, event);
        answers.push(answerTo(event, state, next, this.#context(version - 1, at)));
        state = next;
        left.shift();
        continue;
      }
      const { version, at } = recorded ?? { version: events[0].version + events.length, at: events[0].at };
      const { answer } = decide(state, action, this.#context(version - 1, at));
      if (answer.existing === undefined) return undefined;
      answers.push(answer);
    }
    return left.length === 0 ? answers : undefined;
  }

  #refused(base: Base, index: number, draft: DraftEvent, answer: Answer, at: string): Decided {
    if (base.refusal !== undefined && sameRefusal(base.refusal, draft, at)) {
      return this.#unrecorded(base, index, { ...answer, events: [] });
    }
    const answers = this.#beside(index, { ...answer, version: base.version + 1 }, base.state);
    return {
      events: [{ ...draft, state: base.state }],
      after: baseAfter(base, draft, base.state),
      resolve: () => this.#resolve(answers),
    };
  }

  #unrecorded(base: Base, index: number, answer: Answer): Decided {
    const answers = this.#beside(index, { ...answer, version: base.version }, base.state);
    return { events: [], after: base, resolve: () => this.#resolve(answers) };
  }

  /** The result has the refused action's answer among those of the others, which were not applied because of it. */
  #beside(refusedIndex: number, refused: Answer, state: ScratchpadState): Answer[] {
    const { actions } = this.#parts;
    if (actions.length === 1) return [refused];
    const { version, code } = refused;
    return actions.map((action, index) => {
      if (index === refusedIndex) {
        const message = `${refused.message}; none of the ${actions.length} actions was applied`;
        return { ...refused, message, ...this.#useOf(refused.space, state) };
      }
      const space = spaceOf(nameOf(action));
      const message = `not applied: action ${refusedIndex + 1} of ${actions.length} was refused (${code})`;
      return {
        ok: false,
        message,
        code: "not_applied",
        version,
        space,
        ...this.#useOf(space, state),
        warnings: [],
        events: [],
      };
    });
  }

  #useOf(space: Space | null, state: ScratchpadState): Pick<Answer, "used" | "limit"> {
    const { limits, measure } = this.#parts;
    return space === null ? { used: 0, limit: 0 } : useOf(space, state, limits, measure);
  }

  #context(version: Version, at: string, index = 0): DecideContext {
    const { limits, measure, dedupe, stateAt, singleKey = false } = this.#parts;
    return { limits, actor: this.#authorOf(index).actor, at, version, singleKey, measure, dedupe, stateAt };
  }

  #draft(event: ScratchpadEvent, state: ScratchpadState, index: number): DraftEvent {
    const { command, limits, measure } = this.#parts;
    const { actor, source } = this.#authorOf(index);
    return { event, actor, command, source, limits: recordedLimits(limits, measure), state };
  }

  #leading(state: ScratchpadState): DraftEvent[] {
    const { leading } = this.#parts;
    return leading === undefined ? [] : [this.#draft(leading, state, 0)];
  }

  #authorOf(index: number): Author {
    const { actor, source, authors } = this.#parts;
    return authors?.[index] ?? { actor, source };
  }
}

/** The result is what the next call decides on. `state` includes the draft's event. */
export function baseAfter(base: Base, draft: DraftEvent, state: ScratchpadState): Base {
  const { event } = draft;
  return {
    state,
    version: base.version + 1,
    turn: base.turn + (event.type === "turn.began" ? 1 : 0),
    refusal: event.type === "action.refused" ? draft : undefined,
  };
}

/** Would say nothing that the newest event does not say already. */
function sameRefusal(newest: DraftEvent, draft: DraftEvent, at: string): boolean {
  const [a, b] = [newest.event, draft.event];
  if (a.type !== "action.refused" || b.type !== "action.refused") return false;
  if (newest.actor !== draft.actor || newest.command !== draft.command || newest.source !== draft.source) return false;
  if (a.code !== b.code) return false;
  return sameAction({ ...(b.offered as object), action: b.action }, a, at);
}

function tooLarge(answer: Answer, actions: number): Answer {
  const what = actions === 1 ? "this action is" : "together these actions are";
  return {
    ...answer,
    ok: false,
    code: "too_large",
    message: `rejected: ${what} over ${draftBytesMax} bytes, the most that one commit carries`,
    warnings: [],
    events: [],
  };
}

function nameOf(action: unknown): string {
  const { action: name } = fields(action);
  return typeof name === "string" ? name : "";
}

function usedBefore({ command, version, event }: RecordedEvent): TypeError {
  return reusedCommand(
    `command ${JSON.stringify(command)} was used for another action before (version ${version}, ${event.type})`,
  );
}
