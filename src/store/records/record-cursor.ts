import { hashText } from "../../line/chain.ts";
import type { Cursor } from "../../stream/log.ts";

/** A record as it is kept. `place`: what records are ordered by, above 0. */
export interface KeptRecord {
  readonly place: number;
  readonly json: string;
}

/** Behind which record a reading stands. Printed, it says which record that was: where it is another one, all is read. */
export class RecordCursor {
  readonly place: number;
  #json: string | undefined;
  readonly #digest: string | undefined;

  /** Without `json`: one that was printed, and has not been looked for. */
  constructor(place: number, json?: string, digest?: string) {
    this.place = place;
    this.#json = json;
    this.#digest = digest;
  }

  /** The cursor is one that a log gave, printed or not. */
  static of(cursor: Cursor): RecordCursor {
    if (cursor instanceof RecordCursor) return cursor;
    const { place, digest } = (cursor ?? { place: 0 }) as { readonly place: number; readonly digest?: string };
    return new RecordCursor(place, undefined, digest);
  }

  get isBeginning(): boolean {
    return this.place === 0;
  }

  /** It stands behind a record that this process has seen. */
  get isSeen(): boolean {
    return this.isBeginning || this.#json !== undefined;
  }

  /** `found` stands at the place now. */
  isBehind(found: string): boolean {
    if (this.#json !== undefined) return found === this.#json;
    const isSame = digestOf(found) === this.#digest;
    if (isSame) this.#json = found;
    return isSame;
  }

  /** `rows` begin at the cursor's place. The result has those behind it, and is undefined if it stands behind none of them. */
  behind(rows: readonly KeptRecord[]): readonly KeptRecord[] | undefined {
    if (this.isBeginning) return rows;
    const [at, ...behind] = rows;
    return at?.place === this.place && this.isBehind(at.json) ? behind : undefined;
  }

  toJSON(): { readonly place: number; readonly digest: string } {
    return { place: this.place, digest: this.#digest ?? digestOf(this.#json) };
  }
}

function digestOf(json: string | undefined): string {
  return json === undefined ? "" : hashText(json);
}
