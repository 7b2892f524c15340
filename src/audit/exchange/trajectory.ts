/**
 * A history as a trajectory by ATIF 1.7 (Agent Trajectory Interchange Format): each turn begins with what the user asked, as far as
 * that is known, and each event is a call of the tool `scratchpad` with what it came to. What the plan was after each change
 * stands in `extra`. What the model said besides is the host's, and not in it.
 */
import { actionOf } from "../../action/replay.ts";
import type { RecordedEvent, ScratchpadEvent } from "../../event/event.ts";
import type { TurnPrompt } from "../../event/foreign.ts";
import { elsewhere } from "../../event/foreign.ts";
import { internetTimeOf } from "../../event/iso-time.ts";
import { typeOf } from "../../event/types.ts";
import { type PlanStep, planSteps } from "../steps.ts";

export interface TrajectoryStep {
  /** Steps are counted from 1. */
  readonly step_id: number;
  readonly timestamp?: string;
  readonly source: "system" | "user" | "agent";
  readonly message: string;
  readonly tool_calls?: readonly {
    readonly tool_call_id: string;
    readonly function_name: "scratchpad";
    readonly arguments: object;
  }[];
  readonly observation?: { readonly results: readonly { readonly source_call_id: string; readonly content: string }[] };
  readonly extra?: object;
}

/** This is the plan after a change. */
export interface PlanThen {
  readonly version: number;
  readonly turn: number;
  readonly at: string;
  readonly actor: string;
  readonly text: string;
  readonly steps: readonly PlanStep[];
}

/** Makes steps of events, one by one, and holds what the plan was. */
export class Trajectory {
  readonly plans: PlanThen[] = [];
  readonly #prompts = new Map<number, string>();
  #steps = 0;
  #turn = 0;

  /** Takes what the user asked in a turn, before its first event. */
  asked({ turn, text }: TurnPrompt): void {
    this.#prompts.set(turn, text);
  }

  /** The result has the steps of an event, with the turns that began before it. */
  stepsOf(recorded: RecordedEvent): TrajectoryStep[] {
    const { event, at, version, turn, actor } = recorded;
    const asked = this.#askedUntil(turn);
    const plan = planIn(event);
    if (plan !== undefined) this.plans.push({ version, turn, at, actor, text: plan, steps: planSteps(plan) });
    if (event.type === "turn.began") return asked;
    return [...asked, this.#happened(recorded)];
  }

  /** The result has the turns behind the last event. A trajectory has a step at least. */
  end(turn: number): TrajectoryStep[] {
    const asked = this.#askedUntil(turn);
    return this.#steps > 0 ? asked : [this.#step({ source: "system", message: "the journal is empty" })];
  }

  #askedUntil(turn: number): TrajectoryStep[] {
    const steps: TrajectoryStep[] = [];
    while (this.#turn < turn) {
      this.#turn += 1;
      const message = this.#prompts.get(this.#turn) ?? "";
      this.#prompts.delete(this.#turn);
      steps.push(this.#step({ source: "user", message, extra: { turn: this.#turn } }));
    }
    return steps;
  }

  #happened({ event, at, version, turn, actor, command, origin, commit }: RecordedEvent): TrajectoryStep {
    const title = typeOf(event).title(event);
    const timestamp = internetTimeOf(at);
    const extra = { version, turn, actor, origin, ...(commit === undefined ? {} : { commit }), event: event.type };
    // Nobody in a session of another client made this change: a person did, or a program beside it.
    const action = actor === elsewhere ? undefined : actionOf(event, at);
    if (action === undefined)
      return this.#step({ timestamp, source: "system", message: title, extra: { ...extra, payload: event } });
    const id = command ?? `v${version}`;
    const call = { tool_call_id: id, function_name: "scratchpad", arguments: action } as const;
    const content = event.type === "action.refused" ? `rejected: ${event.code}` : title;
    return this.#step({
      timestamp,
      source: "agent",
      message: "",
      tool_calls: [call],
      observation: { results: [{ source_call_id: id, content }] },
      extra,
    });
  }

  #step(step: Omit<TrajectoryStep, "step_id">): TrajectoryStep {
    this.#steps += 1;
    return { step_id: this.#steps, ...step };
  }
}

function planIn(event: ScratchpadEvent): string | undefined {
  if (event.type === "plan.set") return event.text;
  return event.type === "state.restored" || event.type === "session.forked" ? event.state.plan : undefined;
}
