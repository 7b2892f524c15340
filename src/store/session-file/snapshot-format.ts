/**
 * A snapshot as text: a line that holds one JSON object, and a line that proves it whole. With a seal that is an HMAC,
 * so nobody without the key can make a snapshot that holds. Without one it is the object once more: two texts are
 * compared long before a new process has loaded what computes a digest. Whatever is not wholly right is no snapshot.
 */

import type { RecordedEvent } from "../../event/event.ts";
import { encodeEvent, parseEvent } from "../../event/parse.ts";
import { readFlag, readText, readTexts, readVersion } from "../../event/read.ts";
import { currentSchema } from "../../event/upcast.ts";
import { hashText, type SealKey } from "../../line/chain.ts";
import type { LastValues } from "../../line/legacy.ts";
import type { LedgerImage } from "../../line/verdict.ts";
import { parseState } from "../../state/image.ts";
import type { FileIdentity } from "./session-bytes.ts";
import type { ReaderImage } from "./session-reader.ts";
import type { StreamImage } from "./session-stream.ts";
import type { TailImage } from "./tail.ts";
import type { ToldImage } from "./told.ts";

/** Counted on when the fields of a snapshot change their names or meanings. */
const format = 3;

/** Counted on when the same lines come to another state, acceptance or turn than before. */
const reducer = 2;

/** Which file it was taken of, and how that was read. */
export interface SnapshotKey {
  readonly namespace: string;
  /** Id of the session. */
  readonly session: string;
  readonly file: FileIdentity;
}

export interface SessionSnapshot extends SnapshotKey {
  /** {@link tailPrint} of the bytes before the image's offset. */
  readonly tailPrint: string;
  readonly image: StreamImage;
}

type Fields = { readonly [name: string]: unknown };

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
  return `${body}\n${proofOf(body, seal)}\n`;
}

/** Undefined: damaged, of another format or reducer, or sealed with another key. */
export function parseSnapshot(text: string, seal?: SealKey): SessionSnapshot | undefined {
  const end = text.indexOf("\n");
  const body = text.slice(0, Math.max(end, 0));
  if (text.slice(end + 1) !== `${proofOf(body, seal)}\n`) return undefined;
  const fields = parseFields(body);
  if (fields?.["format"] !== format || fields["reducer"] !== reducer || fields["policy"] !== "file") return undefined;
  const namespace = readText(fields["namespace"]);
  const session = readText(fields["session"]);
  const tailPrint = readText(fields["tailPrint"]);
  const damaged = readFlag(fields["damaged"]);
  const file = readIdentity(fields["file"]);
  const reader = readReader(fields["reader"]);
  const told = readTold(fields["told"]);
  if (namespace === undefined || session === undefined || tailPrint === undefined || damaged === undefined)
    return undefined;
  if (file === undefined || reader === undefined || told === undefined) return undefined;
  return { namespace, session, tailPrint, file, image: { reader, told, damaged } };
}

function proofOf(body: string, seal: SealKey | undefined): string {
  return seal === undefined ? body : hashText(body, seal);
}

/**
 * To recognise bytes again, not to prove them: who can write the session can write its snapshot. Each step can be undone,
 * so bytes that differ in one place never print alike.
 */
export function tailPrint(bytes: Uint8Array): string {
  let one = bytes.length;
  let other = ~bytes.length;
  for (const byte of bytes) {
    one = Math.imul(one ^ byte, 0x01000193);
    other = Math.imul(other ^ byte, 0x5bd1e995);
  }
  return `${one >>> 0} ${other >>> 0}`;
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
