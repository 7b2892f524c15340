/** One history taken from its log, in order: which commits count, what they add up to, what is remarkable about them. */
import { CorruptEntryError } from "../errors.ts";
import type { FoldPolicy } from "../event/commit.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import { Ledger } from "../line/acceptance.ts";
import type { SealKey } from "../line/chain.ts";
import { type JournalLine, noEntry } from "../line/format.ts";
import type { LedgerImage, Verdict } from "../line/verdict.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import { BranchFold } from "./branch-fold.ts";
import type { Delivery } from "./delivery.ts";
import type { LogEntry, LogPage, Session } from "./log.ts";
import { sessionIn } from "./pages.ts";

export interface ReadingSettings {
  readonly where: string;
  readonly seal?: SealKey | undefined;
  /** Damage throws CorruptEntryError. */
  readonly strict: boolean;
}

/** The image has what was taken so far, to go on from there. */
export interface ReadingImage {
  readonly state: ScratchpadState;
  readonly ledger: LedgerImage;
  readonly damaged: boolean;
}

/** The writer knows this of a commit: the states that its events make. */
export interface OwnCommit {
  readonly id: string;
  readonly states: readonly ScratchpadState[];
}

type CommitEntry = Extract<LogEntry, { kind: "commit" }>;
type ValueEntry = Extract<LogEntry, { kind: "value" }>;

const damageTexts = { hash: "its hash does not match its data", gap: "a commit before it is missing" };

export class Reading {
  readonly session: Session;
  readonly ledger: Ledger;
  readonly fold: FoldPolicy;
  state: ScratchpadState = initialState;
  /** A line of ours was found damaged or missing. */
  damaged = false;
  /** Something may be due to what this reading missed: only one from the beginning can tell. */
  doubtful = false;
  readonly #settings: ReadingSettings;
  readonly #known: Version;
  /** It is present under policy `branch`. */
  readonly #branch: BranchFold | undefined;

  /** `known`: up to which version an owner who has old entries dropped need not have kept them. */
  constructor(session: Session, fold: FoldPolicy, settings: ReadingSettings, known: Version = 0) {
    this.session = session;
    this.fold = fold;
    this.#known = known;
    const { id, timestamp, parentSession, drops } = session;
    this.ledger = new Ledger({ id, timestamp, parentSession, beginsLater: drops }, settings.seal);
    this.#settings = settings;
    this.#branch = fold === "branch" ? new BranchFold() : undefined;
  }

  /** The result is what takes the page: another reading of the same kind where a history begins with it. */
  at(page: LogPage): Reading {
    const begun = sessionIn(page);
    return begun === undefined ? this : new Reading(begun, this.fold, this.#settings, this.#known);
  }

  /** Adds to `deliveries` what the entries add. `own`: a commit of this process's, should it be among them. */
  take(entries: readonly LogEntry[], deliveries: Delivery[], own?: OwnCommit): void {
    for (const entry of entries) {
      switch (entry.kind) {
        case "commit":
          this.#takeCommit(entry, deliveries, own);
          break;
        case "value":
          this.#takeValue(entry, deliveries);
          break;
        case "event": {
          // A key that is added behind a spread costs as much as all others. A log may have one of its own: it does not count.
          const recorded = { version: 0, ...entry.recorded };
          recorded.version = this.ledger.version += 1;
          this.#deliver(recorded, deliveries);
          break;
        }
        case "turns":
          this.ledger.turn += entry.count;
          break;
        case "damaged":
          this.#takeDamaged(entry);
          break;
        case "branch":
          this.#deliverBranch(entry.path, deliveries);
          break;
        case "begin":
          break;
      }
    }
  }

  /** The journal goes by another policy than this reading. */
  isUnder(policy: FoldPolicy | undefined): boolean {
    const { lastCommit } = this.ledger;
    return (policy ?? (lastCommit === "" ? this.fold : this.ledger.policy)) === this.fold;
  }

  /**
   * The result is undefined under policy `branch`: a rewind may bring any earlier entry back, so going on would take the whole tree and
   * every event, which is no less than the log itself. It is also undefined if the key is another one, or if what is damaged may stand in
   * somebody else's checkpoint and nowhere else.
   */
  image(): ReadingImage | undefined {
    const isOfOtherKey = this.ledger.mistrusted && this.ledger.lastCommit === "";
    const isLost = this.session.drops === true && this.damaged;
    if (this.#branch !== undefined || this.ledger.policy === "branch" || isOfOtherKey || isLost) return undefined;
    return { state: this.state, ledger: this.ledger.image(), damaged: this.damaged };
  }

  /** The reading goes on as if it had taken all that is in the image. It must be a reading under policy `file` that has taken nothing. */
  restore({ state, ledger, damaged }: ReadingImage): void {
    this.state = state;
    this.damaged = damaged;
    this.ledger.restore(ledger);
  }

  #takeCommit(entry: CommitEntry, deliveries: Delivery[], own: OwnCommit | undefined): void {
    const { version, lastCommit } = this.ledger;
    const { data, timestamp, entry: place = { id: undefined, parentId: undefined, timestamp } } = entry;
    const states = own?.id === data.id && data.version - data.events.length === version ? own.states : [];
    const verdict = this.#takeLine({ kind: "commit", entry: place, data }, entry, deliveries, states);
    this.#note(verdict, entry, lastCommit === "");
  }

  #takeValue(entry: ValueEntry, deliveries: Delivery[]): void {
    const { key, data, id, timestamp, unreadBytes, entry: place = { id, parentId: undefined, timestamp } } = entry;
    this.#takeLine({ kind: "value", entry: place, key, data, unreadBytes }, entry, deliveries);
  }

