/**
 * Our lines as our own writer prints them, told by their first and last bytes. Most of ours are: then a commit's hash is
 * taken of its text as it stands, only its data is parsed, and the text of a mirror is not decoded before somebody asks
 * for it.
 *
 * The text from the beginning of `data` to the end of the frame is taken whole, so what a hash was made of cannot stand
 * in another place of the line than that of `data`: what follows it is matched to the end of the line. A quote inside a
 * string is escaped, so no string can pass for a frame.
 */
import { decodeCommitJson, decodeText } from "./decode.ts";
import type { Entry, JournalLine, LineNames, ValueKey } from "./format.ts";

export type PrintedLine =
  | {
      readonly kind: "commit";
      readonly line: JournalLine;
      /** What the hash covers, where the data is canonical. */
      readonly hashed: string;
    }
  | { readonly kind: "mirror"; readonly entry: Entry; readonly key: ValueKey };

const text = "[ !#-\\[\\]-~]*";
const place = `,"id":"(${text})","parentId":(?:null|"(${text})"),"timestamp":"(${text})"\\}$`;
const commitEnd = new RegExp(
  `(,"hash":"[0-9a-f]+")(,"id":"${text}","prev":"[0-9a-f]+","v":[0-9]+,"version":[0-9]+\\})${place}`,
  "y",
);
const mirrorEnd = new RegExp(`,"mirror":"${text}"${place}`, "y");

/** Longer ends are rare: such a line is decoded. */
const endBytes = 640;

interface ValueHead {
  readonly key: ValueKey;
  readonly head: string;
}

export class PrintedLines {
  readonly #commitHead: string;
  /** Where the custom types begin to be unlike, and how they go on there. */
  readonly #tellingAt: number;
  readonly #commitByte: number;
  readonly #valueHeads: ReadonlyMap<number | undefined, ValueHead>;

  constructor(names: LineNames) {
    const keys: readonly ValueKey[] = ["notes", "plan", "refs", "legacy"];
    const at = headOf(names.namespace).indexOf(names.namespace) + names.namespace.length + 1;
    const valueHeads = keys.map((key) => ({ key, head: headOf(names[key]) }));
    this.#tellingAt = at;
    this.#commitHead = `${headOf(names.events)}{`;
    this.#commitByte = this.#commitHead.charCodeAt(at);
    this.#valueHeads = new Map(valueHeads.map((value) => [value.head.charCodeAt(at), value]));
  }

  /** Undefined: another line, or printed in another way. */
  read(line: Buffer): PrintedLine | undefined {
    const byte = line[this.#tellingAt];
    if (byte === this.#commitByte) return this.#readCommit(line);
    const value = this.#valueHeads.get(byte);
    if (value === undefined) return undefined;
    const { key, head } = value;
    return line.toString("latin1", 0, head.length) === head ? readMirror(line, key) : undefined;
  }

  #readCommit(bytes: Buffer): PrintedLine | undefined {
    const line = decodeText(bytes);
    if (line === undefined || !line.startsWith(this.#commitHead)) return undefined;
    const match = matchEnd(commitEnd, line, ',"hash":"');
    if (match === null) return undefined;
    const [, hash = "", rest = "", id = "", parentId = null, timestamp = ""] = match;
    const from = this.#commitHead.length - 1;
    const hashAt = match.index;
    const restAt = hashAt + hash.length;
    const end = restAt + rest.length;
    const decoded = decodeCommitJson(line.slice(from, end), { id, parentId, timestamp });
    if (decoded === undefined) return undefined;
    return { kind: "commit", line: decoded, hashed: line.slice(from, hashAt) + rest };
  }
}

function readMirror(line: Buffer, key: ValueKey): PrintedLine | undefined {
  const end = line.toString("latin1", Math.max(0, line.length - endBytes));
  const match = matchEnd(mirrorEnd, end, ',"mirror":"');
  const before = match === null ? undefined : end[match.index - 1];
  if (match === null || (before !== '"' && before !== "]")) return undefined;
  const [, id = "", parentId = null, timestamp = ""] = match;
  return { kind: "mirror", entry: { id, parentId, timestamp }, key };
}

/** The pattern admits its beginning nowhere else, so it can only match where that stands last. */
function matchEnd(pattern: RegExp, line: string, beginning: string): RegExpExecArray | null {
  const at = line.lastIndexOf(beginning);
  if (at === -1) return null;
  pattern.lastIndex = at;
  return pattern.exec(line);
}

function headOf(customType: string): string {
  return `{"type":"custom","customType":"${customType}","data":`;
}
