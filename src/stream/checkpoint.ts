/**
 * What resuming needs, as text, in one format for every backend: a line that holds one JSON object, and a line that proves
 * it whole. With a seal that is an HMAC, so nobody without the key can make a checkpoint that holds. Without one a short
 * object stands there once more, and of a long one its checksum: a new process has both long before it has loaded what
 * computes a digest. Whatever is not wholly right is no checkpoint.
 */
import { crc32 } from "node:zlib";
import type { Head } from "../event/commit.ts";
import type { RecordedEvent, RecordedLimits } from "../event/event.ts";
import { described } from "../event/json-schema.ts";
import {
  optional,
  readFlag,
  readJson,
  readLimits,
  readObject,
  readRecord,
  readText,
  readVersion,
  required,
} from "../event/read.ts";
import { type SealKey, sealOfPieces } from "../line/chain.ts";
import { jsonPieces, withoutMethods } from "../line/json-pieces.ts";
import type { LedgerImage } from "../line/verdict.ts";
import { parseState } from "../state/image.ts";
import type { NewestTurn } from "../state/newest-turn.ts";
import { printableEvent, printableTurn, readRecorded, readTurn } from "../state/recorded-image.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { Delivered, StreamEnd } from "./delivery.ts";
import type { Cursor, Session } from "./log.ts";
import type { ReadingImage } from "./reading.ts";

/** A snapshot is a cache of everything that is needed to resume. */
export interface Snapshot {
  readonly end: StreamEnd;
  readonly state: ScratchpadState;
  /** The newest event, when it was a refusal: a refusal identical to it is not recorded again. */
  readonly refusal?: RecordedEvent | undefined;
  /** The newest event was decided under these budgets, if it names them. */
  readonly limits?: RecordedLimits | undefined;
  /** This is when the event at `end.version` happened; absent at version 0. */
  readonly at?: string | undefined;
}

/** The image has what was read and delivered so far, to go on from there. */
export interface StreamImage {
  readonly session: Session;
  readonly cursor: Cursor;
  readonly reading: ReadingImage;
  readonly delivered: Delivered;
  /** The result is undefined if the turn has too many events. */
  readonly newest: () => NewestTurn | undefined;
}

/** This number grows when the fields of a checkpoint change their names or meanings. */
const format = 7;

/** This number grows when the same entries come to another state, acceptance or turn than before. */
const reducer = 3;

/** What stands there twice takes at most half of what a broker takes in one message. */
const repeatedUnitsMax = 256 * 1024;

/** The result has all of it as it is now: its parts may go on meanwhile. It is undefined if nobody can go on from there. */
export function checkpointNow({ session, cursor, reading, delivered, ...image }: StreamImage): object | undefined {
  const [{ refusal }, newest] = [delivered, image.newest()];
  const place = withoutMethods(cursor);
  if (place === undefined) return undefined;
  return {
    format,
    reducer,
    policy: "file",
    session,
    ...reading,
    delivered: { ...delivered, refusal: refusal && printableEvent(refusal) },
    newest: newest && printableTurn(newest),
    cursor: place,
  };
}

/** A checkpoint as text, which may be too long to be held. */
export interface PrintedCheckpoint {
  readonly units: number;
  readonly pieces: () => Iterable<string>;
}

export function printCheckpoint(checkpoint: object, seal?: SealKey): PrintedCheckpoint {
  const body = (): Iterable<string> => jsonPieces(checkpoint);
  const sum = sumOf(body());
  const end = `\n${proofOf(body, sum, seal)}\n`;
  return {
    units: sum.units + end.length,
    pieces: function* () {
      yield* body();
      yield end;
    },
  };
}

/** The result is undefined for a text that is damaged, of another format or reducer, at odds with itself, or sealed with another key. */
export function parseCheckpoint(text: string, seal?: SealKey): StreamImage | undefined {
  const end = text.indexOf("\n");
  const body = text.slice(0, Math.max(end, 0));
  const proof = seal === undefined && end <= repeatedUnitsMax ? body : proofOf(() => [body], sumOf([body]), seal);
  if (text.slice(end + 1) !== `${proof}\n`) return undefined;
  const fields = parseFields(body);
  if (fields?.["format"] !== format || fields["reducer"] !== reducer || fields["policy"] !== "file") return undefined;
  const session = readSession(fields["session"]);
  const reading = readReading(fields);
  const delivered = readDelivered(fields["delivered"]);
  if (session === undefined || reading === undefined || delivered === undefined) return undefined;
  return { session, cursor: fields["cursor"], reading, delivered, newest: turnIn(fields["newest"]) };
}

/** It is read when it is asked for. Until then nothing else of the text is kept, as a function within its reader would. */
function turnIn(value: unknown): StreamImage["newest"] {
  return () => readTurn(value);
}

/** The CRC-32 is that of the UTF-8, to find what is damaged, not what was forged. */
function sumOf(pieces: Iterable<string>) {
  let [units, crc] = [0, 0];
  for (const piece of pieces) {
    units += piece.length;
    crc = crc32(piece, crc);
  }
  return { units, crc };
}

function proofOf(body: () => Iterable<string>, sum: ReturnType<typeof sumOf>, seal: SealKey | undefined): string {
  if (seal !== undefined) return sealOfPieces(body(), seal);
  return sum.units <= repeatedUnitsMax ? [...body()].join("") : `${sum.crc} ${sum.units}`;
}

function parseFields(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return readFields(JSON.parse(body));
  } catch {
    return undefined;
  }
}

const readFields = readRecord(readJson);

const readSession = readObject<Session>({
  id: required(readText),
  timestamp: optional(readText),
  parentSession: optional(readText),
  unchained: optional(readFlag),
  drops: optional(readFlag),
});

const readReading = readObject<ReadingImage>({
  state: required(parseState),
  ledger: required(
    readObject<LedgerImage>({
      head: required(readObject<Head>({ version: required(readVersion), hash: required(readText) })),
      hashBefore: optional(readText),
      policy: required(described({}, (value: unknown) => (value === "file" ? value : undefined))),
      turn: required(readVersion),
      notesWritten: required(readFlag),
      sealed: required(readFlag),
      at: required(readText),
      lastCommit: required(readText),
      ids: required(readText),
      commands: required(readText),
      valueIds: required(readText),
    }),
  ),
  damaged: required(readFlag),
});

const readDelivered = readObject<Delivered>({
  count: required(readVersion),
  fingerprint: required(readVersion),
  at: optional(readText),
  refusal: optional(described({}, readRefusal)),
  limits: optional(described({}, readLimits)),
  hasUnknown: required(readFlag),
});

function readRefusal(value: unknown): RecordedEvent | undefined {
  const recorded = readRecorded(value);
  return recorded?.event.type === "action.refused" ? recorded : undefined;
}
