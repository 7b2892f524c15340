/** This is the log of a session file, beside the host's own lines. */
import { StorageError } from "../../errors.ts";
import type { OpenWriters } from "../../event/open-writers.ts";
import type { LineNames } from "../../line/format.ts";
import type { CheckpointPlace, Cursor, Log, LogPage, RawLine, Session, SessionLines, Step } from "../../stream/log.ts";
import type { Release } from "./lock.ts";
import type { SessionAppender } from "./session-appender.ts";
import type { ByteSource } from "./session-bytes.ts";
import type { SessionFollower } from "./session-follower.ts";
import { joined } from "./session-follower.ts";
import { linesOf } from "./session-lines.ts";

/** What the log of a file and that of a live host do not have in common. */
export interface SessionLogParts {
  readonly where: string;
  readonly names: LineNames;
  readonly follower: SessionFollower;
  readonly appender: SessionAppender;
  readonly checkpoint?: CheckpointPlace | undefined;
  readonly session: () => Promise<Session>;
  /** Undefined: there is nothing to wait for. `meanwhile`: while others hold the lock. */
  readonly lock: (meanwhile: () => Promise<void>) => Promise<Release> | undefined;
  /** What is appended to a file that was removed is lost. Makes it where there is none and it may. */
  readonly remake: () => Promise<void>;
  readonly bytes: () => ByteSource;
  readonly leafId?: SessionLines["leafId"];
  readonly writers?: () => OpenWriters;
  readonly watch: (wake: () => void) => Promise<() => Promise<void>>;
}

export class SessionFileLog implements Log {
  readonly where: string;
  readonly checkpoint: CheckpointPlace | undefined;
  readonly source: SessionLines;
  readonly #parts: SessionLogParts;

  constructor(parts: SessionLogParts) {
    this.where = parts.where;
    this.checkpoint = parts.checkpoint;
    const { namespace } = parts.names;
    this.source = { kind: "session", namespace, lines: () => this.#lines(), leafId: parts.leafId };
    if (parts.writers !== undefined) this.source.writers = parts.writers;
    this.#parts = parts;
  }

  session(): Promise<Session> {
    return this.#parts.session();
  }

  read(after: Cursor | undefined): AsyncIterable<LogPage> {
    return this.#parts.follower.read(after);
  }

  async append(after: Cursor | undefined, next: (page: LogPage) => Step): Promise<void> {
    const { follower, appender, lock, remake } = this.#parts;
    let page: LogPage = { entries: [], cursor: after };
    const readOn = async (): Promise<void> => {
      page = joined(page, await follower.readAll(page.cursor));
    };
    const release = await lock(readOn);
    try {
      await readOn();
      if (!follower.isPresent) {
        await remake();
        await readOn();
      }
      if (!follower.isPresent) throw gone(this.where);
      if (page.entries[0]?.kind === "begin") next(page);
      else await appender.run(page, next);
    } finally {
      if (release !== undefined) await release();
    }
  }

  watch(wake: () => void): Promise<() => Promise<void>> {
    return this.#parts.watch(wake);
  }

  async close(): Promise<void> {
    this.#parts.appender.close();
    this.#parts.follower.close();
  }

  async *#lines(): AsyncGenerator<RawLine, undefined> {
    const bytes = this.#parts.bytes();
    try {
      yield* linesOf(bytes);
    } finally {
      bytes.close();
    }
  }
}

function gone(file: string): StorageError {
  return new StorageError(`${file} is gone, or no longer a session: put it back`, "not-written", { file });
}
