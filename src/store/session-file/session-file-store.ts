/** This file keeps a journal in a session file. */
import { randomUUID } from "node:crypto";
import path from "node:path";
import { NotASessionError } from "../../errors.ts";
import { parseOptions } from "../../options.ts";
import type { CheckpointPlace, Session } from "../../stream/log.ts";
import { StreamStore } from "../../stream/stream-store.ts";
import { takeUnfinishedName } from "../archive/unfinished.ts";
import { openWriters } from "../writers/open-writers.ts";
import { hasRead } from "./file-cursor.ts";
import { SessionBytes } from "./session-bytes.ts";
import { type SessionAccess, SessionFileLog } from "./session-file-log.ts";
import { defaultLock, type SessionFileOptions, sessionFileParsers } from "./session-file-options.ts";
import { openSession } from "./session-header.ts";
import { plainFile, sidePaths } from "./session-path.ts";
import { markOfSnapshot, readSnapshotFile, saveSnapshot } from "./snapshot-file.ts";
import { watchSession } from "./watch.ts";

/**
 * Keeps a journal in a session file, which may be that of a live host. Nothing is touched before the first read.
 *
 * @param file The path of the session file.
 * @param options How the journal is kept.
 * @throws TypeError for an option that does not exist, or has a wrong value.
 * @example
 * const journal = await openJournal(sessionFileStore("session.jsonl", { durability: "os" }));
 */
export function sessionFileStore(file: string, options: SessionFileOptions = {}): StreamStore {
  if (typeof file !== "string" || file === "") throw new TypeError("sessionFileStore takes the path of a session file");
  const parsed = parseOptions(options, sessionFileParsers);
  const { clock } = parsed;
  return Object.assign(new StreamStore(sessionFileLog(path.resolve(file), parsed), parsed), clock && { clock });
}

function sessionFileLog(file: string, options: SessionFileOptions): SessionFileLog {
  const paths = sidePaths(file);
  const lock = { ...defaultLock, ...options.lock };
  const session = async (known: string | undefined): Promise<Session> => {
    if (options.readonly !== true) await makeSession(file, options, known);
    const opened = present(openSession(file), file);
    opened.bytes.close();
    return opened.header;
  };
  const checkpoint: CheckpointPlace = {
    where: paths.snapshot,
    load: async () => readSnapshotFile(paths),
    save: async (text) => void (await saveSnapshot(paths, [text])),
    savePieces: (pieces) => saveSnapshot(paths, pieces),
    mark: () => (options.readonly === true ? "" : markOfSnapshot(paths)),
    isBehind: (saved, { offset }) => hasRead(saved, offset),
  };
  const place: SessionAccess = {
    where: file,
    open: () => openSession(file),
    checkpoint,
    session,
    remake: (known) => makeSession(file, options, known),
    lock: (take) => take(file, paths, lock),
    bytes: () => present(SessionBytes.open(file), file),
    writers: () => openWriters(file, lock.staleMs, Date.now()),
    watch: (wake) => watchSession(file, wake),
  };
  return new SessionFileLog(place, options);
}

/** Makes the file if there is none and it may be made. `known` is the session that it was. */
async function makeSession(
  file: string,
  { create = true, ...options }: SessionFileOptions,
  known: string | undefined,
): Promise<void> {
  const { cwd = process.cwd(), parentSession, durability = "fsync", clock = () => new Date() } = options;
  takeUnfinishedName(file);
  // Nothing is there, or a file that its creator left empty.
  if (create && (plainFile(file)?.size ?? 0) === 0) {
    const { createSession } = await import("./appender.ts");
    const id = known ?? options.sessionId ?? randomUUID();
    await createSession(file, { id, timestamp: clock().toISOString(), cwd, parentSession }, durability);
  } else if (known === undefined) present(plainFile(file), file);
}

function present<Found>(found: Found | undefined, file: string): Found {
  if (found !== undefined) return found;
  throw new NotASessionError(`${file} does not exist: check the path`, { file });
}