  /** `states`: what its events make, as far as that is known. */
  #takeLine(
    line: JournalLine,
    entry: CommitEntry | ValueEntry,
    deliveries: Delivery[],
    states: readonly ScratchpadState[] = [],
  ): Verdict {
    const { ledger } = this;
    const before = ledger.turn;
    ledger.turn = entry.turn ?? before;
    const verdict = ledger.take(line, entry.offset, entry.kind === "commit" ? entry.evidence : undefined);
    // No hash covers it: of an entry that does not count it may say anything.
    if (verdict.events.length === 0) ledger.turn = before;
    for (const [index, recorded] of verdict.events.entries()) this.#add(recorded, entry, deliveries, states[index]);
    return verdict;
  }

  #add(
    recorded: RecordedEvent,
    { anchor = null }: CommitEntry | ValueEntry,
    deliveries: Delivery[],
    state: ScratchpadState | undefined,
  ): void {
    if (this.#branch === undefined) this.#deliver(recorded, deliveries, state);
    else this.#branch.add(recorded, anchor);
  }

  #deliver(recorded: RecordedEvent, deliveries: Delivery[], state = evolve(this.state, recorded.event)): void {
    this.state = state;
    deliveries.push({ recorded: Object.freeze(recorded), state });
  }

  /** All events are delivered anew if they do not extend what was delivered. */
  #deliverBranch(path: ReadonlySet<string | null>, deliveries: Delivery[]): void {
    if (this.#branch === undefined) return;
    const { isOther, events } = this.#branch.select(path);
    if (isOther) {
      deliveries.push({ reset: "branch" });
      this.state = initialState;
    }
    for (const recorded of events) this.#deliver(recorded, deliveries);
  }

  /** What a crash cut off is broken, too, and no damage. */
  #takeDamaged(entry: Extract<LogEntry, { kind: "damaged" }>): void {
    const { reason, broken = false, torn = false } = entry;
    this.ledger.take({ kind: "damaged", entry: noEntry, reason, broken });
    if (!torn) this.#noteDamage(entry, reason);
  }

  #note({ events, finding, doubtful }: Verdict, entry: CommitEntry, isFirst: boolean): void {
    this.doubtful ||= doubtful === true;
    if (finding !== "gap" && finding !== "hash") return;
    const { drops = false } = this.session;
    const isDropped = drops && isFirst && events[0] !== undefined && events[0].version <= this.#known + 1;
    if (!isDropped) this.#noteDamage(entry, damageTexts[finding]);
  }

  #noteDamage(
    { offset, place }: { readonly offset?: number | undefined; readonly place?: number | undefined },
    what: string,
  ): void {
    this.damaged = true;
    if (!this.#settings.strict) return;
    const { where } = this.#settings;
    const at = offset === undefined ? `record ${place ?? "?"}` : `byte ${offset}`;
    throw new CorruptEntryError(
      `${where}, ${at}: ${what}: run \`session-journal verify\` on it, or open it without strict`,
      { file: where, byte: offset },
    );
  }
}
