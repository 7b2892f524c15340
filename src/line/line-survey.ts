/**
 * This tells the lines of a session that are plain messages of the host's, which are nearly all of them, without parsing any: whether each
 * is valid JSON, and where it hangs; and it finds the lines that may matter to a fold. The program is WebAssembly, built from `line-survey.wat` beside this file, where it is explained. It
 * passes over every line that is printed in an unusual way, and over all that are no messages: those are parsed. `npm test` holds it to
 * what parsing says.
 */
import type { RawBytes } from "./classify.ts";
import { decodeText } from "./decode.ts";
import { EveryLine } from "./every-line.ts";
import type { HostLine } from "./format.ts";
import { type Numbers, PlainMessage } from "./plain-message.ts";
import { exportsOf } from "./web-assembly.ts";

const program =
  "AGFzbQEAAAABIARgAX8Bf2ACf38Bf2AEf39/fwF/YAh/f39/fn5/fwF/AxQTAAAAAAAAAAABAQEBAQACAQECAwUDAQAQBxoDBm1lbW9yeQIABnN1cnZleQAOBHNjYW4A" +
  "EgrAFRMtAQF/A0AgAC0AACEBIAFBIEYgAUEJRiABQQ1GcnIEQCAAQQFqIQAMAQsLIAALFwAgAEEwa0EKSSAAQSByQeEAa0EGSXILfQEBfyAALQABIQEgAUH1AEYEQCAA" +
  "LQACEAEgAC0AAxABcSAALQAEEAEgAC0ABRABcXEEQCAAQQZqDwtBAA8LQsSA0QBChICCgICAgIAQIAFB4ABPGyABQSBrQeAASa0gAUHgAEEgIAFB4ABPG2uthoNQBEBB" +
  "AA8LIABBAmoLuwECAXsDfwNAIAD9AAQAIQEgAUEi/Q/9IyABQdwA/Q/9I/1QIAFBIP0P/Sb9UP1kIQIDQCACRQRAIABBEGohAAwCCyAAIAJoaiEEIAQtAAAhAyADQSJG" +
  "BEAgBEEBag8LIANB3ABHBEBBAA8LIAQtAAEhAyADQe4ARiADQSJGIANB3ABGcnIEQCACaEECaiEEIARBEEkEQCACQX8gBHRxIQIMAgsgACAEaiEADAILIAQQAiEAIAAN" +
  "AQsLQQALWQIBewF/A0AgAP0ABAAhASABQSL9D/0jIAFB3AD9D/0j/VAgAUEg/Q/9Jf1Q/WQhAiACRQRAIABBEGohAAwBCyAAIAJoaiEACyAAQQFqQQAgAC0AAEEiRhsL" +
  "DQAgAC0AAEEwa0EKSQsfACAAEAVFBEBBAA8LA0AgAEEBaiEAIAAQBQ0ACyAAC48BAQF/IAAtAABBLUYEQCAAQQFqIQALIAAtAABBMEYEQCAAQQFqIQAFIAAQBiEAIABF" +
  "BEBBAA8LCyAALQAAQS5GBEAgAEEBahAGIQAgAEUEQEEADwsLIAAtAABBIHJB5QBGBEAgAEEBaiEAIAAtAAAhASABQStGIAFBLUZyBEAgAEEBaiEACyAAEAYhAAsgAAuB" +
  "AwEBfyAAEAAhACAALQAAIQIgAkEiRgRAIABBAWoQAw8LIAJB+wBGBEAgAUUEQEEADwsgAEEBahAAIQAgAC0AAEH9AEYEQCAAQQFqDwsDQCAALQAAQSJHBEBBAA8LIABB" +
  "AWoQAyEAIABFBEBBAA8LIAAQACEAIAAtAABBOkcEQEEADwsgAEEBaiABQQFrEAghACAARQRAQQAPCyAAEAAhACAALQAAIQIgAEEBaiEAIAJBLEYEQCAAEAAhAAwBCwsg" +
  "AEEAIAJB/QBGGw8LIAJB2wBGBEAgAUUEQEEADwsgAEEBahAAIQAgAC0AAEHdAEYEQCAAQQFqDwsDQCAAIAFBAWsQCCEAIABFBEBBAA8LIAAQACEAIAAtAAAhAiAAQQFq" +
  "IQAgAkEsRg0ACyAAQQAgAkHdAEYbDwsgACgCAEH05NWrBkYEQCAAQQRqDwsgACgCAEHu6rHjBkYEQCAAQQRqDwsgAkHmAEYgACgCAUHh2M2rBkZxBEAgAEEFag8LIAAQ" +
  "Bws+AQF/IAAtAABBIkcEQEEADwsgAEEBaiEAIAAQBCECIAJFBEBBAA8LIAEgADYCACABIAJBAWsgAGs2AgQgAgswACAAEAAgARAJIQAgAEUEQEEADwsgABAAIQAgAC0A" +
  "AEE6RwRAQQAPCyAAQQFqEAALmgEBA38gAC0AAEH7AEcEQEEADwsDQCAAQQFqIAFBKGoQCiEAIABFBEBBAA8LIAEoAighBCABKAIsQQRGIAQoAgBB8t6xqwZGcQRAIAME" +
  "QEEADwtBASEDIAAgAUEcahAJIQAFIABBMBAIIQALIABFBEBBAA8LIAAQACEAIAAtAAAhAiACQSxGDQALIABBAWpBACADIAJB/QBGcRsLvAQDBH8BfgF/IAAQACEAIAAt" +
  "AABB+wBHBEBBAA8LA0AgAEEBaiABQShqEAohACAARQRAQQAPCyABKAIoIQQgASgCLCEFIAQpAwAhBkEAIQMgBUECRiAGQv//A4NC6cgBUXEEQEEBIQMgACABQQRqEAkh" +
  "AAsgBUEIRiAGQvDCyavmjd2k5ABRcQRAQQIhAyAAKAIAQe7qseMGRgRAIAFBADYCDCAAQQRqIQAFIAAgAUEMahAJIQALCyAFQQlGIAZC9NK1q7aO3bDtAFEgBC0ACEHw" +
  "AEZxcQRAQQQhAyAAIAFBFGoQCSEACyAFQQdGIAZC//////////8Ag0Ltys2bl+zZMlFxBEBBCCEDIAAgARALIQALIAVBBEYgBqdB9PLBqwZGcQRAIAApAwBCotqVm7eu" +
  "2LPlAFEgAC0ACEEiRnEEQEEQIQMgAEEJaiEABSAAKQMAQqLG1ZvH7tu2IlEEQEGAAiEDCyAAQQhqIQALCyAFQQpGIAZC4+rNo/etm6r5AFEgBC8BCEHwygFGcXEEQEEg" +
  "IQMgACABQRxqEAkhAAsgBUEERiAGp0HkwtGLBkZxBEBBwAAhAyAAQTAQCCEACyAFQQZGIAZC////////P4NC7dLJk/fNHFFxBEBBgAEhAyAAQTAQCCEACyAARSADRSAC" +
  "IANxcnIEQEEADwsgAiADciECIAAQACEAIAAtAAAhByAHQSxGDQALIAEgAjYCMCAAQQFqEAAhACAAQQAgB0H9AEYgAC0AAEEKRnEbCywBAX8DQCAA/QAEAEEK/Q/9I/1k" +
  "IQEgAUUEQCAAQRBqIQAMAQsLIAAgAWhqC2ABA38gAiEEAkADQCAAIAFPDQEgBiADTw0BIAAgBBAMIQUgBUUgBCgCMEEfR3IEQCAEQQA2AgQgABANIQULIAQgBTYCACAF" +
  "QQFqIQAgBEEkaiEEIAZBAWohBgwACwsgBgtnAQF/AkADQCAAQRBrIAFIDQEgAEEQa/0ABABBCv0P/SP9ZCECIAIEQCAAQRBrQSAgAmdrag8LIABBEGshAAwACwsCQANA" +
  "IAAgAU0NASAAQQFrLQAAQQpGDQEgAEEBayEADAALCyAACyMAA0AgAP0ABAD9ZARAQQAPCyAAQRBqIQAgACABSQ0AC0EBC5kBAgF/AX4gASADSQRAQQAPCwJAA0AgBCAD" +
  "Tw0BIAAgBGotAAAgAiAEai0AAEcEQEEADwsgBEEBaiEEDAALCyAAIANqKQMAIQUgASADayEEIARFIARBBkYgBUL///////8/g0K63L2j1+wcUXEgBEEFRiAFQv//////" +
  "H4NCuuCxi+YNUSAFQv//////H4NCuuSVs7YOUXJxcnILoQMEBH8BfgV/AnsgAkHAAGshECACIQsCQANAIAggAE8NASAI/QAEACESIAj9AAQBQfUA/Q/9IyETIBJBIv0P" +
  "/SMgEyAI/QAEASAD/Q/9I/1Q/U4gEkHcAP0P/SMgE/1O/VD9ZCEJAkADQCAJRQ0BIAggCWhqIQogCSAJQQFrcSEJIAogDUkNACAKKQMAIQwgDEL///////8/g0Ki6s2r" +
  "ps4IUSAMIAWDIARRciAMQv////8Pg0Lc6sGBA1EgCi0ABEEya0EGSXFyRQ0AIAogDRAPIQ4gChANIQ8gD0EBaiENQQAhESAOIAFPIA8gAElxBEAgDiAQEAwEQCAQKAIw" +
  "QR9GBEBBgICAgARBgICAgHggDiAPEBAbIREgECgCIEEERyAQKAIcKAIAQfXmlZMHR3IEQCARQYCAgIAERg0EQYCAgIB8IRELCyAHQQBHIBAoAjBB5wNGcSAQKAIcIBAo" +
  "AiAgBiAHEBEgDiAPEBBxcQ0CCwsgCyAOIBFyNgIAIAsgDzYCBCALQQhqIQsMAAsLIAhBEGohCAwACwsgCyACa0EDdgs=";

