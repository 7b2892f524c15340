/**
 * Keeps the checkpoint of a stream: a cache of everything that resuming needs, so that opening a session takes the reading
 * of what was appended since. A new one is taken when that has come to outweigh it.
 *
 * Without a checkpoint the whole log is read, forward. Reading it backwards would not do: whether a commit counts depends
 * on every id, command and version before it, so a reader that stopped at the newest commit that looks right could count
 * one that all others refuse. See `bench/resume.mjs`.
 */
import { setImmediate as turn } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import { because } from "../diagnostics.ts";
import { fellBehind, StorageError } from "../errors.ts";
import type { Version } from "../event/event.ts";
import type { SealKey } from "../line/chain.ts";
import {
  checkpointNow,
  type PrintedCheckpoint,
  parseCheckpoint,
  printCheckpoint,
  type StreamImage,
} from "./checkpoint.ts";
import type { EventSink, StreamEnd } from "./delivery.ts";
import type { EventStream } from "./event-stream.ts";
import type { CheckpointPlace, Log } from "./log.ts";

/** So much is read in less time than a checkpoint is worth. */
const worthBytesMin = 256 * 1024;

/** A log of records holds the text, what it says and the records at once. A process dies if its heap is full, and not over a cache. */
export function checkpointUnitsMax(): number {
  return Math.floor(getHeapStatistics().heap_size_limit / 16);
}

/** This is the newest checkpoint that a handle knows of, in the history of `generation`. */
interface Kept {
  readonly generation: number;
  /** So much had been read for it. */
  readonly at: number;
  readonly size: number;
}

export class CheckpointKeeper {
  readonly #stream: EventStream;
  readonly #log: Log;
  readonly #place: CheckpointPlace;
  readonly #seal: SealKey | undefined;
  #kept: Kept = { generation: 0, at: 0, size: 0 };
  /** This is the mark of that checkpoint. */
  #mark = "";
  #writing: Promise<void> | undefined;

  constructor(stream: EventStream, log: Log, place: CheckpointPlace, seal: SealKey | undefined) {
    this.#stream = stream;
    this.#log = log;
    this.#place = place;
    this.#seal = seal;
  }

