/**
 * This file decides which commits count. A lock cannot exclude a second writer for certain (a paused holder, a clock step, a takeover), so
 * the format decides, and every reader decides alike. Going through the file in order, a commit is accepted if and only if
 *
 * 1. its hash is right and of the journal's kind, and
 * 2. no accepted commit has its id, and no event of an accepted commit has one of its commands, and
 * 3. its base (version minus number of events) is not below the current version.
 *
 * The meaning of an event and the folded state play no part. A value line that is not ours is one event, always.
 */
import { type CommitData, defaultActor, type FoldPolicy, type Head } from "../event/commit.ts";
import type { RecordedEvent, ScratchpadEvent } from "../event/event.ts";
import { isTime } from "../event/iso-time.ts";
import { readMarkers } from "../event/marker.ts";
import { parseEvent } from "../event/parse.ts";
import { readLimits, readSource } from "../event/read.ts";
import { checkCommit, genesisHash, type SealKey, shortCommand } from "./chain.ts";
import { beginsTurn, type Entry, type SessionLine } from "./format.ts";
import { Heads } from "./heads.ts";
import { IdSet, plainIdsOfCheck } from "./id-set.ts";
import { settleLegacy, type ValueLine, valueEvent } from "./legacy.ts";
import type { JudgedSession, LedgerImage, Verdict } from "./verdict.ts";

/** What tells of a commit that its hash need not be checked: it was made of this data, or found to be right, by this process. */
export const madeHere = Symbol("made here");

export type Evidence = typeof madeHere;

const nothing: Verdict = { events: [] };

const dawn = "1970-01-01T00:00:00.000Z";

export class Ledger {
  version = 0;
  /** This is the policy of the newest accepted commit. */
  policy: FoldPolicy = "file";
  turn = 0;
  /** A commit was met that only the holder of the key can check. */
  sealed = false;
  /** A commit was met whose hash is wrong: it was changed, or the key is another one. */
  mistrusted = false;
  /** This is the id of the newest accepted commit, or "" before the first one. */
  lastCommit = "";
  readonly #session: string;
  #notesWritten = false;
  #at: string;
  readonly #seal: SealKey | undefined;
  /** The host branched the session off another one, whose lines it may have copied. */
  readonly #isBranched: boolean;
  readonly #beginsLater: boolean;
  /** The first commit was written to this very session: what is missing later was not left behind by a branch. */
  #rooted = false;
  /** Something was damaged: a commit that does not count from here on may be its victim. */
  #damaged = false;
  readonly #heads: Heads;
  #ids: IdSet;
  #commands = new IdSet();
  #valueIds = new IdSet();

  /** At most `headsMax` earlier heads are remembered, to tell a commit that lost a race from one of elsewhere; by a check all of them. */
  constructor(session: JudgedSession, seal?: SealKey, headsMax?: number) {
    this.#session = session.id;
    this.#isBranched = session.parentSession !== undefined;
    this.#beginsLater = session.beginsLater === true;
    this.#seal = seal;
    this.#heads = new Heads(headsMax);
    this.#ids = new IdSet("", headsMax === Number.POSITIVE_INFINITY ? plainIdsOfCheck : undefined);
    this.#at = isTime(session.timestamp) ? session.timestamp : dawn;
  }

  /** This is the hash of the newest accepted commit. A reader that goes on from the middle never asks for the first one. */
  get hash(): string {
    this.#heads.hash ??= genesisHash(this.#session, this.#seal);
    return this.#heads.hash;
  }

  get head(): Head {
    return { version: this.version, hash: this.hash };
  }

  /** The newest accepted commit has this hash, or had it before it was redacted. */
  hasHash(hash: string): boolean {
    return hash === this.hash || hash === this.#heads.hashBefore;
  }

  hasCommit(id: string): boolean {
    return id === this.lastCommit || this.#ids.has(id);
  }

  hasCommand(command: string): boolean {
    return this.#commands.has(shortCommand(command));
  }

  /** A branch left behind what is missing. */
  get inherits(): boolean {
    return this.#isBranched && !this.#rooted;
  }

  /** Damage was found that shows in no commit. */
  noteDamage(): void {
    this.#damaged = true;
  }

  take(line: SessionLine, offset?: number, evidence?: Evidence): Verdict {
    switch (line.kind) {
      case "commit":
        return this.#takeCommit(line.data, line.entry, offset, evidence);
      case "value":
        return this.#takeValue(line, offset);
      case "host":
        if (beginsTurn(line)) this.turn += 1;
        return nothing;
      case "damaged":
        // A line that a crash cut off is broken, too.
        if (!line.broken) this.#damaged = true;
        return nothing;
      case "mark":
      case "broken":
        return nothing;
    }
  }

