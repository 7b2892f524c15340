/**
 * An archive: a session in one compressed file. Two gzip streams stand behind one another, so that any `gunzip` gives the line
 * of the manifest and then the session, byte for byte.
 */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { link, open, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip, gunzip, gzip } from "node:zlib";
import { isOfWriting, NotASessionError, StorageError } from "../../errors.ts";
import type { Head } from "../../event/commit.ts";
import { syncFolder } from "../session-file/session-path.ts";
import { endUnfinished, unfinishedIn } from "./unfinished.ts";

/** What is noted of a session when it is put away. */
export interface ArchiveManifest extends Head {
  readonly type: "session-journal archive";
  readonly v: 1;
  /** This is the id of the session. */
  readonly session: string;
  /** The session file had this name. */
  readonly name: string;
  /** This is the size of the session file. */
  readonly bytes: number;
  /** This is the SHA-256 of the session file, in hex digits. */
  readonly sha256: string;
  /** This is an ISO time. */
  readonly archivedAt: string;
}

export interface Archive {
  readonly manifest: ArchiveManifest;
  /** The session file as it was. */
  readonly bytes: Buffer;
  /** What the manifest says of the bytes that is not so. */
  readonly fault: string | undefined;
}

/**
 * Writes the archive of a session file, whole or not at all, readable by its owner only: under another name until it is whole, so that
 * one that was interrupted is in nobody's way. Its name is on disk when this resolves. Throws StorageError where something is at `target`,
 * and where the session was written to since it had the bytes of `noted`.
 */
export async function writeArchive(
  file: string,
  target: string,
  noted: Omit<ArchiveManifest, "type" | "v">,
  ifTaken?: string,
): Promise<ArchiveManifest> {
  const manifest: ArchiveManifest = { type: "session-journal archive", v: 1, ...noted };
  const part = unfinishedIn(path.dirname(target));
  const handle = await open(part, "wx", 0o600).catch((cause) => {
    endUnfinished(part);
    throw unwritable(target, cause);
  });
  try {
    await handle.write(await promisify(gzip)(`${JSON.stringify(manifest)}\n`));
    const packed = createGzip({ level: 9 });
    await pipeline(createReadStream(file), packed, createWriteStream(part, { flags: "a" }));
    await handle.sync();
    const after = await digestOf(file);
    if (after.sha256 !== noted.sha256) throw written(file);
    await putInPlace(part, target, ifTaken);
    await syncFolder(path.dirname(target));
    return manifest;
  } catch (error) {
    if (!isOfWriting(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const message = `cannot write the archive ${target} (${code}): check the space on the disk`;
    throw new StorageError(message, "not-written", { file: target }, error);
  } finally {
    await handle.close();
    endUnfinished(part);
  }
}

/**
 * The result is the manifest, if a whole archive of the session at this head is at `target`: with `file`, one of the bytes of that file.
 * Whoever put it there may have ended before its name was on disk, so this puts it there.
 */
export async function archivedAs(
  target: string,
  { session, version, hash }: Pick<ArchiveManifest, "session" | "version" | "hash">,
  file?: string,
): Promise<ArchiveManifest | undefined> {
  const found = await readArchive(target).catch(() => undefined);
  if (found === undefined || found.fault !== undefined) return undefined;
  const { manifest } = found;
  if (manifest.session !== session || manifest.version !== version || manifest.hash !== hash) return undefined;
  if (file !== undefined && (await digestOf(file)).sha256 !== manifest.sha256) return undefined;
  await syncFolder(path.dirname(target));
  return manifest;
}

/** A second name is given to a file only where nobody has that name. Disks that know no second names take a copy. */
async function putInPlace(part: string, target: string, ifTaken?: string): Promise<void> {
  try {
    await link(part, target).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") throw error;
      return copyTo(part, target);
    });
  } catch (error) {
    throw unwritable(target, error, ifTaken);
  }
}

async function copyTo(part: string, target: string): Promise<void> {
  const copy = await open(target, "wx", 0o600);
  try {
    await pipeline(createReadStream(part), createWriteStream(target, { flags: "a" }));
    await copy.sync();
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  } finally {
    await copy.close();
  }
}

/** The result says that nothing can be written at `target`. */
export function unwritable(target: string, cause: unknown, ifTaken = "name another file"): StorageError {
  const { code } = cause as NodeJS.ErrnoException;
  const why = code === "EEXIST" ? `it exists already: ${ifTaken}` : `${code}: check its folder`;
  return new StorageError(`cannot write the archive ${target} (${why})`, "not-written", { file: target }, cause);
}

/** Throws NotASessionError for what is no archive, or a damaged one. */
export async function readArchive(file: string): Promise<Archive> {
  const packed = await readFile(file);
  const whole = await promisify(gunzip)(packed).catch((cause: Error) => {
    throw new NotASessionError(
      `${file} is compressed, and damaged (${cause.message}): take another copy of it`,
      { file },
      { cause },
    );
  });
  const end = whole.indexOf(0x0a);
  const manifest = end === -1 ? undefined : manifestIn(whole.toString("utf8", 0, end));
  if (manifest === undefined)
    throw new NotASessionError(`${file} is compressed, and no archive: session-journal archive makes one`, { file });
  if (manifest.v !== 1)
    throw new NotASessionError(
      `${file} is an archive of format ${manifest.v}, and this version of session-journal reads format 1: update it`,
      { file },
    );
  const bytes = whole.subarray(end + 1);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const isSame = bytes.length === manifest.bytes && sha256 === manifest.sha256;
  const fault = `the manifest names ${manifest.bytes} bytes with SHA-256 ${manifest.sha256}, and ${bytes.length} with ${sha256} are there`;
  return { manifest, bytes, fault: isSame ? undefined : fault };
}

function manifestIn(line: string): ArchiveManifest | undefined {
  try {
    const manifest = JSON.parse(line) as ArchiveManifest;
    const { type, session, hash, version, bytes, sha256 } = manifest;
    const texts = [session, hash, sha256].every((each) => typeof each === "string");
    const counts = [version, bytes].every((each) => Number.isSafeInteger(each));
    return type === "session-journal archive" && texts && counts ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** Throws StorageError where somebody writes to the file. */
export async function digestOf(file: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const digest = createHash("sha256");
  let bytes = 0;
  for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
    digest.update(piece);
    bytes += piece.length;
  }
  const { size } = await stat(file);
  if (size !== bytes) throw written(file);
  return { bytes, sha256: digest.digest("hex") };
}

function written(file: string): StorageError {
  return new StorageError(
    `${file} was written to while it was archived: archive a session when its agent has ended`,
    "not-written",
    { file },
  );
}
