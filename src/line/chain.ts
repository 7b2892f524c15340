/**
 * This file makes and checks evidence. Each commit carries a hash over its own data, which includes the hash of the commit before it, so
 * that a changed, removed, inserted or moved commit shows. With a key (`seal`) the hash is an HMAC that only its holders can make. This is
 * the only pure file that needs a Node built-in.
 */
import { createHmac, hash } from "node:crypto";
import type { CommitData } from "../event/commit.ts";
import { canonicalJson, isTooDeep, textJson } from "./json.ts";

/** This is the key that seals a journal: a text or bytes. */
export type SealKey = string | Uint8Array;

const hashLength = 32;
/** A commit that was made with a key has such a hash. */
const sealPattern = /^[0-9a-f]{64}$/;

/** The result is the first 32 hex digits of the SHA-256, or with a key the whole HMAC-SHA-256, which has 64. */
export function hashText(text: string | Uint8Array, seal?: SealKey): string {
  return seal === undefined
    ? hash("sha256", text, "hex").slice(0, hashLength)
    : createHmac("sha256", seal).update(text).digest("hex");
}

/** The result is `hashText` of the whole text. No piece ends within a character. */
export function sealOfPieces(pieces: Iterable<string>, seal: SealKey): string {
  const hmac = createHmac("sha256", seal);
  for (const piece of pieces) hmac.update(piece);
  return hmac.digest("hex");
}

/** The first commit of a session names this as `prev`. */
export function genesisHash(sessionId: string, seal?: SealKey): string {
  return hashText(sessionId, seal);
}

/** So many fields has a commit that is neither redacted nor under a policy of its own; its hash is one of them. */
const plainFields = 7;

/** The result is the hash that `data` should carry. It throws as `canonicalJson` does. */
function commitHash(data: CommitData, seal?: SealKey): string {
  const { at, events, id, prev, v, version } = data;
  // Most commits have no more than this, and a copy that is made of named fields takes a third less time to make and to print.
  if (at !== undefined && Object.keys(data).length === plainFields)
    return hashText(canonicalJson({ at, events, id, prev, v, version }), seal);
  const { hash: _, ...hashed } = data;
  return hashText(canonicalJson(hashed), seal);
}

/** This is a commit's data with its hash, and as canonical JSON. */
export interface SealedCommit {
  readonly data: CommitData;
  readonly json: string;
}

/** The hash covers the canonical JSON without the hash, so that most of it is printed once. */
export function sealCommit(data: Omit<CommitData, "hash">, seal?: SealKey): SealedCommit {
  const { v, id, at, version, events, fold, redacted, prev } = data;
  const ofFold = fold === undefined ? "" : `,"fold":${canonicalJson(fold, 1)}`;
  // Another writer may have said none, or what is no text.
  const ofAt = at === undefined ? "" : `"at":${canonicalJson(at, 1)},`;
  const before = `{${ofAt}"events":${canonicalJson(events, 1)}${ofFold}`;
  const ofRedacted = redacted === undefined ? "" : `"redacted":${canonicalJson(redacted, 1)},`;
  const after = `"id":${textJson(id)},"prev":${textJson(prev)},${ofRedacted}"v":${v},"version":${version}}`;
  const hashed = `${before},${after}`;
  const hash = hashText(hashed, seal);
  // Of most commits there is no more than this, and a copy of unknown fields takes long.
  const isPlain = fold === undefined && redacted === undefined;
  const sealed = isPlain ? { v, id, at, version, events, prev, hash } : { ...data, hash };
  return { data: sealed, json: `${hashed.slice(0, before.length)},"hash":"${hash}"${hashed.slice(before.length)}` };
}

/** "sealed": made with a key that this reader does not have, so it cannot be checked. */
export function checkCommit(data: CommitData, seal?: SealKey): "right" | "wrong" | "sealed" {
  if (seal === undefined && sealPattern.test(data.hash)) return "sealed";
  return commitHash(data, seal) === data.hash ? "right" : "wrong";
}

/** The hash that a commit had before texts were taken out of it; undefined where it is as it was written. */
export function hashBeforeRedaction({ redacted }: CommitData): string | undefined {
  const hash: unknown = typeof redacted === "object" && redacted !== null ? redacted.hash : undefined;
  return typeof hash === "string" ? hash : undefined;
}

/** The fields of a line of ours that no commit hash covers. */
export interface EntryFields {
  readonly customType: string;
  readonly parentId: string | null;
  readonly timestamp: string;
  /** For a commit line this is its hash, for other lines the line's data. */
  readonly content: unknown;
  readonly mirror?: string;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * An entry id: a version 4 UUID whose last 60 bits are random (`salt`, 15 hex digits) and whose other bits are a digest
 * of the salt and of the line around it. So every line has an id of its own, and a bit changed outside the hashed data
 * still shows.
 */
export function entryIdFor(fields: EntryFields, salt: string, contentJson = canonicalJson(fields.content)): string {
  const { customType, mirror } = fields;
  const json = JSON.stringify;
  const ofType = `${json(customType)}${mirror === undefined ? "" : `,"mirror":${json(mirror)}`}`;
  return entryIdOf(contentJson, ofType, json(fields.parentId), json(fields.timestamp), salt);
}

/** The result is the id of fields that are printed already. `ofType` has the custom type, and the mirror if there is one. */
export function entryIdOf(content: string, ofType: string, parentId: string, timestamp: string, salt: string): string {
  // The canonical JSON of the salt and the fields.
  const digest = hash(
    "sha256",
    `["${salt}",{"content":${content},"customType":${ofType},"parentId":${parentId},"timestamp":${timestamp}}]`,
    "hex",
  );
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(12, 15)}-8${salt.slice(0, 3)}-${salt.slice(3, 15)}`;
}

/** The result is undefined if the id is not of this making (a host renumbered the line), so it proves nothing. */
export function checkEntryId(id: string, fields: EntryFields): boolean | undefined {
  if (!uuidPattern.test(id)) return undefined;
  if (isTooDeep(fields.content)) return false;
  return entryIdFor(fields, id.slice(20, 23) + id.slice(24)) === id;
}

const commandPlainMax = 40;

/** A command as it is remembered: itself when short, else a digest, so that a memory of many stays small. */
export function shortCommand(command: string): string {
  return command.length <= commandPlainMax ? command : `#${hashText(command)}`;
}
