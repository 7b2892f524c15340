/**
 * Follows a session file through whatever its host does to it. Before each read it makes sure that the file is still the
 * one it knows (device, inode, size, the last line's bytes); if not, it reads from the start and says so. While a
 * rewrite is under way, it stays with what it knew.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { CorruptEntryError, NotASessionError } from "../../errors.ts";
import type { FoldPolicy } from "../../event/commit.ts";
import type { RecordedEvent } from "../../event/event.ts";
import { genesisHash } from "../../line/chain.ts";
import type { Header } from "../../line/decode.ts";
import type { EventSink, StreamEnd } from "../store.ts";
import type { SessionBytes } from "./session-bytes.ts";
import { type OpenedSession, openSession } from "./session-header.ts";
import { type ReaderSettings, type ReadFinding, SessionReader } from "./session-reader.ts";

export interface StreamSettings extends Omit<ReaderSettings, "fold"> {
  readonly file: string;
  /** Absent: that of the journal itself. */
  readonly fold?: FoldPolicy | undefined;
  readonly strict: boolean;
}

/** A history that got shorter is believed once the file has been quiet for so long. */
export const quietMs = 100;
const patienceMs = 2000;
const pollMs = 20;

export class SessionStream {
  readonly settings: StreamSettings;
  reader: SessionReader | undefined;
  /** Counts the histories that were seen. */
  epoch = 0;
  /** The reader went on from a snapshot or in steps: before mending, the file is read from the start once. */
  stepwise = false;
  #tailBytes: Buffer = Buffer.alloc(0);
  #print = 0;
  #count = 0;

  constructor(settings: StreamSettings) {
    this.settings = settings;
  }

  end(): StreamEnd {
    const ledger = this.reader?.ledger;
    if (ledger === undefined) return { epoch: this.epoch, version: 0, hash: genesisHash(""), turn: 0 };
    return { epoch: this.epoch, version: ledger.version, hash: ledger.hash, turn: ledger.turn };
  }

  /** Tells `sink` what is new. A file that is missing, or being rewritten, adds nothing for now. */
  async advance(sink: EventSink): Promise<StreamEnd> {
    if (this.reader === undefined) await this.#begin(sink);
    else if (!this.#isSame(this.reader)) await this.#startOver(this.reader, sink);
    else await this.#goOn(this.reader, sink);
    return this.end();
  }

  /** Reads the file from the start, in doubt of what was read in steps. */
  async readAgain(sink: EventSink): Promise<void> {
    const fresh = await this.#readWhole();
    if (fresh === undefined) return;
    this.#adopt(fresh, sink, this.#extends(fresh));
  }

  close(): void {
    this.reader?.bytes.close();
    this.reader = undefined;
  }

  async #begin(sink: EventSink): Promise<void> {
    const fresh = await this.#readWhole();
    if (fresh === undefined) return;
    this.#adopt(fresh, sink, true);
  }

  #isSame(reader: SessionReader): boolean {
    return (
      reader.bytes.isCurrent() &&
      reader.bytes.size() >= reader.offset &&
      reader.bytes.tailBefore(reader.offset).equals(this.#tailBytes)
    );
  }

  async #goOn(reader: SessionReader, sink: EventSink): Promise<void> {
    if (reader.bytes.size() === reader.seen) return;
    const told = new Collector();
    const findings = await reader.read(told);
    if (findings.some((finding) => finding.doubtful)) {
      const fresh = await this.#readWhole();
      if (fresh !== undefined) return this.#adopt(fresh, sink, this.#extends(fresh));
    }
    this.stepwise = true;
    this.#check(findings);
    this.#noteTail(reader);
    told.replay(this.#watched(sink));
  }

