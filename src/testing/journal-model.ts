/** The plainest journal there is: a list of events and the reducer, all at once and in memory. */
import { isDeepStrictEqual } from "node:util";
import type { Answer } from "../action/answer.ts";
import { reduce } from "../action/decide.ts";
import type { Limits } from "../action/limits.ts";
import type { RecordedEvent, ScratchpadEvent, Version } from "../event/event.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";

/** This is what is asked of a journal at once. `actor` and `command` are those of `apply`. */
export interface Asked {
  readonly actions: readonly unknown[];
  readonly actor: string;
  readonly command?: string;
  /** The action is a `restore`, which no model can ask for. */
  readonly restores?: boolean;
}

/** This has to come of it. */
export interface Expected {
  readonly events: readonly ScratchpadEvent[];
  readonly answers: readonly Answer[];
  /** Which answer is that of a refusal, where there is one. */
  readonly refused?: number;
}

export class JournalModel {
  readonly events: RecordedEvent[] = [];
  /** The states are indexed by version. */
  readonly states: ScratchpadState[] = [initialState];
  /** So many handles are open. */
  handles = 0;
  /** The list has what was asked under a command for the first time, and its answers, if an event came of it. */
  readonly commands: { readonly asked: Asked & { readonly command: string }; readonly answers: readonly Answer[] }[] =
    [];

  get version(): Version {
    return this.events.length;
  }

  get state(): ScratchpadState {
    return this.states.at(-1) as ScratchpadState;
  }

  get turn(): number {
    return this.events.filter(({ event }) => event.type === "turn.began").length;
  }

  append(recorded: RecordedEvent): void {
    this.events.push(recorded);
    this.states.push(evolve(this.state, recorded.event));
  }

  /** Either all of the actions are accepted, or there is one refusal. Nothing is appended. */
  expect({ actions, actor, command, restores = false }: Asked, limits: Limits, at: string): Expected {
    const events: ScratchpadEvent[] = [];
    const answers: Answer[] = [];
    let state = this.state;
    for (const [index, action] of actions.entries()) {
      const version = this.version + events.length;
      const stateAt = (past: Version) => this.states[past];
      const reduced = reduce(state, action, { limits, actor, at, version, ...(restores && { stateAt }) });
      if (!reduced.answer.ok) {
        const isNew = !this.#repeatsTheLast(reduced.events[0], actor, command);
        return { events: isNew ? reduced.events : [], answers: [reduced.answer], refused: index };
      }
      events.push(...reduced.events);
      answers.push(reduced.answer);
      state = reduced.state;
    }
    return { events, answers };
  }

  #repeatsTheLast(event: ScratchpadEvent | undefined, actor: string, command: string | undefined): boolean {
    const last = this.events.at(-1);
    if (last === undefined || last.event.type !== "action.refused") return false;
    return isDeepStrictEqual(plain(last.event), plain(event)) && last.actor === actor && last.command === command;
  }
}

/** The result is the value as it is read back from a file: without prototypes and frozen parts, and without what is undefined. */
export function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