type Survey = (start: number, end: number, out: number, linesMax: number) => number;

type Scan = (
  ...numbers: [
    ...[length: number, begin: number, out: number, first: number],
    ...[name: bigint, nameMask: bigint],
    ...[names: number, skipped: number],
  ]
) => number;

interface Program {
  readonly survey: Survey;
  readonly scan: Scan;
  readonly memory: { readonly buffer: ArrayBuffer };
}

/** So many bytes are looked at at once. */
export const surveyBytesMax = 256 * 1024;

const nameAt = surveyBytesMax + 64;
const nameBytesMax = 256;
const outAt = nameAt + nameBytesMax + 128;
const numbersOfLine = 9;

const lineFeed = 0x0a;
const startBits = 0x3fffffff;

/** This is what lines are searched for. With `skipsMirrors`, lines that repeat a value may be left out. */
export interface Searched {
  readonly namespace: string;
  readonly skipsMirrors: boolean;
}

/** This is called for each line that may matter. `feed` is where its line feed is, or how many bytes there are. */
export type OnFound = (start: number, feed: number, isTurn: boolean) => void;

/** This is called for each line, with where it begins, where its line feed is, and what it is if it is a plain message. */
export type OnSurveyed = (start: number, feed: number, message: HostLine | undefined) => void;

