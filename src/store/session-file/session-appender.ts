/**
 * Append, then verify: what the stream asks for is written in one piece, synced, and read back, and the stream says what
 * comes next. A live host appends commits itself; whatever else is written to its file is written as by any outsider.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { StorageError } from "../../errors.ts";
import type { CommitData } from "../../event/commit.ts";
import { commitLine } from "../../line/encode.ts";
import type { MirroredValues } from "../../line/format.ts";
import type { Cursor, LogPage, Step } from "../../stream/log.ts";
import { Appender, type Durability, lostIn, noteKept, noteLost } from "./appender.ts";
import { type LineSettings, linesOf, type NewLine, repairLines, staleKeys } from "./mirror-repair.ts";
import { joined, type SessionFollower } from "./session-follower.ts";
import { newestHostEntry } from "./session-lines.ts";
import type { SessionReader, WrittenLines } from "./session-reader.ts";

export interface AppenderSettings extends LineSettings {
  readonly file: string;
  readonly durability: Durability;
  readonly host?: LiveHost | undefined;
}

/** A host that is running in this process and appends to the session itself. */
export interface LiveHost {
  /** Has the host append a commit. */
  append(data: CommitData): Promise<void>;
  /** Where it stands; undefined where it does not say. */
  leafId(): string | null | undefined;
  /** False: its file is not there yet, or lacks lines that the host has. Then nothing may be written to it. */
  hasWritten(): boolean;
}

/** A last line without its line feed may be in flight: it counts as torn after so long without a change. */
// @guard line-in-flight
const flightMs = 20;
/** Against an endless quarrel with a runtime that keeps writing other values. */
const repairsMax = 32;

export class SessionAppender {
  readonly #settings: AppenderSettings;
  readonly #follower: SessionFollower;
  readonly #appender: Appender;
  /** Behind what the stream was told. */
  #cursor: Cursor;
  /** What was appended last, as long as it has not been read back. */
  #written: WrittenLines | undefined;
  /** In this run something was appended, what was read is durable, and so often values were repaired. */
  #isWritten = false;
  #isSynced = false;
  #repairs = 0;
  /** By the commit that was appended last. */
  #changed: Partial<MirroredValues> = {};
  /** What the next line must start with: a line feed, where the last line was torn. */
  #start = "";

  constructor(follower: SessionFollower, settings: AppenderSettings) {
    this.#follower = follower;
    this.#settings = settings;
    this.#appender = new Appender(settings.file, settings.durability);
  }

