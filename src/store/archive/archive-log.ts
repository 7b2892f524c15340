/** An archived session as a log that can only be read, where it lies: nothing is unpacked onto the disk. */
import { ReadonlyError } from "../../errors.ts";
import { lineNames } from "../../line/format.ts";
import type { Cursor, Log, LogPages, Session, SessionLines } from "../../stream/log.ts";
import { type StreamStore, streamStore } from "../../stream/stream-store.ts";
import type { SessionFileOptions } from "../session-file/session-file-options.ts";
import { SessionFollower } from "../session-file/session-follower.ts";
import { headerIn, type OpenedSession, openedOn } from "../session-file/session-header.ts";
import { linesOf } from "../session-file/session-lines.ts";
import { type Archive, readArchive } from "./archive-file.ts";
import { MemoryBytes } from "./memory-bytes.ts";

/** Throws NotASessionError for what is no archive. */
export async function archiveStore(file: string, options: SessionFileOptions): Promise<StreamStore> {
  const { seal, strict, fold } = options;
  const log = new ArchiveLog(file, await readArchive(file), options);
  return streamStore(log, { readonly: true, seal, strict, fold });
}

export function refuseArchive(file: string): ReadonlyError {
  return new ReadonlyError(`${file} is an archive, which is read and never written: fork or copy it, and write there`, {
    file,
  });
}

class ArchiveLog implements Log {
  readonly where: string;
  readonly source: SessionLines;
  readonly #bytes: Buffer;
  readonly #follower: SessionFollower;

  constructor(file: string, { manifest, bytes, fault }: Archive, { namespace, fold }: SessionFileOptions) {
    const names = lineNames(namespace);
    const { version, hash, session } = manifest;
    const id = headerIn(bytes)?.id ?? "";
    const other = `the manifest names session ${JSON.stringify(session)}, and the header ${JSON.stringify(id)}`;
    this.where = file;
    this.#bytes = bytes;
    this.source = {
      kind: "session",
      namespace: names.namespace,
      noted: { head: { version, hash }, fault: fault ?? (id === session ? undefined : other) },
      lines: () => linesOf(() => new MemoryBytes(bytes), file),
    };
    this.#follower = new SessionFollower({
      where: file,
      names,
      open: () => this.#open(),
      readonly: true,
      isBranched: fold === "branch",
    });
  }

  async session(): Promise<Session> {
    return this.#open().header;
  }

  read(after: Cursor | undefined): LogPages {
    return this.#follower.read(after);
  }

  async append(): Promise<void> {
    throw refuseArchive(this.where);
  }

  async watch(): Promise<() => Promise<void>> {
    return async () => {
      // Nothing happens to an archive.
    };
  }

  async close(): Promise<void> {
    this.#follower.close();
  }

  #open(): OpenedSession {
    return openedOn(new MemoryBytes(this.#bytes), this.where);
  }
}
