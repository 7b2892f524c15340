/** This is the half of a journal that writes: from what is asked of it to a call in its queue. It is loaded where a journal is to be written. */
import { tracingChannel } from "node:diagnostics_channel";
import type { Action } from "../action/actions.ts";
import type { Answer } from "../action/answer.ts";
import { type Limits, recordedLimits } from "../action/limits.ts";
import { type Measures, withNotes } from "../action/measures.ts";
import type { Dedupe } from "../action/ref-form.ts";
import type { Point } from "../audit/points.ts";
import { type TraceChannel, traced } from "../diagnostics.ts";
import { defaultActor } from "../event/commit.ts";
import type { RecordedLimits, ScratchpadEvent, Version } from "../event/event.ts";
import type { Shown } from "../event/shown.ts";
import { requireOptions } from "../options.ts";
import { ActionsCall, type ActionsCallParts } from "./actions-call.ts";
import type { Base, Call } from "./call.ts";
import { EventCall } from "./event-call.ts";
import type { ShownHistory } from "./moment.ts";
import { type ApplyOptions, type NotesBudget, parseApplyOptions, parseName } from "./options.ts";
import { RestoreCall } from "./restore-call.ts";
import { shownEvent } from "./shown.ts";
import type { ApplyTrace } from "./tracing.ts";
import { type NewestTurn, TurnCall } from "./turn-call.ts";
import { Writer, type WriterParts } from "./writer.ts";

/** Actions are decided under these, unless a call says something else. */
export interface WritingSettings {
  readonly limits: Limits;
  readonly actor: string;
  readonly measure?: Measures;
  readonly dedupe?: Dedupe;
}

export interface WritingParts extends WriterParts, WritingSettings {
  /** The result is everything up to the newest version, for a caller that has the queue. */
  readonly history: () => Promise<ShownHistory>;
  /** It throws where the journal is closed or readonly. */
  readonly mustBeWritable: () => void;
}

const applying: TraceChannel<ApplyTrace> = tracingChannel<unknown, ApplyTrace>("session-journal.apply");

export class Writing {
  readonly #parts: WritingParts;
  readonly #writer: Writer;
  readonly #newestTurn: NewestTurn = { generation: 0, turn: 0, id: undefined };

  constructor(parts: WritingParts) {
    this.#parts = parts;
    this.#writer = new Writer(parts);
  }

  async apply(action: Action, options?: ApplyOptions): Promise<Answer> {
    const [answer] = await this.decide({ actions: [copied(action)] }, options);
    return answer as Answer;
  }

  async applyUnder({ notes, measure, ...face }: NotesBudget, action: unknown, options?: ApplyOptions): Promise<Answer> {
    const limits = { ...this.#parts.limits, notes };
    const parts = { actions: [copied(action)], limits, measure: withNotes(this.#parts.measure, measure), ...face };
    const [answer] = await this.decide(parts, options);
    return answer as Answer;
  }

  async applyAll(actions: readonly Action[], options?: ApplyOptions): Promise<Answer[]> {
    if (!Array.isArray(actions)) throw new TypeError("applyAll takes an array of actions");
    return this.decide({ actions: actions.map(copied) }, options);
  }

  async beginTurn(turn: { readonly id?: string } = {}): Promise<number> {
    requireOptions(turn, "id");
    const { actor, projection, history } = this.#parts;
    if (turn.id === undefined) return (await this.append({ type: "turn.began" }, actor)).turn;
    const parts = {
      id: parseName("id", turn.id),
      actor,
      limits: this.#recordedLimits(),
      newest: this.#newestTurn,
      projection,
      history,
    };
    return (await this.#submit<Base>((resolve, reject) => new TurnCall(parts, resolve, reject))).turn;
  }

  async recordShown(shown: readonly Shown[]): Promise<void> {
    const { actor, projection } = this.#parts;
    const { version } = projection.view;
    // There is one for each message, so that what says nothing is left out.
    const author = actor === defaultActor ? undefined : actor;
    // The actions that are submitted at one go are one commit.
    await Promise.all(shown.map((each) => shownEvent(each, version)).map((event) => this.append(event, author)));
  }

  async restore(point: Point, options?: ApplyOptions): Promise<Answer> {
    const { projection, history } = this.#parts;
    const parts = { ...this.#settings(options), point, projection, history };
    const actions = [{ action: "restore", point }];
    const [answer] = await this.#answered(actions, parts, (...settle) => new RestoreCall(parts, ...settle));
    return answer as Answer;
  }

  decide(what: Pick<ActionsCallParts, "actions"> & Partial<ActionsCallParts>, options: unknown): Promise<Answer[]> {
    const parts = Object.assign(this.#settings(options), what);
    return this.#answered(parts.actions, parts, (resolve, reject) => new ActionsCall(parts, resolve, reject));
  }

  #answered(
    actions: readonly unknown[],
    { actor, command }: Pick<ActionsCallParts, "actor" | "command">,
    call: MakeCall<Answer[]>,
  ): Promise<Answer[]> {
    const { store } = this.#parts;
    const task = async (trace: ApplyTrace): Promise<Answer[]> => {
      const answers = await this.#submit(call);
      trace.session = await store.sessionId();
      return answers;
    };
    const begin = (): ApplyTrace => ({ where: store.where, actor, command, actions });
    return traced(applying, begin, (trace) => (trace === undefined ? this.#submit(call) : task(trace)));
  }

  #settings(options: unknown): Omit<ActionsCallParts, "actions"> {
    const { limits, actor, measure, dedupe } = this.#parts;
    const own = { limits, actor, measure, dedupe };
    return options === undefined ? own : { ...own, ...parseApplyOptions(options) };
  }

  append(event: ScratchpadEvent, actor: string | undefined, expectedVersion?: Version): Promise<Base> {
    const draft = { event, actor, limits: this.#recordedLimits() };
    return this.#submit<Base>((resolve, reject) => new EventCall(draft, resolve, reject, expectedVersion));
  }

  #recordedLimits(): RecordedLimits | undefined {
    const { limits, measure } = this.#parts;
    return recordedLimits(limits, measure);
  }

  #submit<Result>(call: MakeCall<Result>): Promise<Result> {
    this.#parts.mustBeWritable();
    return new Promise((resolve, reject) => this.#writer.submit(call(resolve, reject)));
  }
}

type MakeCall<Result> = (resolve: (result: Result) => void, reject: (error: unknown) => void) => Call;

/** Its caller may change the action before it is decided. Actions are flat but for a list of refs. */
function copied(action: unknown): unknown {
  if (typeof action !== "object" || action === null) return action;
  const copy: Record<string, unknown> = { ...action };
  for (const name of Object.keys(copy)) {
    const value = copy[name];
    if (Array.isArray(value)) copy[name] = [...value];
  }
  return copy;
}
