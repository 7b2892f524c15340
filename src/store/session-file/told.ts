/** What a session file's stream has told so far: enough to see whether another reading of the file begins alike. */
import { isDeepStrictEqual } from "node:util";
import type { RecordedEvent } from "../../event/event.ts";
import { fold } from "../../state/fold.ts";
import type { ScratchpadState } from "../../state/state.ts";
import type { EventSink } from "../store.ts";

export interface ToldImage {
  readonly count: number;
  /** Tells two histories of the same length apart. */
  readonly print: number;
  /** When the newest event happened. */
  readonly at?: string;
  /** The newest event, where it is a refusal. */
  readonly refusal?: RecordedEvent;
}

export class Told {
  /** An event that this version of the package cannot read was among them. */
  unknown = false;
  #count = 0;
  #print = 0;
  #at: string | undefined;
  #refusal: RecordedEvent | undefined;

  constructor(image?: ToldImage) {
    if (image === undefined) return;
    this.#count = image.count;
    this.#print = image.print;
    this.#at = image.at;
    this.#refusal = image.refusal;
  }

  get count(): number {
    return this.#count;
  }

  note(recorded: RecordedEvent): void {
    const { type } = recorded.event;
    this.#count += 1;
    this.#print = mixed(this.#print, recorded);
    this.#at = recorded.at;
    this.#refusal = type === "action.refused" ? recorded : undefined;
    if (type === "unknown") this.unknown = true;
  }

  isBeginningOf(events: readonly RecordedEvent[]): boolean {
    const count = this.#count;
    return events.length >= count && events.slice(0, count).reduce(mixed, 0) === this.#print;
  }

  /** Whether what was told, which `events` begin with, makes this state. */
  addsUpTo(state: ScratchpadState | undefined, events: readonly RecordedEvent[]): boolean {
    return isDeepStrictEqual(fold(events.slice(0, this.#count)), state);
  }

  image(): ToldImage {
    return {
      count: this.#count,
      print: this.#print,
      ...(this.#at === undefined ? {} : { at: this.#at }),
      ...(this.#refusal === undefined ? {} : { refusal: this.#refusal }),
    };
  }
}

/** Keeps what is told until it is known to hold. */
export class Collector implements EventSink {
  events: RecordedEvent[] = [];
  readonly #keeps: "events" | "states";
  #states: (ScratchpadState | undefined)[] = [];
  #reset: "rewritten" | "branch" | undefined;

  /** "states": what each event makes, too. Only for few events: of many, the states hold far more than the events. */
  constructor(keeps: "events" | "states" = "events") {
    this.#keeps = keeps;
  }

  reset(reason: "rewritten" | "branch"): void {
    this.#reset = reason;
    this.forget();
  }

  event(recorded: RecordedEvent, state?: ScratchpadState): void {
    this.events.push(recorded);
    if (this.#keeps === "states") this.#states.push(state);
  }

  replay(sink: EventSink): void {
    if (this.#reset !== undefined) sink.reset(this.#reset);
    for (const [index, recorded] of this.events.entries()) sink.event(recorded, this.#states[index]);
  }

  protected forget(): void {
    this.events = [];
    this.#states = [];
  }
}

/**
 * Tells a first reading while it goes on, for a long history is not to be held in memory. What comes before the first
 * commit is kept: that commit says under which policy the journal is read, and so whether this reading holds.
 */
export class FirstTelling extends Collector {
  /** Something was told: should the reading not hold, it must be taken back. */
  begun = false;
  readonly #sink: EventSink;
  readonly #holds: () => boolean;

  constructor(sink: EventSink, holds: () => boolean) {
    super();
    this.#sink = sink;
    this.#holds = holds;
  }

  override event(recorded: RecordedEvent, state?: ScratchpadState): void {
    if (this.begun) {
      this.#sink.event(recorded, state);
      return;
    }
    super.event(recorded);
    if (recorded.commit !== undefined && this.#holds()) this.#begin();
  }

  /** Tells what was kept. */
  #begin(): void {
    this.begun = true;
    this.replay(this.#sink);
    this.forget();
  }
}

/** As many characters at the end of an id tell it from all others. */
const tellingMax = 12;

/** FNV-1a. */
function mixed(seed: number, { version, event, commit, entryId, at }: RecordedEvent): number {
  const { type } = event;
  const id = commit ?? entryId ?? at;
  let hash = Math.imul(seed ^ 0x811c9dc5 ^ version, 0x01000193);
  hash = Math.imul(hash ^ type.length ^ (type.charCodeAt(0) << 8), 0x01000193);
  for (let index = Math.max(0, id.length - tellingMax); index < id.length; index++) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
