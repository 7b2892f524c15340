/** This file leads from an address to the store that it names. A backend's library is loaded when an address asks for it. */

import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { NotASessionError, withoutPassword } from "../errors.ts";
import type { ForeignFile } from "../store/lens/foreign-file.ts";
import { isCompressed, mayBeForeign } from "../store/lens/may-be-foreign.ts";
import { mayBeOfPi } from "../store/lens/pi-only.ts";
import { databaseOptions, sharedOptions } from "../store/records/record-options.ts";
import type { SessionFileOptions } from "../store/session-file/session-file-options.ts";
import { sessionFileStore } from "../store/session-file/session-file-store.ts";
import { idInAddress, idOfAddress } from "../store/session-id.ts";
import type { JournalStore } from "../stream/stream-store.ts";

/** A path or an address says this. */
export type Address =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "sqlite"; readonly database: string; readonly session: string | undefined }
  | { readonly kind: "nats"; readonly address: string; readonly session: string | undefined }
  | { readonly kind: "postgres"; readonly address: string; readonly session: string | undefined };

const ofSessions = "sqlite:db#session, nats://host/prefix#session, postgres://host/database#session";

/** Throws a TypeError for what is neither a path nor an address of a known kind. */
export function parseAddress(where: unknown): Address {
  const text = where instanceof URL && where.protocol !== "file:" ? decodeURI(where.href) : textOf(where);
  if (typeof text !== "string" || text === "") {
    throw new TypeError(`name a path, an address (file:, ${ofSessions}) or a store`);
  }
  if (text.includes("\0"))
    throw new TypeError(`${JSON.stringify(text)} cannot be the name of anything: it holds a NUL`);
  // Most are plain paths, and patterns are compiled when they are first asked.
  if (!text.includes(":")) return { kind: "file", path: text };
  if (text.startsWith("file:")) return { kind: "file", path: pathOf(text) };
  if (text.startsWith("sqlite:")) return sqliteAddress(text.slice("sqlite:".length));
  if (text.startsWith("nats://")) return { kind: "nats", address: text, session: sessionIn(text) };
  if (/^postgres(?:ql)?:\/\//.test(text)) return { kind: "postgres", address: text, session: sessionIn(text) };
  const scheme = schemePattern.exec(text)?.[0];
  if (scheme === undefined || isNamedSo(text, scheme)) return { kind: "file", path: text };
  throw new TypeError(
    `cannot open ${scheme} addresses: use a path (./${scheme}… where a file is named like this), file:, ${ofSessions}, or a store`,
  );
}

/** A mistyped scheme would make a file of that name. One letter before the colon is a drive. */
const schemePattern = /^[a-z][a-z0-9+.-]+:(?:\/\/)?|^[a-z]:\/\//i;

/** Runtimes have keys such as `agent:main`, and folders and files of that name. */
function isNamedSo(text: string, scheme: string): boolean {
  return !scheme.endsWith("//") && (text.endsWith(".jsonl") || existsSync(text));
}

function textOf(where: unknown): unknown {
  return where instanceof URL ? where.href : where;
}

/** The result opens one session of a place of many, by the name that a listing of the place gives it. */
export function placeIn(where: string, session: string): string {
  const address = parseAddress(where);
  return address.kind === "file" ? path.join(address.path, session) : `${where}#${idInAddress(session)}`;
}

/** URL syntax knows no relative paths: `file:a.jsonl` would be taken for `/a.jsonl`. */
function pathOf(url: string): string {
  const advice = "use its path, or an absolute URL, file:///folder/session.jsonl";
  if (!url.startsWith("file:/")) throw new TypeError(`${JSON.stringify(url)} names no absolute path: ${advice}`);
  try {
    return fileURLToPath(url);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`${JSON.stringify(url)} names no file here (${why}): ${advice}`, { cause });
  }
}

/** The result says whether it is a store rather than an address. */
export function isStore(where: unknown): where is JournalStore {
  return typeof where === "object" && where !== null && "catchUp" in where && "commit" in where;
}

