/**
 * WHICH COMMITS COUNT. A lock cannot exclude a second writer for certain (a paused holder, a clock step, a takeover), so
 * the format decides, and every reader decides alike. Going through the file in order, a commit is accepted if and only if
 *
 * 1. its hash is right, and
 * 2. no accepted commit has its id, and no event of an accepted commit has one of its commands, and
 * 3. its base (version minus number of events) is not below the current version.
 *
 * The meaning of an event and the folded state play no part. A value line that is not ours is one event, always.
 */
import type { CommitData, FoldPolicy, Head } from "../event/commit.ts";
import type { RecordedEvent, ScratchpadEvent } from "../event/event.ts";
import { parseEvent } from "../event/parse.ts";
import { checkCommit, genesisHash, type SealKey, shortCommand } from "./chain.ts";
import type { Entry, JournalLine } from "./format.ts";
import { KnownTexts } from "./known.ts";
import { type ValueLine, valueEvent } from "./legacy.ts";

/** Why a commit was refused, or what is remarkable about one that was accepted. */
export type AcceptanceFinding = "hash" | "duplicate" | "fork" | "gap" | "sealed";

export interface Verdict {
  /** The events that now count, in order. */
  readonly events: readonly RecordedEvent[];
  readonly finding?: AcceptanceFinding;
  /**
   * The finding may be due to what this reader missed, not to the file: one that went on from the middle must read the
   * file from the start and see. A refused commit that named a head of this very history is nothing to doubt.
   */
  readonly doubtful?: true;
}

/**
 * What a commit's hash is checked against besides its data: see `checkCommit`. `madeHere`: it was made of this data, by
 * this process.
 */
export type Evidence = string | typeof madeHere;

export const madeHere = Symbol("made here");

/** What acceptance must remember to go on from the middle of a file. The last three are printed {@link KnownTexts}. */
export interface LedgerImage {
  readonly head: Head;
  readonly policy: FoldPolicy;
  readonly turn: number;
  readonly notesWritten: boolean;
  readonly sealed: boolean;
  readonly at: string;
  readonly lastCommit: string;
  readonly ids: string;
  readonly commands: string;
  readonly valueIds: string;
}

const nothing: Verdict = { events: [] };
const headsMax = 256;
const dawn = "1970-01-01T00:00:00.000Z";

export class Ledger {
  version = 0;
  /** That of the newest accepted commit. */
  policy: FoldPolicy = "file";
  turn = 0;
  /** A commit was met that only the holder of the key can check. */
  sealed = false;
  /** A commit was met whose hash is wrong: it was changed, or the key is another one. */
  mistrusted = false;
  /** Id of the newest accepted commit, "" before the first. */
  lastCommit = "";
  readonly #session: string;
  #hash: string | undefined;
  #notesWritten = false;
  #at: string;
  readonly #seal: SealKey | undefined;
  /** The newest ones that were left behind, each in the place of the one {@link headsMax} before it. */
  readonly #heads: string[] = [];
  #headsSeen = 0;
  #ids = new KnownTexts();
  #commands = new KnownTexts();
  #valueIds = new KnownTexts();

  constructor(session: { readonly id: string; readonly timestamp?: string | undefined }, seal?: SealKey) {
    this.#session = session.id;
    this.#seal = seal;
    this.#at = isTime(session.timestamp) ? session.timestamp : dawn;
  }

  /** Of the newest accepted commit. Who goes on from the middle never asks for the first one. */
  get hash(): string {
    this.#hash ??= genesisHash(this.#session, this.#seal);
    return this.#hash;
  }

  get head(): Head {
    return { version: this.version, hash: this.hash };
  }

  hasCommit(id: string): boolean {
    return this.#ids.has(id);
  }

  hasCommand(command: string): boolean {
    return this.#commands.has(shortCommand(command));
  }

  /** A message of the user's was met. */
  beginTurn(): void {
    this.turn += 1;
  }

  take(line: JournalLine, offset?: number, evidence?: Evidence): Verdict {
    switch (line.kind) {
      case "commit":
        return this.takeCommit(line.data, line.entry, offset, evidence);
      case "value":
        return this.#takeValue(line, offset);
      case "mark":
      case "damaged":
        return nothing;
    }
  }

