import { readObject, readText, readVersion, required } from "../../event/read.ts";
import { hashText } from "../../line/chain.ts";
import { parseRecord } from "../../line/record.ts";
import type { CheckpointClaim, Cursor, LogEntry } from "../../stream/log.ts";

/** A record as it is kept. `place`: what records are ordered by, above 0. */
export interface KeptRecord {
  readonly place: number;
  readonly json: string;
  /** What the record says, if this process made it: it need not be read back. */
  readonly entry?: LogEntry | undefined;
  /** This had it then, if another may have another one in its place. */
  readonly server?: string | undefined;
}

interface PrintedPlace {
  readonly place: number;
  readonly digest: string;
}

const readPlace = readObject<PrintedPlace>({ place: required(readVersion), digest: required(readText) });

/** Behind which record (`json`, once it was seen) a reading stands. Printed, it says which that was: where it is another, all is read. */
export class RecordCursor {
  readonly place: number;
  json: string | undefined;
  /** This has shown the record last. */
  server: string | undefined;
  readonly #digest: string | undefined;
  readonly #claim: CheckpointClaim | undefined;

  /** Without `json`: one that was printed, and has not been looked for. */
  constructor(place: number, json?: string, digest?: string, claim?: CheckpointClaim) {
    this.place = place;
    this.json = json;
    this.#digest = digest;
    this.#claim = claim;
  }

  /** The cursor is one that a log gave, printed or not. */
  static of(cursor: Cursor): RecordCursor {
    if (cursor instanceof RecordCursor) return cursor;
    const { place, digest } = readPlace(cursor) ?? { place: 0, digest: undefined };
    return new RecordCursor(place, undefined, digest);
  }

  /** Where the text of a checkpoint says that it stands, whatever it is worth. */
  static ofCheckpoint(text: string): RecordCursor {
    return RecordCursor.of(readPrinted(text.slice(0, text.indexOf("\n"))));
  }

  /** A checkpoint holds this cursor: the record that it stands behind must bear out the claim. The result is undefined if it stands nowhere. */
  static resumed(printed: Cursor, claim: CheckpointClaim): RecordCursor | undefined {
    const at = readPlace(printed);
    if (at === undefined || (at.place === 0) !== (claim.version === 0)) return undefined;
    return new RecordCursor(at.place, undefined, at.digest, claim);
  }

  get isBeginning(): boolean {
    return this.place === 0;
  }

  /** It stands behind a record that this process has seen. */
  get isSeen(): boolean {
    return this.isBeginning || this.json !== undefined;
  }

  /** `found` stands at the place now. */
  isBehind(found: string): boolean {
    if (this.json !== undefined) return found === this.json;
    const isSame = digestOf(found) === this.#digest && (this.#claim === undefined || bearsOut(found, this.#claim));
    if (isSame) this.json = found;
    return isSame;
  }

  /** `rows` begin at the cursor's place. The result has those behind it, and is undefined if it stands behind none of them. */
  behind(rows: readonly KeptRecord[]): readonly KeptRecord[] | undefined {
    if (this.isBeginning) return rows;
    const [at, ...behind] = rows;
    return at?.place === this.place && this.isBehind(at.json) ? behind : undefined;
  }

  toJSON(): PrintedPlace {
    return { place: this.place, digest: this.#digest ?? digestOf(this.json) };
  }
}

/** A commit says what the stream has come to with it. A value of another runtime says nothing of that. */
function bearsOut(json: string, { version, hash, turn }: CheckpointClaim): boolean {
  const record = parseRecord(json);
  if (record?.kind !== "commit") return record !== undefined;
  const { data } = record;
  const begun = data.events.filter(({ type }) => type === "turn.began").length;
  return data.version === version && data.hash === hash && record.turn + begun === turn;
}

function readPrinted(json: string): unknown {
  try {
    return (JSON.parse(json) as { cursor?: unknown }).cursor;
  } catch {
    return undefined;
  }
}

function digestOf(json: string | undefined): string {
  return json === undefined ? "" : hashText(json);
}