  /** Waits while the file is missing, without a header or shorter than what was known and still changing. */
  async #startOver(reader: SessionReader, sink: EventSink): Promise<void> {
    const known = reader.ledger.version;
    let quietSince = Date.now();
    let size = -1;
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; ) {
      const fresh = await this.#readWhole();
      const sizeNow = fresh?.reader.bytes.size() ?? -1;
      if (sizeNow !== size) {
        size = sizeNow;
        quietSince = Date.now();
      }
      const quiet = Date.now() - quietSince >= quietMs;
      if (fresh !== undefined && (quiet || fresh.reader.ledger.version >= known))
        return this.#adopt(fresh, sink, false);
      fresh?.reader.bytes.close();
      if (fresh === undefined && quiet) return;
      await sleep(pollMs);
    }
  }

  async #readWhole(): Promise<Whole | undefined> {
    const opened = this.#opened();
    if (opened === undefined) return undefined;
    try {
      const whole = await readPolicy(opened.bytes, opened.header, this.settings);
      this.#check(whole.findings);
      return whole;
    } catch (error) {
      opened.bytes.close();
      throw error;
    }
  }

  /** What is no session (any more) while a rewrite may be under way is taken for missing. */
  #opened(): OpenedSession | undefined {
    if (this.reader === undefined) return openSession(this.settings.file);
    try {
      return openSession(this.settings.file);
    } catch (error) {
      if (error instanceof NotASessionError) return undefined;
      throw error;
    }
  }

  /** `onwards`: what was told is the beginning of this, so only the rest is told. */
  #adopt(whole: Whole, sink: EventSink, onwards: boolean): void {
    const first = this.reader === undefined;
    this.reader?.bytes.close();
    this.reader = whole.reader;
    this.stepwise = false;
    this.#noteTail(whole.reader);
    if (onwards) {
      const from = first ? 0 : this.#count;
      const watched = this.#watched(sink);
      for (const recorded of whole.told.events.slice(from)) watched.event(recorded);
      return;
    }
    this.epoch += 1;
    this.#print = 0;
    this.#count = 0;
    sink.reset("rewritten");
    whole.told.replay(this.#watched(sink));
  }

  #extends(whole: Whole): boolean {
    return whole.told.events.length >= this.#count && printOf(whole.told.events.slice(0, this.#count)) === this.#print;
  }

  #watched(sink: EventSink): EventSink {
    return {
      reset: (reason) => {
        this.epoch += 1;
        this.#print = 0;
        this.#count = 0;
        sink.reset(reason);
      },
      event: (recorded) => {
        this.#print = mixed(this.#print, recorded);
        this.#count += 1;
        sink.event(recorded);
      },
    };
  }

  #noteTail(reader: SessionReader): void {
    this.#tailBytes = reader.bytes.tailBefore(reader.offset);
  }

  #check(findings: readonly ReadFinding[]): void {
    if (!this.settings.strict) return;
    const damage = findings.find(({ kind }) => kind === "gap" || kind === "hash" || kind === "damaged");
    if (damage === undefined) return;
    const { file } = this.settings;
    throw new CorruptEntryError(
      `${file}, byte ${damage.offset}: ${damage.detail}: run \`session-journal verify\` on it, or open it without strict`,
      { file, byte: damage.offset },
    );
  }
}

interface Whole {
  readonly reader: SessionReader;
  readonly told: Collector;
  readonly findings: readonly ReadFinding[];
}

/** Keeps what is told until it is known to hold. */
class Collector implements EventSink {
  events: RecordedEvent[] = [];
  #reset: "rewritten" | "branch" | undefined;

  reset(reason: "rewritten" | "branch"): void {
    this.#reset = reason;
    this.events = [];
  }

  event(recorded: RecordedEvent): void {
    this.events.push(recorded);
  }

  replay(sink: EventSink): void {
    if (this.#reset !== undefined) sink.reset(this.#reset);
    for (const recorded of this.events) sink.event(recorded);
  }
}

/** Without a policy asked for, the file is read under `file` first, and again if its newest commit says `branch`. */
async function readPolicy(bytes: SessionBytes, header: Header, settings: StreamSettings): Promise<Whole> {
  const whole = await readUnder(bytes, header, { ...settings, fold: settings.fold ?? "file" });
  if (settings.fold !== undefined || whole.reader.ledger.policy === "file") return whole;
  return readUnder(bytes, header, { ...settings, fold: "branch" });
}

async function readUnder(bytes: SessionBytes, header: Header, settings: ReaderSettings): Promise<Whole> {
  const reader = new SessionReader(bytes, header, settings);
  const told = new Collector();
  const findings = await reader.read(told);
  return { reader, told, findings };
}

function printOf(events: readonly RecordedEvent[]): number {
  return events.reduce(mixed, 0);
}

/** FNV-1a: tells two histories of the same length apart. */
function mixed(seed: number, recorded: RecordedEvent): number {
  const { version, event, commit, entryId, at } = recorded;
  const text = `${version} ${event.type} ${commit ?? entryId ?? at}`;
  let hash = seed ^ 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