  /** `page`: what is new to the stream. To be called with the lock held, or without any. */
  async run(page: LogPage, next: (page: LogPage) => Step): Promise<void> {
    this.#cursor = page.cursor;
    this.#isSynced = false;
    this.#isWritten = false;
    this.#repairs = 0;
    // @guard append-again
    let news = joined(page, await this.#writeLostAgain());
    while (await this.#answer(next(news))) news = await this.#readBack();
  }

  close(): void {
    this.#appender.close();
  }

  /** False: nothing more is to be asked. */
  async #answer(step: Step): Promise<boolean> {
    switch (step.type) {
      case "leave":
        return false;
      case "append": {
        // What is decided is decided again once it is known how the last line ends.
        if (this.#isTailOpen()) await this.#settleTail();
        // @guard snapshot-alone
        else if (this.#rests(step)) return false;
        else await this.#append(step);
        return true;
      }
      case "settle": {
        if (step.endsTail && (await this.#endTail())) return true;
        const isHere = this.#isSynced || (await this.#syncAll());
        this.#isSynced = true;
        if (isHere && (this.#repairs === repairsMax || !this.#repair(step))) return false;
        this.#repairs += 1;
        return true;
      }
    }
  }

  async #append(step: Extract<Step, { type: "append" }>): Promise<void> {
    const { host } = this.#settings;
    this.#changed = step.changed ?? {};
    const commits = step.records.flatMap((record) => (record.kind === "commit" ? record.data : []));
    // Where the path leads to another file by now, nothing is written, as reading back will show.
    if (host === undefined) {
      const isWritten = this.#write(linesOf(step, this.#parent().parentId, this.#settings));
      this.#isWritten ||= isWritten;
    } else {
      this.#isWritten = true;
      if (this.#start !== "" && host.hasWritten()) this.#write([]);
      for (const data of commits) await host.append(data);
    }
    const key = this.#key();
    try {
      const syncing = host === undefined ? this.#appender.sync() : this.#syncAll();
      if (syncing !== undefined) await syncing;
    } catch (error) {
      noteLost(key, commits);
      throw error;
    }
    this.#isSynced = true;
  }

  /** True: mirrors of values that rest on a checkpoint alone are not written. */
  #rests({ changed = {}, unsure }: Extract<Step, { type: "append" }>): boolean {
    if (unsure === undefined || this.#settings.mirror === false || Object.keys(changed).length === 0) return false;
    unsure();
    return true;
  }

  /** False: nothing was missing, or may be written. */
  #repair(step: Extract<Step, { type: "settle" }>): boolean {
    if (this.#settings.host?.hasWritten() === false) return false;
    // The newest change first.
    const isOld = ([, , space]: readonly [unknown, unknown, keyof MirroredValues]) => (space in this.#changed ? 0 : 1);
    const stale = staleKeys(this.#reader().last, step.values, this.#settings).sort((a, b) => isOld(a) - isOld(b));
    if (stale.length > 0 && step.unsure !== undefined) {
      step.unsure();
      return false;
    }
    const { parentId, isOnPath } = this.#parent();
    if (stale.length === 0 && isOnPath) return false;
    if (this.#isTailOpen()) this.#start = "\n";
    this.#write(repairLines(stale, step, parentId, this.#settings));
    return true;
  }

  #write(lines: readonly NewLine[]): boolean {
    const bytes = Buffer.from(this.#start + lines.map(({ text }) => text).join(""));
    const sizes = lines.map(({ text }) => Buffer.byteLength(text));
    const countsFrom = this.#start.length + (sizes[0] ?? 0) - 1;
    const isWritten = this.#appender.append(bytes, this.#reader().bytes.identity, countsFrom);
    const known = lines.flatMap(({ line }) => line ?? []);
    const isKnown = isWritten && this.#start === "" && known.length === lines.length;
    this.#written = isKnown ? { bytes, lines: known, sizes } : undefined;
    this.#start = "";
    return isWritten;
  }

  async #readBack(): Promise<LogPage> {
    const written = this.#settings.host === undefined ? this.#written : undefined;
    this.#written = undefined;
    try {
      const page = (written && this.#follower.takeBack(written)) ?? (await this.#follower.readAll(this.#cursor));
      this.#cursor = page.cursor;
      return page;
    } catch (error) {
      // What was appended is there by now, whatever goes wrong in reading it.
      if (!this.#isWritten) throw error;
      const { file } = this.#settings;
      const message = error instanceof Error ? error.message : String(error);
      const doubt = `${message} (the commit before it may be in the file)`;
      throw new StorageError(doubt, "unknown", { file }, error);
    }
  }

  /** This is called after a failed sync. */
  async #writeLostAgain(): Promise<LogPage> {
    let news: LogPage = { entries: [], cursor: this.#cursor };
    const key = this.#key();
    const lost = lostIn(key);
    if (lost === undefined) return news;
    for (const data of lost) {
      if (this.#isTailOpen()) {
        await this.#settleTail();
        news = joined(news, await this.#readBack());
      }
      // Another file by now, or another session: what was lost was lost elsewhere.
      if (this.#key() !== key) return news;
      const { text } = commitLine(data, this.#parent().parentId, this.#settings.context());
      const isWritten = this.#write([{ text }]);
      this.#isWritten = isWritten;
      news = joined(news, await this.#readBack());
      if (!isWritten) return news;
    }
    await this.#appender.sync();
    noteKept(key, lost);
    return news;
  }

  /** What others wrote, too. False: the path leads to another file by now. */
  async #syncAll(): Promise<boolean> {
    if (this.#settings.host?.hasWritten() === false) return true;
    return this.#appender.syncAll(this.#reader().bytes.identity);
  }

  /** The last line that was seen has not ended. */
  #isTailOpen(): boolean {
    const { seen, offset } = this.#reader();
    return seen !== offset && this.#start === "";
  }

  /** False: nothing is open, or somebody writes there. */
  async #endTail(): Promise<boolean> {
    if (!this.#isTailOpen()) return false;
    await this.#settleTail();
    return this.#start !== "" && this.#write([]);
  }

  async #settleTail(): Promise<void> {
    const reader = this.#reader();
    const { seen } = reader;
    await sleep(flightMs);
    const isSame = reader.bytes.currentSize() === seen;
    // @guard newline-repair
    if (isSame) this.#start = "\n";
  }

  #parent(): { readonly parentId: string | null; readonly isOnPath: boolean } {
    const { parents, bytes } = this.#reader();
    const leafId = this.#settings.host?.leafId();
    if (leafId !== undefined) return parents.parentUnder(leafId);
    return parents.parent((before) => newestHostEntry(bytes, before, this.#settings.names));
  }

  #reader(): SessionReader {
    const { reader } = this.#follower;
    if (reader !== undefined) return reader;
    const { file } = this.#settings;
    const advice = { option: "create", said: ", or open it with create: true" } as const;
    throw new StorageError(`${file} is gone: put it back${advice.said}`, "not-written", { file }, undefined, advice);
  }

  #key(): string {
    const { bytes, header } = this.#reader();
    const { dev, ino } = bytes.identity;
    return `${dev}:${ino} ${this.#settings.names.namespace} ${header.id}`;
  }
}
