/**
 * Append, then verify. A writer reads what is new, decides, appends one commit in one write, syncs, and reads back:
 * only a commit that every reader accepts is acknowledged. Else it decides again on what the others did.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { CorruptEntryError, FoldPolicyError, ReadonlyError, StorageError } from "../../errors.ts";
import type { CommitData, Draft, FoldPolicy } from "../../event/commit.ts";
import { parseEvent } from "../../event/parse.ts";
import type { SealKey } from "../../line/chain.ts";
import {
  commitDataOf,
  commitLine,
  type EncodeContext,
  type EncodedLine,
  linkCommit,
  markLine,
  mirrorLine,
} from "../../line/encode.ts";
import { commitLineBytesMax, type LineNames, type MirroredValues } from "../../line/format.ts";
import { type MirrorMode, mirroredKeys, showsValue } from "../../line/legacy.ts";
import { evolve } from "../../state/evolve.ts";
import type { EventSink, StreamEnd } from "../store.ts";
import { Appender, type Durability } from "./appender.ts";
import { newestHostEntry } from "./host-entry.ts";
import type { SessionReader } from "./session-reader.ts";
import { quietMs, type SessionStream } from "./session-stream.ts";

export interface WriterSettings {
  readonly file: string;
  readonly names: LineNames;
  readonly seal?: SealKey | undefined;
  readonly mirror: MirrorMode;
  readonly durability: Durability;
  /** Now, as an ISO time. */
  readonly now: () => string;
  /** 15 random hex digits. */
  readonly salt: () => string;
}

/** A last line without its line feed may be in flight: it counts as torn after so long without a change. */
const flightMs = 20;

/** Against an endless quarrel with a runtime that keeps writing other values. */
const mendsMax = 32;

export class SessionWriter {
  readonly #stream: SessionStream;
  readonly #settings: WriterSettings;
  readonly #appender: Appender;
  /** Commits that were acknowledged by this handle, to be put back where a host's rewrite took them away. */
  readonly #acknowledged = new Map<string, CommitData>();
  /** Written since the last good sync. */
  #unsynced: CommitData[] = [];
  #checkedEpoch = 0;

  constructor(stream: SessionStream, settings: WriterSettings) {
    this.#stream = stream;
    this.#settings = settings;
    this.#appender = new Appender(settings.file, settings.durability);
  }

  /** To be called with the lock held, or without any. */
  async commit(sink: EventSink, decide: (end: StreamEnd) => Draft | undefined): Promise<StreamEnd> {
    for (;;) {
      await this.#stream.advance(sink);
      await this.#followPolicy(sink);
      await this.putBack(sink);
      await this.#writeAgain(sink);
      const heal = await this.#settleTail(sink);
      const draft = decide(this.#stream.end());
      if (draft === undefined) return this.#stream.end();
      const reader = this.#reader();
      if (draft.events.length === 0) {
        await this.#appender.syncAll(reader.bytes.identity);
        await this.#mend(sink, heal);
        return this.#stream.end();
      }
      this.#requireWritable(reader);
      const data = commitDataOf(draft, reader.ledger.head, this.#fold(), this.#settings.seal);
      if (await this.#appendCommit(data, reader, heal, sink)) {
        await this.#mend(sink, "");
        return this.#stream.end();
      }
    }
  }

  /** Acknowledged commits that the file no longer shows are appended again, in the old order. */
  async putBack(sink: EventSink): Promise<void> {
    if (this.#checkedEpoch === this.#stream.epoch) return;
    if (this.#missing().length > 0) {
      await this.#quiet();
      await this.#stream.readAgain(sink);
      await this.#appendMissing(sink);
    }
    this.#checkedEpoch = this.#stream.epoch;
  }

  async #appendMissing(sink: EventSink): Promise<void> {
    for (const data of this.#missing()) {
      const reader = this.#reader();
      const events = data.events.filter(
        ({ command }) => typeof command !== "string" || !reader.ledger.hasCommand(command),
      );
      if (events.length === 0) {
        this.#acknowledged.delete(data.id);
        continue;
      }
      const heal = await this.#settleTail(sink);
      const again = linkCommit({ ...data, events }, this.#reader().ledger.head, this.#fold(), this.#settings.seal);
      await this.#appendCommit(again, this.#reader(), heal, sink);
    }
    await this.#mend(sink, "");
  }

  /** Something that this handle acknowledged may be missing from the file. */
  get mustPutBack(): boolean {
    return this.#checkedEpoch !== this.#stream.epoch && this.#missing().length > 0;
  }

  close(): void {
    this.#appender.close();
  }

  #missing(): CommitData[] {
    const ledger = this.#stream.reader?.ledger;
    if (ledger === undefined) return [];
    return [...this.#acknowledged.values()].filter(({ id }) => !ledger.hasCommit(id));
  }

  #reader(): SessionReader {
    const { reader } = this.#stream;
    if (reader === undefined) {
      const { file } = this.#settings;
      throw new StorageError(`${file} is gone: put it back, or open it with create: true`, "not-written", { file });
    }
    return reader;
  }

  #fold(): FoldPolicy {
    return this.#reader().fold;
  }

  /** A handle that was not told a policy goes by the journal's own, also when that was chosen after it was opened. */
  async #followPolicy(sink: EventSink): Promise<void> {
    const { ledger, fold } = this.#reader();
    if (this.#stream.settings.fold === undefined && ledger.lastCommit !== "" && ledger.policy !== fold) {
      await this.#stream.readAgain(sink);
    }
  }

