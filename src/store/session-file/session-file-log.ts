/** This is the log of a session file, beside the host's own lines. */
import { setImmediate as turn } from "node:timers/promises";
import type { OpenWriters } from "../../event/open-writers.ts";
import { lineNames } from "../../line/format.ts";
import { mirroredKeys } from "../../line/legacy.ts";
import type { CheckpointPlace, Cursor, Log, LogPage, LogPages, Session, SessionLines, Step } from "../../stream/log.ts";
import { sessionIn } from "../../stream/pages.ts";
import type { Release, takeLock } from "./lock.ts";
import type { LiveHost } from "./mirror-repair.ts";
import type { SessionAppender } from "./session-appender.ts";
import type { ByteSource } from "./session-bytes.ts";
import type { SessionFileOptions } from "./session-file-options.ts";
import { type FollowerSettings, joined, SessionFollower } from "./session-follower.ts";
import { linesOf } from "./session-lines.ts";
import { goneAt } from "./session-path.ts";

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
  readonly lock: (take: typeof takeLock) => Promise<Release> | undefined;
  readonly bytes: () => ByteSource;
  readonly writers?: () => OpenWriters;
  readonly watch: (wake: () => void) => Promise<() => Promise<void>>;
}

type Known = { readonly appender: SessionAppender; page: LogPage };

export class SessionFileLog implements Log {
  readonly where: string;
  readonly checkpoint: CheckpointPlace | undefined;
  readonly source: SessionLines;
  readonly #place: SessionAccess;
  readonly #follower: SessionFollower;
  /** Only writers need one. It is loaded while the session is read; what fails is tried again by the next append. */
  readonly #load: () => Promise<SessionAppender>;
  #appender: SessionAppender | undefined;

  constructor(place: SessionAccess, options: SessionFileOptions) {
    const { mirror = true, durability = "fsync", clock = () => Date.now(), readonly = false, fold } = options;
    const names = lineNames(options.namespace);
    const { where, checkpoint, writers, host } = place;
    const leafId = host?.leafId;
    this.where = where;
    this.checkpoint = checkpoint;
    this.source = { kind: "session", namespace: names.namespace, lines: () => linesOf(place.bytes, where), leafId };
    if (writers !== undefined) this.source.writers = writers;
    this.#place = place;
    const met = (entryId: string | undefined) => this.#appender?.others.met(entryId);
    this.#follower = new SessionFollower({ ...place, leafId, names, readonly, isBranched: fold === "branch", met });
    this.#load = async () => {
      const { SessionAppender } = await import("./session-appender.ts");
      const settings = { file: where, names, mirrored: mirroredKeys(mirror), durability, clock, host };
      this.#appender ??= new SessionAppender(this.#follower, settings);
      return this.#appender;
    };
    if (!readonly) this.#load().catch(nothing);
  }

  session(): Promise<Session> {
    return this.#place.session(this.#follower.reader?.header.id);
  }

  read(after: Cursor | undefined): LogPages {
    return this.#follower.read(after);
  }

  append(after: Cursor | undefined, next: (page: LogPage) => Step): Promise<void> | undefined {
    const appender = this.#appender;
    if (appender === undefined) return this.#load().then(() => this.append(after, next));
    const known: Known = { appender, page: { entries: [], cursor: after } };
    const { host, lock } = this.#place;
    const { takeLock } = appender;
    // A live host's commits bear no mark.
    const waiting = host === undefined ? appender.others.goFirst(() => this.#readOn(known)) : undefined;
    const locking = waiting === undefined ? lock(takeLock) : waiting.then(() => lock(takeLock) ?? nothing);
    const news = locking ?? this.#follower.readNews(after);
    if (!(news instanceof Promise) && this.#follower.isPresent) return this.#append({ appender, page: news }, next);
    return this.#appendAfter(news, known, next);
  }

  async #appendAfter(
    waited: Promise<Release | LogPage> | LogPage,
    known: Known,
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
      if (!this.#follower.isPresent) throw goneAt(this.where);
      await this.#append(known, next, letOthers);
    } finally {
      letOthers();
      await releasing;
    }
  }

  async #readOn(known: Known): Promise<void> {
    const { page } = known;
    if (!isPart(page)) known.page = joined(page, await this.#follower.readNews(page.cursor));
  }

  #append({ appender, page }: Known, next: (page: LogPage) => Step, letOthers?: () => void): Promise<void> | undefined {
    if (!isPart(page)) return appender.run(page, next, letOthers);
    next(page);
    return page.hasMore === true ? turn() : undefined;
  }

  watch(wake: () => void): Promise<() => Promise<void>> {
    return this.#place.watch(wake);
  }

  async close(): Promise<void> {
    this.#appender?.close();
    this.#follower.close();
  }
}

const nothing: Release = async () => undefined;

/** Nothing can be appended behind it. */
function isPart(page: LogPage): boolean {
  return sessionIn(page) !== undefined || page.hasMore === true;
}