  /** The result is undefined if there is no checkpoint to go on from. */
  async load(): Promise<StreamImage | undefined> {
    const text = await this.#place.load();
    await this.#mind(text ?? "");
    if (text === undefined) return undefined;
    if (!this.#fits(text.length)) return this.#ignored("it takes too much of the memory that this process may use");
    const image = parseCheckpoint(text, this.#seal);
    if (image === undefined) return this.#ignored("it is damaged, or of another version or key");
    const resumed = await this.#resumed(image);
    if (resumed === undefined) return this.#ignored("it is of another session, or of other entries");
    this.#kept = { generation: 0, at: 0, size: text.length };
    return resumed;
  }

  /** The checkpoint need not know whose the log is. The result is undefined if it belongs to nothing that is there. */
  async #resumed(image: StreamImage): Promise<StreamImage | undefined> {
    const session = await this.#log.session();
    if (session.id !== image.session.id) return undefined;
    const { head, turn } = image.reading.ledger;
    const place = this.#place;
    if (place.resumed === undefined) return { ...image, session };
    const cursor = place.resumed(image.cursor, { ...head, turn });
    return cursor === undefined ? undefined : { ...image, session, cursor };
  }

  #ignored(why: string): undefined {
    because("the snapshot %s is ignored: %s", this.#place.where, why);
  }

  /** What the checkpoint says, whether or not the log bears it out. */
  async saved(): Promise<StreamImage | undefined> {
    const text = await this.#place.load();
    return text === undefined || !this.#fits(text.length) ? undefined : parseCheckpoint(text, this.#seal);
  }

  /** Throws StorageError where a checkpoint tells of more than can be read, because it was dropped unread. */
  async requireReached(sink: EventSink): Promise<void> {
    const saved = await this.#savedVersion();
    if (saved > this.#stream.end.version) await this.#stream.advance(sink);
    if (saved > this.#stream.end.version) throw fellBehind(this.#log.where);
  }

  async #savedVersion(): Promise<Version> {
    return (await this.saved())?.reading.ledger.head.version ?? 0;
  }

  /**
   * Takes a checkpoint where one is due, and no other writer has just done so: syncing them keeps the disk from the
   * commits. What prevents it is no concern of a caller who did not ask for one.
   */
  keep(): void {
    if (this.#writing !== undefined || !this.#isDue()) return;
    this.#writing = this.#write()
      .catch((error: unknown) => because("no snapshot %s is kept: %s", this.#place.where, String(error)))
      .finally(() => {
        this.#writing = undefined;
      });
  }

  /** Resolves when no checkpoint is being written. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  /**
   * Takes one of the stream at `end`. The result is false where the stream is elsewhere, or is none to go on from, or another writer is
   * keeping one. Where old records are dropped, a later one stays, which may alone have what was dropped.
   */
  async save({ generation, version, hash }: StreamEnd): Promise<boolean> {
    await this.idle();
    const now = this.#stream.end;
    if (generation !== now.generation || version !== now.version || hash !== now.hash) return false;
    if (this.#stream.session?.drops === true && (await this.#savedVersion()) > version) return true;
    const checkpoint = this.#now();
    if (checkpoint === undefined) return false;
    const at = this.#stream.bytes;
    const printed = await this.#printed(checkpoint);
    if (!(await this.#put(printed))) return false;
    this.#kept = { generation, at, size: printed.units };
    return true;
  }

  /** The checkpoint is written while other calls go on. One that is larger than what it saves reading is not written. */
  async #write(): Promise<void> {
    const known = this.#mark;
    await this.#mind();
    if (!this.#isDue()) return;
    const { generation, bytes: at } = this.#stream;
    if (this.#mark !== known) {
      this.#kept = { ...this.#kept, at };
      return;
    }
    const checkpoint = this.#now();
    if (checkpoint === undefined) return;
    const printed = await this.#printed(checkpoint);
    const size = printed.units;
    const isWorth = size <= at - this.#kept.at;
    // What fails is tried again when as much has been appended once more.
    this.#kept = isWorth ? { generation, at, size } : { ...this.#kept, size };
    if (isWorth) await this.#put(printed, known);
  }

  /** Printing has its own turn of the event loop, and the caller gets the next: with a long history, each takes its time. */
  async #printed(checkpoint: object): Promise<PrintedCheckpoint> {
    await turn();
    const printed = printCheckpoint(checkpoint, this.#seal);
    await turn();
    return printed;
  }

  async #put({ units, pieces }: PrintedCheckpoint, over?: string): Promise<boolean> {
    if (this.#place.savePieces !== undefined) {
      const isKept = await this.#place.savePieces(pieces());
      await this.#mind();
      return isKept;
    }
    if (!this.#fits(units)) throw tooLong(this.#place.where, units);
    const text = [...pieces()].join("");
    await this.#place.save(text, over);
    await this.#mind(text);
    return true;
  }

  async #mind(text?: string): Promise<void> {
    this.#mark = (await this.#place.mark?.(text)) ?? "";
  }

  /** A place that takes pieces looks at what it reads itself. */
  #fits(units: number): boolean {
    return this.#place.savePieces !== undefined || units <= checkpointUnitsMax();
  }

  #isDue(): boolean {
    const { generation, bytes } = this.#stream;
    if (this.#kept.generation !== generation) this.#kept = { generation, at: 0, size: 0 };
    return bytes - this.#kept.at > Math.max(this.#kept.size, worthBytesMin);
  }

  #now(): object | undefined {
    const image = this.#stream.image();
    return image && checkpointNow(image);
  }
}

function tooLong(where: string, units: number): StorageError {
  const message = `the snapshot ${where} would have ${units} characters, more than fit into this process: give it a larger heap (node --max-old-space-size); the journal works without`;
  return new StorageError(message, "not-written");
}
