/** This file lists the session files of a folder and the folders in it. */
import fs from "node:fs";
import path from "node:path";
import { isJournalError, NotASessionError } from "../../errors.ts";
import { headerVersionMax } from "../../line/decode.ts";
import { removeSessionFile } from "../../store/archive/remove-session.ts";
import { SessionBytes } from "../../store/session-file/session-bytes.ts";
import type { SessionFileOptions } from "../../store/session-file/session-file-options.ts";
import { sessionFileStore } from "../../store/session-file/session-file-store.ts";
import { readHeader } from "../../store/session-file/session-header.ts";
import { type WritersByFile, writersBelow, writersOf } from "../../store/writers/open-writers.ts";
import type { SessionCatalog, SessionSummary } from "../../stream/catalog.ts";
import type { StreamStore } from "../../stream/stream-store.ts";
import { FolderWatch } from "./folder-watch.ts";
import { summaryAtOnce, summaryIn } from "./read-summary.ts";
import { sessionFiles } from "./session-files.ts";

/** A session is named by its file's path in `folder`. */
export function folderCatalog(folder: string, options: SessionFileOptions = {}): SessionCatalog<SessionFileOptions> {
  return new FolderCatalog(path.resolve(folder), options);
}

function isInside(folder: string, file: string): boolean {
  const way = path.relative(folder, file);
  return way !== "" && way.split(path.sep)[0] !== ".." && !path.isAbsolute(way);
}

/** Where it lies behind links in its folders. It may not be there yet, and a link in its own place is refused later. */
function realOf(file: string): string {
  const folder = path.dirname(file);
  try {
    return path.join(fs.realpathSync(folder), path.basename(file));
  } catch {
    return folder === file ? file : path.join(realOf(folder), path.basename(file));
  }
}

class FolderCatalog implements SessionCatalog<SessionFileOptions> {
  readonly where: string;
  readonly #options: SessionFileOptions;
  readonly #watches = new Set<FolderWatch>();

  constructor(folder: string, options: SessionFileOptions) {
    this.where = folder;
    this.#options = options;
  }

  async *list(): AsyncGenerator<SessionSummary> {
    const below = writersBelow(this.where);
    const passedOver: SessionSummary[] = [];
    const note = (session: string, { message }: Error) => passedOver.push({ session, version: 0, fault: message });
    for (const session of sessionFiles(this.where, note)) {
      const summary = await this.#summary(session, below);
      if (summary !== undefined) yield summary;
    }
    yield* passedOver;
  }

  open(session: string, options: SessionFileOptions = {}): StreamStore {
    return sessionFileStore(this.#fileOf(session), { ...this.#options, ...options });
  }

  async remove({ session, version }: SessionSummary, isStill = async () => true): Promise<boolean> {
    const isSame = async () => (await this.#summary(session))?.version === version && isStill();
    return removeSessionFile(this.#fileOf(session), isSame);
  }

  async watch(wake: (session: string) => void): Promise<() => Promise<void>> {
    const watch = new FolderWatch(this.where, wake);
    this.#watches.add(watch);
    try {
      await watch.look();
    } catch (error) {
      this.#watches.delete(watch);
      watch.close();
      throw error;
    }
    return async () => {
      this.#watches.delete(watch);
      watch.close();
    };
  }

  async close(): Promise<void> {
    for (const watch of this.#watches) watch.close();
  }

  /** Names of sessions come from outside. */
  #fileOf(session: string): string {
    if (typeof session !== "string" || session === "")
      throw new TypeError("a session is named by its file's path in the folder");
    const file = path.join(this.where, session);
    if (!session.includes("\0") && isInside(this.where, file) && isInside(realOf(this.where), realOf(file)))
      return file;
    throw new NotASessionError(`${JSON.stringify(session)} leads out of ${this.where}: name a session file in it`, {
      file,
    });
  }

  /** The result is undefined for a file of another kind. */
  async #summary(session: string, below: WritersByFile = new Map()): Promise<SessionSummary | undefined> {
    const file = path.join(this.where, session);
    const read = await this.#read(file);
    const writers = writersOf(file, below);
    return read && { session, ...read, ...(writers.length === 0 ? {} : { writers }) };
  }

  async #read(file: string) {
    let bytes: SessionBytes | undefined;
    try {
      bytes = SessionBytes.open(file);
      return (bytes && summaryAtOnce(bytes, this.#options)) ?? (await this.#readByStore(file));
    } catch (error) {
      if (!isJournalError(error)) throw error;
      const isNewer = bytes !== undefined && (readHeader(bytes)?.version ?? 0) > headerVersionMax;
      return error instanceof NotASessionError && !isNewer ? undefined : { version: 0, fault: error.message };
    } finally {
      bytes?.close();
    }
  }

  async #readByStore(file: string) {
    const store = sessionFileStore(file, { ...this.#options, readonly: true, create: false });
    try {
      return await summaryIn(store);
    } finally {
      await store.close();
    }
  }
}
