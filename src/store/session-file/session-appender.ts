/**
 * Append, then verify: what the stream asks for is written in one piece, synced, and read back, and the stream says what
 * comes next. A live host appends commits itself; whatever else is written to its file is written as by any outsider.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { inDoubt } from "../../errors.ts";
import { isoTime } from "../../event/iso-time.ts";
import type { MirroredValues } from "../../line/format.ts";
import { saltsFrom } from "../../line/salts.ts";
import type { Cursor, LogPage, Step } from "../../stream/log.ts";
import { Appender, type Durability, isAnyLost, lostIn, noteKept, noteLost } from "./appender.ts";
import { OtherWriters, takeLock } from "./lock.ts";
import {
  commitsIn,
  type LineSettings,
  type LiveHost,
  type NewLine,
  printedLines,
  recordLines,
  repairLines,
  staleKeys,
} from "./mirror-repair.ts";
import { joined, type SessionFollower } from "./session-follower.ts";
import { newestHostEntry } from "./session-lines.ts";
import type { SessionReader, WrittenLines } from "./session-reader.ts";

export interface AppenderSettings extends Omit<LineSettings, "context"> {
  readonly file: string;
  readonly durability: Durability;
  readonly host?: LiveHost | undefined;
  readonly clock: () => Date | number;
}

/** A last line without its line feed may be in flight: it counts as torn after so long without a change. */
// @guard line-in-flight
const flightMs = 20;
/** The bound ends a quarrel with a runtime that keeps writing other values. */
const repairsMax = 32;
const looksMax = 16;

export class SessionAppender {
  /** Few hexadecimal digits leave an entry id random, and tell writers apart. They need no cryptography, which loads slowly. */
  readonly others = new OtherWriters((1 + Math.random()).toString(16).slice(2, 5));
  readonly takeLock = takeLock;
  readonly #settings: AppenderSettings & LineSettings;
  readonly #follower: SessionFollower;
  readonly #appender: Appender;
  /** What was appended last, as long as it has not been read back. */
  #written: WrittenLines | undefined;
  /** In this run something was appended, what was read is durable, and so often values were repaired. */
  #isWritten = false;
  #isSynced = false;
  #repairs = 0;
  /** So often it was looked whether others were faster. */
  #looks = 0;
  /** By the commit that was appended last. */
  #changed: Partial<MirroredValues> = {};
  /** What the next line must start with: a line feed, where the last line was torn. */
  #start = "";
  #letOthers: (() => void) | undefined;

  constructor(follower: SessionFollower, settings: AppenderSettings) {
    this.#follower = follower;
    const { names, clock } = settings;
    const salt = saltsFrom(this.others.mark, randomBytes);
    this.#settings = { ...settings, context: () => ({ names, timestamp: isoTime(clock()), salt }) };
    this.#appender = new Appender(settings.file, settings.durability);
  }

  /** `page` is new to the stream, and its caller holds the lock or works without. The result is undefined if all is done. Once `written` is called, others may write. */
  run(page: LogPage, next: (page: LogPage) => Step, written?: () => void): Promise<void> | undefined {
    this.#isSynced = false;
    this.#isWritten = false;
    this.#repairs = 0;
    this.#looks = 0;
    this.#letOthers = written;
    // @guard append-again
    if (isAnyLost() && lostIn(this.#key()) !== undefined) return this.#goOnAfter(this.#writeLostAgain(page), next);
    return this.#goOn(page, next);
  }

  close(): void {
    this.#appender.close();
  }

  /** Without waiting, as long as nothing has to be waited for. */
  #goOn(page: LogPage, next: (page: LogPage) => Step): Promise<void> | undefined {
    for (let news = page; ; ) {
      const { cursor } = news;
      const answered = this.#answer(next(news));
      if (answered === false) {
        if (this.#isWritten) this.others.wrote();
        return undefined;
      }
      const back = answered === true ? this.#readBack(cursor) : answered.then((more) => more && this.#readBack(cursor));
      if (back instanceof Promise) return this.#goOnAfter(back, next);
      news = back;
    }
  }

  async #goOnAfter(waited: Promise<LogPage | false>, next: (page: LogPage) => Step): Promise<void> {
    const page = await waited;
    if (page !== false) await this.#goOn(page, next);
  }

  /** False: nothing more is to be asked. */
  #answer(step: Step): boolean | Promise<boolean> {
    switch (step.type) {
      case "leave":
        return false;
      case "append": {
        // What is decided is decided again once it is known how the last line ends.
        if (this.#isTailOpen()) return this.#settleTail().then(() => true);
        // @guard snapshot-alone
        if (step.unsure !== undefined) return this.#restsAlone(step.unsure);
        return this.#append(step)?.then(() => true) ?? true;
      }
      case "settle":
        return this.#inDoubt(() =>
          this.#isSynced && !step.ofOthers && !step.endsTail ? this.#repair(step) : this.#settle(step),
        );
    }
  }