/** Less is looked at line by line: a program must be made before it is fast. */
const plainBytesMax = 16 * 1024;

/** All searches share one survey. It is false until it is needed. */
let survey: LineSurvey | undefined | false = false;

/** The result is undefined if the bytes are few and no survey was made for others, or if the machine runs no such programs. */
export function surveyOf(bytes: Buffer): LineSurvey | undefined {
  if (survey === false && bytes.length > plainBytesMax) survey = LineSurvey.make();
  return survey === false ? undefined : survey;
}

/** A part of a file begins at `offset`. */
interface Part {
  readonly bytes: Buffer;
  readonly offset: number;
}

/** This is a whole line of a file. Nobody asks for the bytes of most lines. */
export class SurveyedLine implements RawBytes {
  readonly offset: number;
  readonly number: number;
  readonly size: number;
  readonly ended = true;
  readonly host: HostLine | undefined;
  declare found?: NonNullable<RawBytes["found"]>;
  readonly #part: Part;

  constructor(part: Part, start: number, feed: number, number: number, host: HostLine | undefined) {
    this.offset = part.offset + start;
    this.number = number;
    this.size = feed - start;
    this.host = host;
    this.#part = part;
  }

  get bytes(): Buffer {
    const start = this.offset - this.#part.offset;
    return this.#part.bytes.subarray(start, start + this.size);
  }
}

/** Held at once, many blank lines take more than a hundred times their bytes. */
const linesMax = 4000;

/** The result is where the last of the whole lines ends, or the last that is to be held. */
function endOfLines(part: Buffer): number {
  let end = 0;
  for (let lines = 0; lines < linesMax && end < part.length; lines++) end = part.indexOf(lineFeed, end) + 1;
  return end;
}

/**
 * The result has the whole lines of a part of a file, which begins at `start` and has at most {@link surveyBytesMax} bytes, or the first of
 * them if they are very many. Nothing overwrites them. `count` lines are before it. A part that lies in the room of `survey` is looked at there.
 */
