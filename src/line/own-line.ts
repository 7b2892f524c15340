/**
 * Our lines as our own writer prints them, told by their first and last bytes. Most of ours are: then a commit's hash is
 * taken of its text as it stands, only its data is parsed, and the text of a mirror is not decoded before somebody asks
 * for it.
 *
 * The text from the beginning of `data` to the end of the frame is taken whole, so what a hash was made of cannot stand
 * in another place of the line than that of `data`: what follows it is matched to the end of the line. A quote inside a
 * string is escaped, so no string can pass for a frame.
 */
import { classify } from "./classify.ts";
import { decodeCommitJson, decodeText } from "./decode.ts";
import type { Entry, LineNames, SessionLine, ValueKey } from "./format.ts";
import { isCanonical } from "./json.ts";

/** A mirror whose text was not decoded. It may turn out to be broken, but never to be anything else. */
export interface PassedMirror {
  readonly kind: "mirror";
  readonly entry: Entry;
  readonly key: ValueKey;
}

const text = "[ !#-\\[\\]-~]*";
const place = `,"id":"(${text})","parentId":(?:null|"(${text})"),"timestamp":"(${text})"\\}$`;
const commitEnd = new RegExp(
  `(,"hash":"[0-9a-f]+")(,"id":"${text}","prev":"[0-9a-f]+"(?:,"redacted":\\{"hash":"[0-9a-f]+"\\})?,"v":[0-9]+,"version":[0-9]+\\})${place}`,
  "y",
);
const mirrorEnd = new RegExp(`,"mirror":"${text}"${place}`, "y");

/** Longer ends are rare: such a line is decoded. */
const endBytes = 640;

const quote = 0x22;
const backslash = 0x5c;

interface ValueHead {
  readonly key: ValueKey;
  readonly head: string;
}

export class OwnLineDecoder {
  readonly #commitHead: string;
  /** Where the custom types begin to be unlike, and how they go on there. */
  readonly #tellingAt: number;
  readonly #commitByte: number;
  readonly #valueHeads: ReadonlyMap<number | undefined, ValueHead>;

  readonly #names: LineNames;

  constructor(names: LineNames) {
    this.#names = names;
    const keys: readonly ValueKey[] = ["notes", "plan", "refs", "legacy"];
    const at = headOf(names.namespace).indexOf(names.namespace) + names.namespace.length + 1;
    const valueHeads = keys.map((key) => ({ key, head: headOf(names[key]) }));
    this.#tellingAt = at;
    this.#commitHead = `${headOf(names.events)}{`;
    this.#commitByte = this.#commitHead.charCodeAt(at);
    this.#valueHeads = new Map(valueHeads.map((value) => [value.head.charCodeAt(at), value]));
  }

  /** As the function `classify`, but for mirrors. */
  classify(line: Buffer): SessionLine | PassedMirror {
    return this.read(line) ?? classify(line, this.#names);
  }

  /** The result is undefined for any other line, or one that was printed in another way. */
  read(line: Buffer): SessionLine | PassedMirror | undefined {
    const byte = line[this.#tellingAt];
    if (byte === this.#commitByte) return this.#readCommit(line);
    const value = this.#valueHeads.get(byte);
    if (value === undefined) return undefined;
    const { key, head } = value;
    return line.toString("latin1", 0, head.length) === head ? readMirror(line, head.length, key) : undefined;
  }

  #readCommit(bytes: Buffer): SessionLine | undefined {
    const line = decodeText(bytes);
    if (line === undefined || !line.startsWith(this.#commitHead)) return undefined;
    const match = matchEnd(commitEnd, line, ',"hash":"');
    if (match === null) return undefined;
    const [, hash = "", rest = "", id = "", parentId = null, timestamp = ""] = match;
    const from = this.#commitHead.length - 1;
    const hashAt = match.index;
    const restAt = hashAt + hash.length;
    const end = restAt + rest.length;
    const json = line.slice(from, end);
    const decoded = decodeCommitJson(json, { id, parentId, timestamp });
    if (decoded?.kind !== "commit" || !isCanonical(json, decoded.data)) return decoded;
    const { entry, data } = decoded;
    return { kind: "commit", entry, data, hashed: line.slice(from, hashAt) + rest };
  }
}

/** Of a text without a bare quote in it, so that nothing else can stand between the beginning and the end. */
function readMirror(line: Buffer, headLength: number, key: ValueKey): PassedMirror | undefined {
  if (line[headLength] !== quote) return undefined;
  const endAt = Math.max(0, line.length - endBytes);
  const end = line.toString("latin1", endAt);
  const match = matchEnd(mirrorEnd, end, ',"mirror":"');
  if (match === null || stringEnd(line, headLength) !== endAt + match.index - 1) return undefined;
  const [, id = "", parentId = null, timestamp = ""] = match;
  return { kind: "mirror", entry: { id, parentId, timestamp }, key };
}

/** Where the string ends that begins at `start`; -1 where it does not. */
function stringEnd(line: Buffer, start: number): number {
  for (let at = line.indexOf(quote, start + 1); at !== -1; at = line.indexOf(quote, at + 1)) {
    let slashes = 0;
    while (line[at - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return -1;
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
