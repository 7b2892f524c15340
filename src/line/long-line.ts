/**
 * What a line is that is too long to be held in memory. It is taken in pieces of any size, and says of a JSON object
 * exactly what `JSON.parse` would: whether it is one, and what stands in the few fields that tell what the line is.
 */
import type { LineNames } from "./format.ts";
import { JsonWalk } from "./json-walk.ts";

export interface LongFields {
  /** The line is one JSON object. */
  readonly isObject: boolean;
  /** There is nothing in it. */
  readonly isBlank: boolean;
  /** Strings longer than 4096 bytes are left out. A `mirror` that is there is never undefined. */
  readonly fields: {
    readonly type?: string;
    readonly customType?: string;
    readonly id?: string;
    readonly parentId?: string | null;
    readonly timestamp?: string;
    readonly mirror?: unknown;
  };
  /** This is `message.role`. */
  readonly role: string | undefined;
  /** The names of ours that stand in the bytes as they are. */
  readonly stands: ReadonlySet<string>;
  /** The bytes claim to be a commit of ours. */
  readonly claimed: boolean;
  /** The line is nested so deep. The depth is 1 if no field holds an object or an array. */
  readonly depth: number;
}

const keptFields: ReadonlySet<string> = new Set(["type", "customType", "id", "parentId", "timestamp", "mirror"]);

export class LongLine {
  readonly #walk: JsonWalk;
  readonly #utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #needles: ReadonlyMap<string, Buffer>;
  readonly #found = new Set<string>();
  readonly #overlap: number;
  #before: Buffer = Buffer.alloc(0);
  #isText = true;
  #fields: Record<string, unknown> = {};
  #role: string | undefined;
  #inMessage = false;

  constructor(names: LineNames) {
    const { namespace: _, ...ours } = names;
    const needles = Object.values(ours).map((name) => [name, Buffer.from(JSON.stringify(name))] as const);
    this.#needles = new Map([...needles, ["claim", Buffer.from(`"customType":"${names.events}"`)]]);
    this.#overlap = Math.max(...[...this.#needles.values()].map(({ length }) => length)) - 1;
    this.#walk = new JsonWalk((key, depth, value) => this.#field(key, depth, value));
  }

  push(piece: Uint8Array): void {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    this.#search(bytes);
    if (!this.#isText) return;
    try {
      this.#utf8.decode(bytes, { stream: true });
    } catch {
      this.#isText = false;
    }
    this.#walk.push(bytes);
  }

  end(): LongFields {
    return {
      isObject: this.#walk.isOver && this.#isWholeText(),
      isBlank: this.#walk.isBlank,
      fields: this.#fields,
      role: this.#role,
      stands: this.#found,
      claimed: this.#found.has("claim"),
      depth: this.#walk.deepest,
    };
  }

  #isWholeText(): boolean {
    try {
      this.#utf8.decode();
      return this.#isText;
    } catch {
      return false;
    }
  }

  #search(piece: Buffer): void {
    const border = Buffer.concat([this.#before, piece.subarray(0, this.#overlap)]);
    for (const [name, needle] of this.#needles) {
      if (this.#found.has(name)) continue;
      if (border.includes(needle) || piece.includes(needle)) this.#found.add(name);
    }
    this.#before = Buffer.from(Buffer.concat([this.#before, piece.subarray(-this.#overlap)]).subarray(-this.#overlap));
  }

  /** `value` is a string or null, and undefined for anything else. If a key stands twice, the last one counts. */
  #field(key: string, depth: number, value: string | null | undefined): void {
    if (depth === 1) {
      this.#inMessage = key === "message";
      if (this.#inMessage) this.#role = undefined;
      if (!keptFields.has(key)) return;
      if (key === "mirror") this.#fields[key] = value ?? null;
      else if (value === undefined) delete this.#fields[key];
      else this.#fields[key] = value;
    } else if (this.#inMessage && key === "role") this.#role = value ?? undefined;
  }
}