export function surveyLines(
  part: Buffer,
  isUtf8: (bytes: Buffer) => boolean,
  start: number,
  count: number,
  survey = surveyOf(part),
): SurveyedLine[] {
  const whole = part.subarray(0, part.lastIndexOf(lineFeed) + 1);
  const place: Part = { bytes: part, offset: start };
  const lines: SurveyedLine[] = [];
  const onLine: OnSurveyed = (at, feed, host) => {
    lines.push(new SurveyedLine(place, at, feed, count + lines.length + 1, host));
  };
  if (survey !== undefined && isUtf8(whole)) survey.look(whole, onLine, linesMax);
  else new EveryLine(0).push(part.subarray(0, endOfLines(whole)), (at, end) => onLine(at, end - 1, undefined));
  return lines;
}

export class LineSurvey {
  /** What is read into it is looked at without being copied. */
  readonly room: Buffer;
  readonly #program: Program;
  readonly #bytes: Uint8Array;
  readonly #out: Uint32Array;
  /** This was searched for last, and how the program is told. */
  #searched: Searched | undefined;
  #clue = { first: 0, word: 0n, mask: 0n, skipped: 0 };

  private constructor(program: Program) {
    const { buffer } = program.memory;
    this.#program = program;
    this.room = Buffer.from(buffer, 0, surveyBytesMax);
    this.#bytes = new Uint8Array(buffer);
    this.#out = new Uint32Array(buffer, outAt);
  }

  /** The result is undefined if the machine runs no such programs. */
  static make(): LineSurvey | undefined {
    const made = exportsOf<Program>(program);
    return made && new LineSurvey(made);
  }

  /** `lines` are whole lines with their line feeds, UTF-8, and at most {@link surveyBytesMax} bytes. No more than `most` are looked at. */
  look(lines: Buffer, onLine: OnSurveyed, most = Number.POSITIVE_INFINITY): void {
    const numbers: Numbers = { out: this.#out, base: this.#placeOf(lines), at: 0 };
    const { out, base } = numbers;
    let before: PlainMessage | undefined;
    let left = most;
    for (let start = 0; start < lines.length && left > 0; ) {
      const count = this.#program.survey(base + start, base + lines.length, outAt, Math.min(left, linesMax));
      left -= count;
      for (numbers.at = 0; numbers.at < count * numbersOfLine; numbers.at += numbersOfLine) {
        const feed = (out[numbers.at] as number) - base;
        const isMessage = out[numbers.at + 1] !== 0;
        before = isMessage ? new PlainMessage(lines, start, feed, numbers, before?.entry.id) : undefined;
        onLine(start, feed, before);
        start = feed + 1;
      }
    }
  }

  /** Bytes of elsewhere are copied. */
  #placeOf(lines: Buffer): number {
    if (lines.buffer === this.#bytes.buffer) return lines.byteOffset;
    this.#bytes.set(lines);
    return 0;
  }

  /** See `Clues.lines`. There are at most {@link surveyBytesMax} bytes. */
  scan(bytes: Buffer, begin: number, searched: Searched, onFound: OnFound): void {
    const { length } = bytes;
    this.#bytes.set(bytes);
    this.#bytes.fill(0, length, length + 33);
    this.#bytes[length] = lineFeed;
    if (searched !== this.#searched) this.#searchFor(searched);
    const { first, word, mask, skipped } = this.#clue;
    const count = this.#program.scan(length, begin, outAt, first, word, mask, nameAt, skipped);
    // Whoever is told may search something else.
    const found = this.#out.slice(0, 2 * count);
    for (let at = 0; at < found.length; at += 2) {
      const number = found[at] as number;
      const [kind, start] = [number >>> 30, number & startBits];
      const feed = found[at + 1] as number;
      const isMessage = kind === 1 || (kind > 1 && decodeText(bytes.subarray(start, feed)) !== undefined);
      // A message that is not the user's is only looked at where it is no UTF-8: it may be damage.
      if (!isMessage || kind !== 3) onFound(start, feed, isMessage);
    }
  }

  /** Few search for more than one thing. */
  #searchFor(searched: Searched): void {
    const name = Buffer.from(`"${searched.namespace}`);
    const [word, mask] = [Buffer.alloc(8), Buffer.alloc(8)];
    word.set(name.subarray(0, 8));
    mask.fill(0xff, 0, Math.min(8, name.length));
    const skipped = searched.skipsMirrors && name.length <= nameBytesMax ? name.length - 1 : 0;
    this.#bytes.set(name.subarray(1, 1 + skipped), nameAt);
    this.#clue = { first: name[1] ?? 0, word: word.readBigInt64LE(), mask: mask.readBigInt64LE(), skipped };
    this.#searched = searched;
  }
}
