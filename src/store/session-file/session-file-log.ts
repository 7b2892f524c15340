/** This is the log of a session file, beside the host's own lines. */
import { randomBytes } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { StorageError } from "../../errors.ts";
import { isoTime } from "../../event/iso-time.ts";
import type { OpenWriters } from "../../event/open-writers.ts";
import { lineNames } from "../../line/format.ts";
import { mirroredKeys } from "../../line/legacy.ts";
import { saltsFrom } from "../../line/salts.ts";
import type { CheckpointPlace, Cursor, Log, LogPage, LogPages, Session, SessionLines, Step } from "../../stream/log.ts";
import { sessionIn } from "../../stream/pages.ts";
import { nothing, OtherWriters, type Release } from "./lock.ts";
import type { LiveHost } from "./mirror-repair.ts";
import { SessionAppender } from "./session-appender.ts";
import type { ByteSource } from "./session-bytes.ts";
import type { SessionFileOptions } from "./session-file-options.ts";
import { type FollowerSettings, joined, SessionFollower } from "./session-follower.ts";
import { linesOf } from "./session-lines.ts";

/** What a file and a live host do not have in common. */
export interface SessionAccess extends Pick<FollowerSettings, "open" | "hasMoved"> {
  readonly where: string;
  readonly host?: LiveHost;
  readonly checkpoint?: CheckpointPlace | undefined;
  /** `known`: the id of the session that it was, which is made again where there is none and it may. */
  readonly session: (known: string | undefined) => Promise<Session>;
  /** What is appended to a file that was removed is lost. */
  readonly remake?: (known: string | undefined) => Promise<void>;
  /** The result is undefined if there is nothing to wait for. */
  readonly lock: () => Promise<Release> | undefined;
  readonly bytes: () => ByteSource;
  readonly writers?: () => OpenWriters;
  readonly watch: (wake: () => void) => Promise<() => Promise<void>>;
}

export class SessionFileLog implements Log {
  readonly where: string;
  readonly checkpoint: CheckpointPlace | undefined;
  readonly source: SessionLines;
  readonly #place: SessionAccess;
  readonly #follower: SessionFollower;
  readonly #appender: SessionAppender;
  /** Few hexadecimal digits leave an entry id random, and tell writers apart. They need no cryptography, which loads slowly. */
  readonly #others = new OtherWriters((1 + Math.random()).toString(16).slice(2, 5));

  constructor(place: SessionAccess, options: SessionFileOptions) {
    const { mirror = true, durability = "fsync", clock = () => Date.now(), readonly = false, fold } = options;
    const names = lineNames(options.namespace);
    const { where, checkpoint, writers, host } = place;
    const leafId = host?.leafId;
    this.where = where;
    this.checkpoint = checkpoint;
    this.source = { kind: "session", namespace: names.namespace, lines: () => linesOf(place.bytes), leafId };
    if (writers !== undefined) this.source.writers = writers;
    this.#place = place;
    const others = this.#others;
    const met = (entryId: string | undefined) => others.met(entryId);
    this.#follower = new SessionFollower({ ...place, leafId, names, readonly, isBranched: fold === "branch", met });
    const salt = saltsFrom(others.mark, randomBytes);
    const context = () => ({ names, timestamp: isoTime(clock()), salt });
    const mirrored = mirroredKeys(mirror, names);
    const settings = { file: where, names, mirrored, durability, context, host, others };
    this.#appender = new SessionAppender(this.#follower, settings);
  }

  session(): Promise<Session> {
    return this.#place.session(this.#follower.reader?.header.id);
  }

  read(after: Cursor | undefined): LogPages {
    return this.#follower.read(after);
  }

  append(after: Cursor | undefined, next: (page: LogPage) => Step): Promise<void> | undefined {
    const known: { page: LogPage } = { page: { entries: [], cursor: after } };
    const { host, lock } = this.#place;
    // A live host's commits bear no mark.
    const waiting = host === undefined ? this.#others.goFirst(() => this.#readOn(known)) : undefined;
    const locking = waiting === undefined ? lock() : waiting.then(() => lock() ?? nothing);
    const news = locking ?? this.#follower.readNews(after);
    if (!(news instanceof Promise) && this.#follower.isPresent) return this.#append(news, next);
    return this.#appendAfter(news, known, next);
  }

  async #appendAfter(
    waited: Promise<Release | LogPage> | LogPage,
    known: { page: LogPage },
    next: (page: LogPage) => Step,
  ): Promise<void> {
    const got = await waited;
    const release = typeof got === "function" ? got : undefined;
    let releasing: Promise<void> | undefined;
    const letOthers = (): void => {
      releasing ??= release?.();
    };
    try {
      if (typeof got === "function") await this.#readOn(known);
      else known.page = got;
      if (!this.#follower.isPresent) {
        await this.#place.remake?.(this.#follower.reader?.header.id);
        await this.#readOn(known);
      }
      if (!this.#follower.isPresent) {
        const message = `${this.where} is gone, or no longer a session: put it back`;
        throw new StorageError(message, "not-written", { file: this.where });
      }
      await this.#append(known.page, next, letOthers);
    } finally {
      letOthers();
      await releasing;
    }
  }

  async #readOn(known: { page: LogPage }): Promise<void> {
    const { page } = known;
    if (!isPart(page)) known.page = joined(page, await this.#follower.readNews(page.cursor));
  }

  #append(page: LogPage, next: (page: LogPage) => Step, letOthers?: () => void): Promise<void> | undefined {
    if (!isPart(page)) return this.#appender.run(page, next, letOthers);
    next(page);
    return page.hasMore === true ? turn() : undefined;
  }

  watch(wake: () => void): Promise<() => Promise<void>> {
    return this.#place.watch(wake);
  }

  async close(): Promise<void> {
    this.#appender.close();
    this.#follower.close();
  }
}

/** Nothing can be appended behind it. */
function isPart(page: LogPage): boolean {
  return sessionIn(page) !== undefined || page.hasMore === true;
}