  async #settle(step: Extract<Step, { type: "settle" }>): Promise<boolean> {
    if (step.endsTail && (await this.#endTail())) return true;
    // What others appended may stand behind what was synced.
    const isHere = (this.#isSynced && !step.ofOthers) || (await this.#syncAll());
    this.#isSynced = true;
    return !isHere || this.#repair(step);
  }

  #append(step: Extract<Step, { type: "append" }>): Promise<void> | undefined {
    const { host } = this.#settings;
    this.#changed = step.changed ?? {};
    if (host !== undefined) return this.#appendThrough(host, step);
    if (this.#isLate()) return undefined;
    // Where the path leads to another file by now, nothing is written, as reading back will show.
    if (this.#write(recordLines(step, this.#parent().parentId, this.#settings))) this.#isWritten = true;
    // What counts for certain, others may write behind.
    const size = this.#written?.bytes.length;
    if (this.#letOthers !== undefined && this.#reader().growth === size) this.#letOthers();
    const syncing = this.#appender.sync();
    if (syncing === undefined) return this.#wasSynced(size);
    return syncing.catch((error) => this.#mayBeLost(error, step)).then(() => this.#wasSynced(size));
  }

  /** Somebody was faster: what would be written could only be refused. But whoever writes all the time is not waited for. */
  #isLate(): boolean {
    if ((!this.others.areMet && this.#start === "") || this.#looks === looksMax) return false;
    this.#looks += 1;
    if (this.#reader().growth <= 0) return false;
    // How the last line ends is to be found out again.
    this.#start = "";
    return true;
  }

  async #appendThrough(host: LiveHost, step: Extract<Step, { type: "append" }>): Promise<void> {
    this.#isWritten = true;
    if (this.#start !== "" && host.hasWritten()) this.#write([]);
    for (const data of commitsIn(step)) await host.append(data);
    await this.#syncAll(step);
    this.#isSynced = true;
  }

  /** So many bytes behind what was read are on the disk, too. */
  #wasSynced(size = 0): undefined {
    this.#isSynced = true;
    this.#reader().synced = this.#reader().offset + size;
  }

  async #mayBeLost(error: unknown, own?: Extract<Step, { type: "append" }>): Promise<never> {
    const [reader, pages] = [this.#reader(), this.#follower.read(undefined)];
    await noteLost(this.#key(), { file: this.#settings.file, own, reader, pages });
    throw error;
  }

  /** Nothing is written that rests on a checkpoint alone: not a value, nor what a line is chained to or hangs on. */
  #restsAlone(unsure: () => void): false {
    unsure();
    return false;
  }

  /** False: nothing is missing, or may be written, or it was missing too often. */
  #repair(step: Extract<Step, { type: "settle" }>): boolean {
    if (this.#repairs === repairsMax || this.#settings.host?.hasWritten() === false) return false;
    const stale = staleKeys(this.#reader().last, step.values, this.#settings);
    const { parentId, isOnPath } = this.#parent();
    if (stale.length === 0 && isOnPath) return false;
    // The newest change first.
    const isOld = ([, space]: (typeof stale)[number]) => (space in this.#changed ? 0 : 1);
    stale.sort((one, other) => isOld(one) - isOld(other));
    if (step.unsure !== undefined) return this.#restsAlone(step.unsure);
    this.#repairs += 1;
    // What others have appended meanwhile may repair it.
    if (this.#settings.host === undefined && this.#reader().growth > 0) return true;
    if (this.#isTailOpen()) this.#start = "\n";
    this.#write(repairLines(stale, step, parentId, this.#settings));
    return true;
  }

  #write(lines: readonly NewLine[]): boolean {
    const printed = printedLines(this.#start, lines);
    const isWritten = this.#appender.append(printed.bytes, this.#reader().bytes.identity, printed.countsFrom);
    this.#written = isWritten ? printed.written : undefined;
    this.#start = "";
    return isWritten;
  }

  #readBack(after: Cursor): LogPage | Promise<LogPage> {
    const { host } = this.#settings;
    const written = this.#written;
    this.#written = undefined;
    if (host !== undefined) return this.#inDoubt(() => this.#follower.readPresent(after));
    return this.#inDoubt(() => (written && this.#follower.takeBack(written)) ?? this.#follower.readAll(after));
  }

  /** Whatever fails behind an append, the commit may be there. */
  #inDoubt<Result>(task: () => Result | Promise<Result>): Result | Promise<Result> {
    const failed = (error: unknown): never => {
      throw this.#isWritten ? inDoubt(error, this.#settings.file) : error;
    };
    try {
      const result = task();
      return result instanceof Promise ? result.catch(failed) : result;
    } catch (error) {
      return failed(error);
    }
  }

  async #writeLostAgain(page: LogPage): Promise<LogPage> {
    let news = page;
    const [key, lost] = [this.#key(), lostIn(this.#key()) ?? []];
    if (this.#isTailOpen()) {
      await this.#settleTail();
      news = joined(news, await this.#readBack(news.cursor));
    }
    // As long as the disk goes on failing, each call appends no more than the first one again.
    for (const part of [lost.slice(0, 1), lost.slice(1)]) {
      // Another file by now, or another session: what was lost was lost elsewhere.
      if (part.length === 0 || this.#key() !== key) return news;
      const records = part.map((data) => ({ kind: "commit", turn: 0, data, version: data.version }) as const);
      this.#isWritten = this.#write(recordLines({ type: "append", records }, this.#parent().parentId, this.#settings));
      news = joined(news, await this.#readBack(news.cursor));
      if (!this.#isWritten) return news;
      await this.#appender.sync();
      noteKept(key, part);
    }
    return news;
  }

  /** This syncs what others wrote, too. The result is false if the path leads to another file by now. */
  async #syncAll(own?: Extract<Step, { type: "append" }>): Promise<boolean> {
    if (this.#settings.host?.hasWritten() === false) return true;
    const reader = this.#reader();
    const isHere = await this.#appender.syncAll(reader.bytes.identity).catch((error) => this.#mayBeLost(error, own));
    reader.synced = reader.offset;
    return isHere;
  }

  #isTailOpen(): boolean {
    return this.#reader().isTailOpen && this.#start === "";
  }

  /** False: nothing is open, or somebody writes there. */
  async #endTail(): Promise<boolean> {
    if (!this.#isTailOpen()) return false;
    await this.#settleTail();
    return this.#start !== "" && this.#write([]);
  }

  async #settleTail(): Promise<void> {
    const { bytes, seen } = this.#reader();
    await sleep(flightMs);
    const isSame = bytes.currentSize() === seen;
    // @guard newline-repair
    if (isSame) this.#start = "\n";
  }

  #parent(): { readonly parentId: string | null; readonly isOnPath: boolean } {
    const { parents, bytes } = this.#reader();
    const leafId = this.#settings.host?.leafId?.();
    if (leafId !== undefined) return parents.parentUnder(leafId);
    return parents.parent((before) => newestHostEntry(bytes, before, this.#settings.names));
  }

  /** It is there wherever something may be appended. */
  #reader(): SessionReader {
    const { reader } = this.#follower;
    if (reader === undefined) throw new TypeError(`${this.#settings.file} was not read yet`);
    return reader;
  }

  #key(): string {
    const { bytes, header } = this.#reader();
    const { dev, ino } = bytes.identity;
    return `${dev}:${ino} ${this.#settings.names.namespace} ${header.id}`;
  }
}