  #takeCommit(data: CommitData, entry: Entry, offset: number | undefined, evidence: Evidence | undefined): Verdict {
    const isFirst = this.lastCommit === "";
    const verdict = this.#judge(data, entry, offset, evidence);
    // Without the key nobody knows what the first one follows on.
    if (isFirst) this.#rooted = verdict.events.length > 0 && verdict.finding !== "inherited" && !this.sealed;
    if (verdict.damage) this.#damaged = true;
    return verdict;
  }

  #judge(data: CommitData, entry: Entry, offset: number | undefined, evidence: Evidence | undefined): Verdict {
    const check = evidence === madeHere ? "right" : this.#check(data);
    if (check === "wrong") {
      this.mistrusted = true;
      return { events: [], finding: "hash", damage: true, doubtful: true };
    }
    // @guard acceptance-command
    if (this.#ids.has(data.id) || this.#repeatsCommand(data)) return { events: [], finding: "duplicate" };
    const base = data.version - data.events.length;
    // @guard acceptance-base
    if (base < this.version) return this.#refuse(data);
    const gap = this.#gapBefore(data, check);
    if (check === "sealed") this.sealed = true;
    const events = this.#accept(data, base, entry, offset);
    // What is added behind a spread takes Node 20 fifty times as long as what stands before it.
    return { events, ...gap };
  }

  /** Its writer had seen what is not here. */
  #gapBefore({ prev, version, events }: CommitData, check: "right" | "sealed"): Omit<Verdict, "events"> | undefined {
    const isFirst = this.lastCommit === "";
    // What a sealed journal's first commit names as `prev` is known to the holder of the key only.
    const isLinked = this.hasHash(prev) || (check === "sealed" && isFirst);
    if (isLinked && version - events.length <= this.version) return undefined;
    if (this.inherits) return { finding: "inherited", doubtful: true };
    return { finding: "gap", doubtful: true, ...(isFirst && this.#beginsLater ? {} : { damage: true }) };
  }

  /** Its writer lost a race to this very history, or it is from elsewhere. */
  #refuse({ prev }: CommitData): Verdict {
    const isOfHere = this.hasHash(prev) || this.#heads.had(prev);
    const isNote = (isOfHere || this.inherits) && !this.#damaged;
    return {
      events: [],
      finding: "fork",
      ...(isNote ? {} : { damage: true }),
      ...(isOfHere ? {} : { doubtful: true }),
    };
  }

  /** Neither changed nor of another key, as far as this reader can tell. */
  trusts(data: CommitData): boolean {
    return this.#check(data) !== "wrong";
  }

  /** A journal is sealed from its first commit on or not at all: a hash of the other kind is a wrong one. */
  #check(data: CommitData): ReturnType<typeof checkCommit> {
    const check = checkCommit(data, this.#seal);
    if (this.#seal !== undefined || this.lastCommit === "") return check;
    return (check === "sealed") === this.sealed ? check : "wrong";
  }

  image(): LedgerImage {
    return {
      head: this.head,
      hashBefore: this.#heads.hashBefore,
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
    this.#heads.hash = image.head.hash;
    this.#heads.hashBefore = image.hashBefore;
    this.policy = image.policy;
    this.turn = image.turn;
    this.#notesWritten = image.notesWritten;
    this.sealed = image.sealed;
    this.#at = image.at;
    this.lastCommit = image.lastCommit;
    this.#ids = new IdSet(image.ids);
    this.#commands = new IdSet(image.commands);
    this.#valueIds = new IdSet(image.valueIds);
  }

  #repeatsCommand(data: CommitData): boolean {
    for (const { command } of data.events) {
      if (typeof command === "string" && this.hasCommand(command)) return true;
    }
    return false;
  }

  #accept(data: CommitData, base: number, entry: Entry, offset: number | undefined): RecordedEvent[] {
    this.#heads.move(this.hash, data);
    this.lastCommit = data.id;
    this.policy = data.fold === "branch" ? "branch" : "file";
    this.#ids.add(data.id);
    if (isTime(data.at)) this.#at = data.at;
    else if (isTime(entry.timestamp)) this.#at = entry.timestamp;
    const events: RecordedEvent[] = [];
    for (const written of data.events) {
      const { actor, command, source, limits, markers } = written;
      if (typeof command === "string") this.#commands.add(shortCommand(command));
      const recorded = this.#record(base + events.length + 1, parseEvent(data.v, written), {
        actor: typeof actor === "string" ? actor : defaultActor,
        command: typeof command === "string" ? command : undefined,
        source: readSource(source),
        limits: readLimits(limits),
        markers: readMarkers(markers),
        origin: "journal",
        commit: data.id,
        entryId: entry.id,
        offset,
      });
      events.push(recorded);
    }
    return events;
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
    const by = { actor: "host", origin, entryId: id, offset, unreadBytes: line.unreadBytes } as const;
    return { events: [this.#record(this.version + 1, valueEvent(line), by)] };
  }

  #record(version: number, event: ScratchpadEvent, by: Provenance): RecordedEvent {
    this.version = version;
    if (event.type === "turn.began") this.turn += 1;
    const settled = this.settled(event);
    if (event.type === "notes.set" || event.type === "notes.appended" || event.type === "notes.edited") {
      this.#notesWritten = true;
    }
    const { actor, command, source, limits, markers, origin, commit, entryId, offset, unreadBytes } = by;
    const recorded: Writable<RecordedEvent> = { version, event: settled, at: this.#at, turn: this.turn, actor, origin };
    if (command !== undefined) recorded.command = command;
    if (source !== undefined) recorded.source = source;
    if (limits !== undefined) recorded.limits = limits;
    if (markers !== undefined) recorded.markers = markers;
    if (commit !== undefined) recorded.commit = commit;
    if (entryId !== undefined) recorded.entryId = entryId;
    if (offset !== undefined) recorded.offset = offset;
    if (unreadBytes !== undefined && "ignored" in settled) recorded.unreadBytes = unreadBytes;
    return recorded;
  }
}

/** These say who wrote an event, and where it stands. */
type Provenance = Pick<RecordedEvent, "actor" | "origin"> & {
  readonly [Field in "command" | "source" | "limits" | "markers" | "commit" | "entryId" | "offset" | "unreadBytes"]?:
    | RecordedEvent[Field]
    | undefined;
};

type Writable<Type> = { -readonly [Field in keyof Type]: Type[Field] };