/** `options` are those of a session file; other backends take of them what they have. */
export async function storeAt(where: string | URL, options: SessionFileOptions = {}): Promise<JournalStore> {
  const address = parseAddress(where);
  switch (address.kind) {
    case "file":
      requireFileName(address.path);
      return (await foreignStoreAt(address.path, options)) ?? sessionFileStore(address.path, options);
    case "sqlite": {
      const { sqliteStore } = await import("../store/sqlite/sqlite-store.ts");
      const session = requireSession(address.session, where);
      return sqliteStore({ ...databaseOptions(options), database: address.database, session });
    }
    case "nats": {
      const { jetStreamStore } = await import("../store/jetstream/jetstream-store.ts");
      const { parseJetStreamAddress } = await import("../store/jetstream/address.ts");
      const broker = parseJetStreamAddress(address.address);
      return jetStreamStore({ ...sharedOptions(options), ...broker, session: requireSession(address.session, where) });
    }
    case "postgres": {
      const { postgresStore } = await import("../store/postgres/postgres-store.ts");
      const { parsePostgresAddress } = await import("../store/postgres/address.ts");
      const server = parsePostgresAddress(address.address);
      return postgresStore({ ...databaseOptions(options), ...server, session: requireSession(address.session, where) });
    }
  }
}

/** Resolving `copies/` takes its last character away: where that folder is missing, a file would get its name. */
function requireFileName(given: string): void {
  if (!(given.endsWith("/") || given.endsWith(path.sep)) || existsSync(given)) return;
  const file = path.resolve(given);
  if (existsSync(file))
    throw new NotASessionError(`${file} is a file and no folder: leave out the ${path.sep} behind it`, { file });
  throw new NotASessionError(`${file}${path.sep} names a folder that does not exist: name a session file`, { file });
}

/**
 * The result is undefined if nothing is there, or a file of ours. A session of another client that is to be written throws ReadonlyError.
 */
async function foreignStoreAt(
  path: string,
  { readonly, files, namespace, ...options }: SessionFileOptions,
): Promise<JournalStore | undefined> {
  const first = mayBeForeign(path);
  if (first === true && isCompressed(path)) {
    const { archiveStore, refuseArchive } = await import("../store/archive/archive-log.ts");
    if (readonly !== true) throw refuseArchive(path);
    return archiveStore(path, { namespace, ...options });
  }
  const foreign = first === true ? await foreignFileAt(path) : undefined;
  if (foreign === undefined) {
    // What begins with blank lines may be of pi, too.
    if (readonly !== true || !mayBeOfPi(path, namespace, first === true ? Buffer.alloc(0) : first)) return undefined;
    const { piStore } = await import("../store/lens/lens-log.ts");
    return piStore(path, { files, namespace });
  }
  const { lensStore, refuseWriting } = await import("../store/lens/lens-log.ts");
  if (readonly !== true) throw refuseWriting(foreign);
  return lensStore(foreign, { files, namespace });
}

async function foreignFileAt(path: string): Promise<ForeignFile | undefined> {
  const { foreignFile } = await import("../store/lens/foreign-file.ts");
  return foreignFile(path);
}

/** A path may hold a `#`, so the last one counts. */
function sqliteAddress(rest: string): Address {
  const path = rest.startsWith("//") ? rest.slice(2) : rest;
  const cut = path.lastIndexOf("#");
  const database = cut === -1 ? path : path.slice(0, cut);
  if (database === "") throw new TypeError("sqlite: names no database: use sqlite:path/to/journals.db#session");
  return { kind: "sqlite", database, session: sessionIn(path) };
}

function sessionIn(address: string): string | undefined {
  const cut = address.lastIndexOf("#");
  return cut === -1 ? undefined : idOfAddress(address.slice(cut + 1));
}

function requireSession(session: string | undefined, where: string | URL): string {
  if (session !== undefined && session !== "") return session;
  throw new TypeError(`${withoutPassword(String(where))} names no session: add # and its id`);
}
