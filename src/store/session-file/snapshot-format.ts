/**
 * A snapshot as text: one JSON object whose last field is the checksum of all before it. With a seal the checksum needs
 * its key, so nobody else can make a snapshot that holds. Whatever is not wholly right is no snapshot.
 */

import type { RecordedEvent } from "../../event/event.ts";
import { encodeEvent, parseEvent } from "../../event/parse.ts";
import { readFlag, readText, readTexts, readVersion } from "../../event/read.ts";
import { currentSchema } from "../../event/upcast.ts";
import type { LedgerImage } from "../../line/acceptance.ts";
import { hashText, type SealKey } from "../../line/chain.ts";
import type { LastValues } from "../../line/legacy.ts";
import { parseState } from "../../state/image.ts";
import type { FileIdentity } from "./session-bytes.ts";
import type { ReaderImage } from "./session-reader.ts";
import type { StreamImage } from "./session-stream.ts";
import type { TailImage } from "./tail.ts";
import type { ToldImage } from "./told.ts";

/** Counted on when the fields of a snapshot change their names or meanings. */
const format = 1;

/** Counted on when the same lines come to another state, acceptance or turn than before. */
const reducer = 1;

/** Which file it was taken of, and how that was read. */
export interface SnapshotKey {
  readonly namespace: string;
  /** What the session's first commit names as `prev`: of the session's id and the seal's key. */
  readonly root: string;
  readonly file: FileIdentity;
}

export interface SessionSnapshot extends SnapshotKey {
  /** Of the bytes before the image's offset. */
  readonly digest: string;
  readonly image: StreamImage;
}

type Fields = { readonly [name: string]: unknown };

const checksumField = ',"checksum":"';

export function printSnapshot({ image, ...snapshot }: SessionSnapshot, seal?: SealKey): string {
  const { refusal, ...told } = image.told;
  const written = refusal === undefined ? {} : { refusal: { ...refusal, event: encodeEvent(refusal.event) } };
  const body = JSON.stringify({
    format,
    reducer,
    policy: "file",
    ...snapshot,
    ...image,
    told: { ...told, ...written },
  });
  return `${body.slice(0, -1)}${checksumField}${hashText(body, seal)}"}\n`;
}

/** Undefined: damaged, of another format or reducer, or sealed with another key. */
export function parseSnapshot(text: string, seal?: SealKey): SessionSnapshot | undefined {
  const end = text.lastIndexOf(checksumField);
  if (end === -1) return undefined;
  const body = `${text.slice(0, end)}}`;
  if (text.slice(end) !== `${checksumField}${hashText(body, seal)}"}\n`) return undefined;
  const fields = parseFields(body);
  if (fields?.["format"] !== format || fields["reducer"] !== reducer || fields["policy"] !== "file") return undefined;
  const namespace = readText(fields["namespace"]);
  const root = readText(fields["root"]);
  const digest = readText(fields["digest"]);
  const damaged = readFlag(fields["damaged"]);
  const file = readIdentity(fields["file"]);
  const reader = readReader(fields["reader"]);
  const told = readTold(fields["told"]);
  if (namespace === undefined || root === undefined || digest === undefined || damaged === undefined) return undefined;
  if (file === undefined || reader === undefined || told === undefined) return undefined;
  return { namespace, root, digest, file, image: { reader, told, damaged } };
}

function parseFields(body: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(body));
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function readIdentity(value: unknown): FileIdentity | undefined {
  const fields = fieldsOf(value);
  const dev = fields?.["dev"];
  const ino = fields?.["ino"];
  return typeof dev === "number" && typeof ino === "number" ? { dev, ino } : undefined;
}

function readReader(value: unknown): ReaderImage | undefined {
  const fields = fieldsOf(value);
  const offset = readVersion(fields?.["offset"]);
  const state = parseState(fields?.["state"]);
  const last = fieldsOf(fields?.["last"]) as LastValues | undefined;
  const ledger = readLedger(fields?.["ledger"]);
  const tail = readTail(fields?.["tail"]);
  if (offset === undefined || state === undefined || last === undefined) return undefined;
  return ledger === undefined || tail === undefined ? undefined : { offset, state, last, ledger, tail };
}

function readLedger(value: unknown): LedgerImage | undefined {
  const fields = fieldsOf(value);
  const head = fieldsOf(fields?.["head"]);
  const ledger = {
    policy: "file" as const,
    turn: readVersion(fields?.["turn"]),
    notesWritten: readFlag(fields?.["notesWritten"]),
    sealed: readFlag(fields?.["sealed"]),
    at: readText(fields?.["at"]),
    lastCommit: readText(fields?.["lastCommit"]),
    ids: readText(fields?.["ids"]),
    commands: readText(fields?.["commands"]),
    valueIds: readText(fields?.["valueIds"]),
  };
  const version = readVersion(head?.["version"]);
  const hash = readText(head?.["hash"]);
  if (version === undefined || hash === undefined || !isComplete(ledger)) return undefined;
  return { ...ledger, head: { version, hash } };
}

function readTail(value: unknown): TailImage | undefined {
  const fields = fieldsOf(value);
  const { hostId, lastId } = fields ?? {};
  const tail = {
    hostEnd: readVersion(fields?.["hostEnd"]),
    oursEnd: readVersion(fields?.["oursEnd"]),
    hostId: hostId === null ? null : readText(hostId),
    onPath: readTexts(fields?.["onPath"]),
  };
  if (!isComplete(tail) || (lastId !== undefined && typeof lastId !== "string")) return undefined;
  return lastId === undefined ? tail : { ...tail, lastId };
}

function readTold(value: unknown): ToldImage | undefined {
  const fields = fieldsOf(value);
  const { at, refusal } = fields ?? {};
  const told = { count: readVersion(fields?.["count"]), print: readVersion(fields?.["print"]) };
  if (!isComplete(told) || (at !== undefined && typeof at !== "string")) return undefined;
  const time = at === undefined ? {} : { at };
  if (refusal === undefined) return { ...told, ...time };
  const recorded = readRefusal(refusal);
  return recorded === undefined ? undefined : { ...told, ...time, refusal: recorded };
}

function readRefusal(value: unknown): RecordedEvent | undefined {
  const fields = fieldsOf(value);
  const { event: raw, command } = fields ?? {};
  const type = readText(fieldsOf(raw)?.["type"]);
  const event = type === undefined ? undefined : parseEvent(currentSchema, { ...fieldsOf(raw), type });
  const version = readVersion(fields?.["version"]);
  const turn = readVersion(fields?.["turn"]);
  const at = readText(fields?.["at"]);
  const actor = readText(fields?.["actor"]);
  if (event?.type !== "action.refused" || version === undefined || turn === undefined) return undefined;
  if (at === undefined || actor === undefined) return undefined;
  return { version, event, at, turn, actor, origin: "journal", ...(typeof command === "string" ? { command } : {}) };
}

type Complete<Fields> = { readonly [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

function isComplete<Fields extends object>(fields: Fields): fields is Fields & Complete<Fields> {
  return Object.values(fields).every((value) => value !== undefined);
}