  #requireWritable(reader: SessionReader): void {
    const { file } = this.#settings;
    const { policy, version, sealed, lastCommit } = reader.ledger;
    if (sealed) throw new ReadonlyError(`${file} is sealed: pass its key as option seal to write`, { file });
    if (lastCommit !== "" && policy !== this.#fold()) {
      throw new FoldPolicyError(
        `${file} at version ${version} is folded by "${policy}", this handle by "${this.#fold()}": open it with fold: "${policy}"`,
        { file },
      );
    }
  }

  /** True: written, synced, read back and accepted. */
  async #appendCommit(data: CommitData, reader: SessionReader, heal: string, sink: EventSink): Promise<boolean> {
    const context = this.#encodeContext();
    const { parentId } = this.#parent(reader);
    const commit = commitLine(data, parentId, context);
    const size = Buffer.byteLength(commit.text);
    if (size > commitLineBytesMax) {
      throw new StorageError(
        `the commit is ${size} bytes, more than the ${commitLineBytesMax} of a line: send smaller actions, or fewer at once`,
        "not-written",
        { file: this.#settings.file },
      );
    }
    const mirrors = this.#mirrorsOf(data, reader, commit.id, context);
    const text = heal + commit.text + textOf(mirrors);
    this.#appender.append(text, reader.bytes.identity, Buffer.byteLength(heal) + size - 1);
    this.#unsynced.push(data);
    await this.#sync(reader);
    await this.#readBack(sink);
    const accepted = this.#stream.reader?.ledger.hasCommit(data.id) === true;
    if (accepted) this.#acknowledged.set(data.id, data);
    return accepted;
  }

  async #sync(reader: SessionReader): Promise<void> {
    try {
      await this.#appender.sync();
    } catch (error) {
      const lost = poisoned.get(fileKey(reader)) ?? [];
      poisoned.set(fileKey(reader), [...lost, ...this.#unsynced]);
      throw error;
    } finally {
      this.#unsynced = [];
    }
  }

  /** After a failed sync: the same commits once more, so that their bytes are new to the kernel. */
  async #writeAgain(sink: EventSink): Promise<void> {
    const lost = poisoned.get(fileKey(this.#reader()));
    if (lost === undefined) return;
    const heal = await this.#settleTail(sink);
    const reader = this.#reader();
    const context = this.#encodeContext();
    const lines = chained(
      this.#parent(reader).parentId,
      lost.map((data) => (parent) => commitLine(data, parent, context)),
    );
    const text = heal + textOf(lines);
    this.#appender.append(text, reader.bytes.identity, Buffer.byteLength(text));
    await this.#appender.sync();
    poisoned.delete(fileKey(reader));
    await this.#readBack(sink);
  }

  /** What is in the file by now is there, whatever goes wrong in reading it. */
  async #readBack(sink: EventSink): Promise<void> {
    try {
      await this.#stream.advance(sink);
    } catch (error) {
      throw uncertain(error, this.#settings.file);
    }
  }

  /** What the next line must start with: a line feed, where the last line was torn. */
  async #settleTail(sink: EventSink): Promise<string> {
    for (;;) {
      const reader = this.#reader();
      const { seen } = reader;
      if (seen === reader.offset) return "";
      await sleep(flightMs);
      await this.#stream.advance(sink);
      if (this.#stream.reader === reader && reader.seen === seen) return "\n";
    }
  }

  /** Makes older runtimes read what we read, and the last entry one whose path the host's newest entry is on. */
  async #mend(sink: EventSink, heal: string): Promise<void> {
    try {
      await this.#mendInRounds(sink, heal);
    } catch (error) {
      throw uncertain(error, this.#settings.file);
    }
  }

  async #mendInRounds(sink: EventSink, heal: string): Promise<void> {
    let start = heal;
    for (let round = 0; round < mendsMax; round++) {
      let reader = this.#reader();
      const stale = this.#staleKeys(reader);
      if (stale.length > 0 && this.#stream.stepwise) {
        await this.#stream.readAgain(sink);
        reader = this.#reader();
        if (this.#staleKeys(reader).length === 0) continue;
      }
      const { parentId, sound } = this.#parent(reader);
      if (stale.length === 0 && sound) return;
      const context = this.#encodeContext();
      const mirror = reader.ledger.lastCommit;
      const lines =
        stale.length === 0
          ? [markLine(mirror, parentId, context)]
          : chained(
              parentId,
              stale.map(
                ([, customType, space]) =>
                  (parent) =>
                    mirrorLine(customType, reader.state[space], mirror, parent, context),
              ),
            );
      const text = start + textOf(lines);
      this.#appender.append(text, reader.bytes.identity, Buffer.byteLength(text));
      start = "";
      await this.#stream.advance(sink);
    }
  }

  #staleKeys(reader: SessionReader): ReturnType<typeof mirroredKeys> {
    const keys = mirroredKeys(this.#settings.mirror, this.#settings.names);
    return keys.filter(([key, , space]) => !showsValue(reader.last, key, reader.state[space]));
  }

  #mirrorsOf(data: CommitData, reader: SessionReader, parentId: string, context: EncodeContext): EncodedLine[] {
    const before = reader.state;
    const after = valuesAfter(data, reader);
    const changed = mirroredKeys(this.#settings.mirror, this.#settings.names).filter(
      ([, , space]) => before[space] !== after[space],
    );
    return chained(
      parentId,
      changed.map(
        ([, customType, space]) =>
          (parent) =>
            mirrorLine(customType, after[space], data.id, parent, context),
      ),
    );
  }

  #parent(reader: SessionReader): { readonly parentId: string | null; readonly sound: boolean } {
    return reader.tail.parent((before) => newestHostEntry(reader.bytes, before, this.#settings.names));
  }

  #encodeContext(): EncodeContext {
    const { names, now, salt } = this.#settings;
    return { names, timestamp: now(), salt };
  }

  /** Waits until nobody has written for a while. */
  async #quiet(): Promise<void> {
    for (let size = -1; ; ) {
      const now = this.#stream.reader?.bytes.size() ?? 0;
      if (now === size) return;
      size = now;
      await sleep(quietMs);
    }
  }
}

/** Commits that a failed sync may have lost, by file: for every handle of this process. */
const poisoned = new Map<string, readonly CommitData[]>();

function fileKey(reader: SessionReader): string {
  const { dev, ino } = reader.bytes.identity;
  return `${dev}:${ino}`;
}

function uncertain(error: unknown, file: string): Error {
  if (error instanceof CorruptEntryError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StorageError(`${message} (the commit before it may be in the file)`, "unknown", { file }, error);
}

function textOf(lines: readonly EncodedLine[]): string {
  return lines.map((line) => line.text).join("");
}

function valuesAfter(data: CommitData, reader: SessionReader): MirroredValues {
  let { state } = reader;
  for (const written of data.events) state = evolve(state, reader.ledger.settled(parseEvent(data.v, written)));
  return state;
}

function chained(
  parentId: string | null,
  makers: readonly ((parentId: string | null) => EncodedLine)[],
): EncodedLine[] {
  let parent = parentId;
  return makers.map((make) => {
    const line = make(parent);
    parent = line.id;
    return line;
  });
}