  takeCommit(data: CommitData, entry?: Entry, offset?: number, evidence?: Evidence): Verdict {
    const check = evidence === madeHere ? "right" : this.#check(data, evidence);
    if (check === "wrong") {
      this.mistrusted = true;
      return { events: [], finding: "hash", doubtful: true };
    }
    if (this.#ids.has(data.id) || this.#repeatsCommand(data)) return { events: [], finding: "duplicate" };
    const base = data.version - data.events.length;
    if (base < this.version)
      return { events: [], finding: "fork", ...(this.#heads.includes(data.prev) ? {} : { doubtful: true }) };
    // What a sealed journal's first commit names as `prev` is known to the holder of the key only.
    const isLinked = data.prev === this.hash || (check === "sealed" && this.lastCommit === "");
    const gap = !isLinked || base > this.version;
    if (check === "sealed") this.sealed = true;
    const events = this.#accept(data, base, entry, offset);
    if (gap) return { events, finding: "gap", doubtful: true };
    return check === "sealed" ? { events, finding: "sealed" } : { events };
  }

  /** Neither changed nor of another key, as far as this reader can tell. */
  trusts(data: CommitData): boolean {
    return this.#check(data, undefined) !== "wrong";
  }

  /** A journal is sealed from its first commit on or not at all: a hash of the other kind is a wrong one. */
  #check(data: CommitData, hashed: string | undefined): ReturnType<typeof checkCommit> {
    const check = checkCommit(data, this.#seal, hashed);
    if (this.#seal !== undefined || this.lastCommit === "") return check;
    return (check === "sealed") === this.sealed ? check : "wrong";
  }

  image(): LedgerImage {
    return {
      head: this.head,
      policy: this.policy,
      turn: this.turn,
      notesWritten: this.#notesWritten,
      sealed: this.sealed,
      at: this.#at,
      lastCommit: this.lastCommit,
      ids: this.#ids.print(),
      commands: this.#commands.print(),
      valueIds: this.#valueIds.print(),
    };
  }

  restore(image: LedgerImage): void {
    this.version = image.head.version;
    this.#hash = image.head.hash;
    this.policy = image.policy;
    this.turn = image.turn;
    this.#notesWritten = image.notesWritten;
    this.sealed = image.sealed;
    this.#at = image.at;
    this.lastCommit = image.lastCommit;
    this.#ids = new KnownTexts(image.ids);
    this.#commands = new KnownTexts(image.commands);
    this.#valueIds = new KnownTexts(image.valueIds);
  }

  #repeatsCommand(data: CommitData): boolean {
    for (const { command } of data.events) {
      if (typeof command === "string" && this.hasCommand(command)) return true;
    }
    return false;
  }

  #accept(data: CommitData, base: number, entry: Entry | undefined, offset: number | undefined): RecordedEvent[] {
    this.#remember(this.hash);
    this.#hash = data.hash;
    this.lastCommit = data.id;
    this.policy = data.fold === "branch" ? "branch" : "file";
    this.#ids.add(data.id);
    if (isTime(data.at)) this.#at = data.at;
    const events: RecordedEvent[] = [];
    for (const written of data.events) {
      const { actor, command } = written;
      if (typeof command === "string") this.#commands.add(shortCommand(command));
      const recorded = this.#record(base + events.length + 1, parseEvent(data.v, written), {
        actor: typeof actor === "string" ? actor : "agent",
        command: typeof command === "string" ? command : undefined,
        origin: "journal",
        commit: data.id,
        entryId: entry?.id,
        offset,
      });
      events.push(recorded);
    }
    return events;
  }

  #remember(head: string): void {
    this.#heads[this.#headsSeen % headsMax] = head;
    this.#headsSeen += 1;
  }

  /** A single-key value that would be read now: ignored once notes were written in the newer format. */
  settled(event: ScratchpadEvent): ScratchpadEvent {
    return event.type === "legacy.set" ? settleLegacy(event, this.#notesWritten) : event;
  }

  #takeValue(line: ValueLine, offset: number | undefined): Verdict {
    if (line.mirror !== undefined) return nothing;
    const { id, timestamp } = line.entry;
    if (id !== undefined) {
      if (this.#valueIds.has(id)) return nothing;
      this.#valueIds.add(id);
    }
    if (isTime(timestamp)) this.#at = timestamp;
    const origin = line.key === "legacy" ? "legacy" : "host";
    const by = { actor: "host", command: undefined, origin, commit: undefined, entryId: id, offset } as const;
    return { events: [this.#record(this.version + 1, valueEvent(line), by)] };
  }

  #record(version: number, event: ScratchpadEvent, by: Provenance): RecordedEvent {
    this.version = version;
    if (event.type === "turn.began") this.turn += 1;
    const settled = this.settled(event);
    if (event.type === "notes.set" || event.type === "notes.appended" || event.type === "notes.edited") {
      this.#notesWritten = true;
    }
    const { actor, command, origin, commit, entryId, offset } = by;
    const recorded: Writable<RecordedEvent> = { version, event: settled, at: this.#at, turn: this.turn, actor, origin };
    if (command !== undefined) recorded.command = command;
    if (commit !== undefined) recorded.commit = commit;
    if (entryId !== undefined) recorded.entryId = entryId;
    if (offset !== undefined) recorded.offset = offset;
    return recorded;
  }
}

/** Who wrote an event, and where it stands. */
type Provenance = {
  readonly [Field in "actor" | "command" | "origin" | "commit" | "entryId" | "offset"]:
    | RecordedEvent[Field]
    | undefined;
} & Pick<RecordedEvent, "actor" | "origin">;

type Writable<Type> = { -readonly [Field in keyof Type]: Type[Field] };

function settleLegacy(
  event: Extract<ScratchpadEvent, { type: "legacy.set" }>,
  notesWritten: boolean,
): Extract<ScratchpadEvent, { type: "legacy.set" }> {
  const { ignored: _, ...rest } = event;
  return notesWritten || event.ignored ? { ...rest, ignored: true } : rest;
}

function isTime(text: string | undefined): text is string {
  return text !== undefined && !Number.isNaN(Date.parse(text));
}
