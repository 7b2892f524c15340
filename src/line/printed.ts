/**
 * Our lines as our own writer prints them, told by their first and last bytes. Most of ours are: then a commit's hash is
 * taken of the bytes as they stand, and the text of a mirror is not decoded before somebody asks for it.
 *
 * The bytes from the beginning of `data` to the end of the frame are taken whole, so what a hash was made of cannot stand
 * in another place of the line than that of `data`: what follows it is matched to the end of the line. A quote inside a
 * string is escaped, so no string can pass for a frame.
 */
import type { Entry, LineNames, ValueKey } from "./format.ts";

export type PrintedLine =
  | {
      readonly kind: "commit";
      readonly entry: Entry;
      /** What the hash covers, where the data is canonical. A copy. */
      readonly hashed: Uint8Array;
    }
  | { readonly kind: "mirror"; readonly entry: Entry; readonly key: ValueKey };

const text = "[ !#-\\[\\]-~]*";
const place = `,"id":"(${text})","parentId":(?:null|"(${text})"),"timestamp":"(${text})"\\}$`;
const commitEnd = new RegExp(
  `(,"hash":"[0-9a-f]+")(,"id":"${text}","prev":"[0-9a-f]+","v":[0-9]+,"version":[0-9]+\\})${place}`,
);
const mirrorEnd = new RegExp(`["\\]],"mirror":"${text}"${place}`);

/** Longer ends are rare: such a line is decoded. */
const endBytes = 640;

export class PrintedLines {
  readonly #commitHead: string;
  readonly #valueHeads: readonly (readonly [ValueKey, string])[];
  readonly #headBytes: number;

  constructor(names: LineNames) {
    const keys: readonly ValueKey[] = ["notes", "plan", "refs", "legacy"];
    this.#commitHead = `${headOf(names.events)}{`;
    this.#valueHeads = keys.map((key) => [key, headOf(names[key])]);
    this.#headBytes = this.#commitHead.length;
  }

  /** Undefined: another line, or printed in another way. */
  read(line: Buffer): PrintedLine | undefined {
    const head = line.toString("latin1", 0, this.#headBytes);
    if (head.startsWith(this.#commitHead)) return this.#readCommit(line);
    const value = this.#valueHeads.find(([, valueHead]) => head.startsWith(valueHead));
    return value === undefined ? undefined : readMirror(line, value[0]);
  }

  #readCommit(line: Buffer): PrintedLine | undefined {
    const match = commitEnd.exec(endOf(line));
    if (match === null) return undefined;
    const [whole, hash = "", rest = "", id = "", parentId, timestamp = ""] = match;
    const from = this.#commitHead.length - 1;
    const hashAt = line.length - whole.length;
    const restAt = hashAt + hash.length;
    const hashed = Buffer.concat([line.subarray(from, hashAt), line.subarray(restAt, restAt + rest.length)]);
    return { kind: "commit", entry: { id, parentId: parentId ?? null, timestamp }, hashed };
  }
}

function readMirror(line: Buffer, key: ValueKey): PrintedLine | undefined {
  const match = mirrorEnd.exec(endOf(line));
  if (match === null) return undefined;
  const [, id = "", parentId, timestamp = ""] = match;
  return { kind: "mirror", entry: { id, parentId: parentId ?? null, timestamp }, key };
}

function headOf(customType: string): string {
  return `{"type":"custom","customType":"${customType}","data":`;
}

function endOf(line: Buffer): string {
  return line.toString("latin1", Math.max(0, line.length - endBytes));
}
