/**
 * This tells the lines of a session that are plain messages of the host's, which are nearly all of them, without parsing any: whether each
 * is valid JSON, and where it hangs; and it finds the lines that may matter to a fold. The program is WebAssembly, built from `line-survey.wat` beside this file, where it is explained. It
 * passes over every line that is printed in an unusual way, and over all that are no messages: those are parsed. `npm test` holds it to
 * what parsing says.
 */
import type { RawBytes } from "./classify.ts";
import { decodeText, parseObject } from "./decode.ts";
import { EveryLine } from "./every-line.ts";
import type { Entry, HostLine, SessionLine } from "./format.ts";
import { exportsOf } from "./web-assembly.ts";

const program =
  "AGFzbQEAAAABIARgAX8Bf2ACf38Bf2AEf39/fwF/YAh/f39/fn5/fwF/AxQTAAAAAAAAAAABAQEBAQACAQECAwUDAQAQBxoDBm1lbW9yeQIABnN1cnZleQAOBHNjYW4A" +
  "Egr6FBMtAQF/A0AgAC0AACEBIAFBIEYgAUEJRiABQQ1GcnIEQCAAQQFqIQAMAQsLIAALFwAgAEEwa0EKSSAAQSByQeEAa0EGSXILfQEBfyAALQABIQEgAUH1AEYEQCAA" +
  "LQACEAEgAC0AAxABcSAALQAEEAEgAC0ABRABcXEEQCAAQQZqDwtBAA8LQsSA0QBChICCgICAgIAQIAFB4ABPGyABQSBrQeAASa0gAUHgAEEgIAFB4ABPG2uthoNQBEBB" +
  "AA8LIABBAmoLdgIBewJ/A0AgAP0ABAAhASABQSL9D/0jIAFB3AD9D/0j/VAgAUEg/Q/9Jv1Q/WQhAiACRQRAIABBEGohAAwBCyAAIAJoaiEAIAAtAAAhAyADQSJGBEAg" +
  "AEEBag8LIANB3ABHBEBBAA8LIAAQAiEAIAANAAtBAAtZAgF7AX8DQCAA/QAEACEBIAFBIv0P/SMgAUHcAP0P/SP9UCABQSD9D/0l/VD9ZCECIAJFBEAgAEEQaiEADAEL" +
  "IAAgAmhqIQALIABBAWpBACAALQAAQSJGGwsNACAALQAAQTBrQQpJCx8AIAAQBUUEQEEADwsDQCAAQQFqIQAgABAFDQALIAALjwEBAX8gAC0AAEEtRgRAIABBAWohAAsg" +
  "AC0AAEEwRgRAIABBAWohAAUgABAGIQAgAEUEQEEADwsLIAAtAABBLkYEQCAAQQFqEAYhACAARQRAQQAPCwsgAC0AAEEgckHlAEYEQCAAQQFqIQAgAC0AACEBIAFBK0Yg" +
  "AUEtRnIEQCAAQQFqIQALIAAQBiEACyAAC4EDAQF/IAAQACEAIAAtAAAhAiACQSJGBEAgAEEBahADDwsgAkH7AEYEQCABRQRAQQAPCyAAQQFqEAAhACAALQAAQf0ARgRA" +
  "IABBAWoPCwNAIAAtAABBIkcEQEEADwsgAEEBahADIQAgAEUEQEEADwsgABAAIQAgAC0AAEE6RwRAQQAPCyAAQQFqIAFBAWsQCCEAIABFBEBBAA8LIAAQACEAIAAtAAAh" +
  "AiAAQQFqIQAgAkEsRgRAIAAQACEADAELCyAAQQAgAkH9AEYbDwsgAkHbAEYEQCABRQRAQQAPCyAAQQFqEAAhACAALQAAQd0ARgRAIABBAWoPCwNAIAAgAUEBaxAIIQAg" +
  "AEUEQEEADwsgABAAIQAgAC0AACECIABBAWohACACQSxGDQALIABBACACQd0ARhsPCyAAKAIAQfTk1asGRgRAIABBBGoPCyAAKAIAQe7qseMGRgRAIABBBGoPCyACQeYA" +
  "RiAAKAIBQeHYzasGRnEEQCAAQQVqDwsgABAHCz4BAX8gAC0AAEEiRwRAQQAPCyAAQQFqIQAgABAEIQIgAkUEQEEADwsgASAANgIAIAEgAkEBayAAazYCBCACCzAAIAAQ" +
  "ACABEAkhACAARQRAQQAPCyAAEAAhACAALQAAQTpHBEBBAA8LIABBAWoQAAuaAQEDfyAALQAAQfsARwRAQQAPCwNAIABBAWogAUEoahAKIQAgAEUEQEEADwsgASgCKCEE" +
  "IAEoAixBBEYgBCgCAEHy3rGrBkZxBEAgAwRAQQAPC0EBIQMgACABQRxqEAkhAAUgAEEwEAghAAsgAEUEQEEADwsgABAAIQAgAC0AACECIAJBLEYNAAsgAEEBakEAIAMg" +
  "AkH9AEZxGwu8BAMEfwF+AX8gABAAIQAgAC0AAEH7AEcEQEEADwsDQCAAQQFqIAFBKGoQCiEAIABFBEBBAA8LIAEoAighBCABKAIsIQUgBCkDACEGQQAhAyAFQQJGIAZC" +
  "//8Dg0LpyAFRcQRAQQEhAyAAIAFBBGoQCSEACyAFQQhGIAZC8MLJq+aN3aTkAFFxBEBBAiEDIAAoAgBB7uqx4wZGBEAgAUEANgIMIABBBGohAAUgACABQQxqEAkhAAsL" +
  "IAVBCUYgBkL00rWrto7dsO0AUSAELQAIQfAARnFxBEBBBCEDIAAgAUEUahAJIQALIAVBB0YgBkL//////////wCDQu3KzZuX7NkyUXEEQEEIIQMgACABEAshAAsgBUEE" +
  "RiAGp0H08sGrBkZxBEAgACkDAEKi2pWbt67Ys+UAUSAALQAIQSJGcQRAQRAhAyAAQQlqIQAFIAApAwBCosbVm8fu27YiUQRAQYACIQMLIABBCGohAAsLIAVBCkYgBkLj" +
  "6s2j962bqvkAUSAELwEIQfDKAUZxcQRAQSAhAyAAIAFBHGoQCSEACyAFQQRGIAanQeTC0YsGRnEEQEHAACEDIABBMBAIIQALIAVBBkYgBkL///////8/g0Lt0smT980c" +
  "UXEEQEGAASEDIABBMBAIIQALIABFIANFIAIgA3FycgRAQQAPCyACIANyIQIgABAAIQAgAC0AACEHIAdBLEYNAAsgASACNgIwIABBAWoQACEAIABBACAHQf0ARiAALQAA" +
  "QQpGcRsLLAEBfwNAIAD9AAQAQQr9D/0j/WQhASABRQRAIABBEGohAAwBCwsgACABaGoLYAEDfyACIQQCQANAIAAgAU8NASAGIANPDQEgACAEEAwhBSAFRSAEKAIwQR9H" +
  "cgRAIARBADYCBCAAEA0hBQsgBCAFNgIAIAVBAWohACAEQSRqIQQgBkEBaiEGDAALCyAGC2cBAX8CQANAIABBEGsgAUgNASAAQRBr/QAEAEEK/Q/9I/1kIQIgAgRAIABB" +
  "EGtBICACZ2tqDwsgAEEQayEADAALCwJAA0AgACABTQ0BIABBAWstAABBCkYNASAAQQFrIQAMAAsLIAALIwADQCAA/QAEAP1kBEBBAA8LIABBEGohACAAIAFJDQALQQEL" +
  "mQECAX8BfiABIANJBEBBAA8LAkADQCAEIANPDQEgACAEai0AACACIARqLQAARwRAQQAPCyAEQQFqIQQMAAsLIAAgA2opAwAhBSABIANrIQQgBEUgBEEGRiAFQv//////" +
  "/z+DQrrcvaPX7BxRcSAEQQVGIAVC//////8fg0K64LGL5g1RIAVC//////8fg0K65JWztg5RcnFycguhAwQEfwF+BX8CeyACQcAAayEQIAIhCwJAA0AgCCAATw0BIAj9" +
  "AAQAIRIgCP0ABAFB9QD9D/0jIRMgEkEi/Q/9IyATIAj9AAQBIAP9D/0j/VD9TiASQdwA/Q/9IyAT/U79UP1kIQkCQANAIAlFDQEgCCAJaGohCiAJIAlBAWtxIQkgCiAN" +
  "SQ0AIAopAwAhDCAMQv///////z+DQqLqzaumzghRIAwgBYMgBFFyIAxC/////w+DQtzqwYEDUSAKLQAEQTJrQQZJcXJFDQAgCiANEA8hDiAKEA0hDyAPQQFqIQ1BACER" +
  "IA4gAU8gDyAASXEEQCAOIBAQDARAIBAoAjBBH0YEQEGAgICABEGAgICAeCAOIA8QEBshESAQKAIgQQRHIBAoAhwoAgBB9eaVkwdHcgRAIBFBgICAgARGDQRBgICAgHwh" +
  "EQsLIAdBAEcgECgCMEHnA0ZxIBAoAhwgECgCICAGIAcQESAOIA8QEHFxDQILCyALIA4gEXI2AgAgCyAPNgIEIAtBCGohCwwACwsgCEEQaiEIDAALCyALIAJrQQN2Cw==";

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
  for (let lines = 0; lines < linesMax; lines++) {
    const feed = part.indexOf(lineFeed, end);
    if (feed === -1) break;
    end = feed + 1;
  }
  return end;
}

/**
 * The result has the whole lines of a part of a file, which begins at `start` and has at most {@link surveyBytesMax} bytes, or the first of
 * them if they are very many. Nothing overwrites them. `count` lines are before it.
 */
export function surveyLines(
  part: Buffer,
  isUtf8: (bytes: Buffer) => boolean,
  start: number,
  count: number,
): SurveyedLine[] {
  const whole = part.subarray(0, endOfLines(part));
  const place: Part = { bytes: part, offset: start };
  const lines: SurveyedLine[] = [];
  const onLine: OnSurveyed = (at, feed, host) => {
    lines.push(new SurveyedLine(place, at, feed, count + lines.length + 1, host));
  };
  const survey = surveyOf(whole);
  if (survey !== undefined && isUtf8(whole)) survey.look(whole, onLine);
  else new EveryLine(0).push(whole, (at, end) => onLine(at, end - 1, undefined));
  return lines;
}

export class LineSurvey {
  readonly #program: Program;
  readonly #bytes: Uint8Array;
  readonly #out: Uint32Array;
  /** This was searched for last, and how the program is told. */
  #searched: Searched | undefined;
  #clue = { first: 0, word: 0n, mask: 0n, skipped: 0 };

  private constructor(program: Program) {
    const { buffer } = program.memory;
    this.#program = program;
    this.#bytes = new Uint8Array(buffer);
    this.#out = new Uint32Array(buffer, outAt);
  }

  /** The result is undefined if the machine runs no such programs. */
  static make(): LineSurvey | undefined {
    const made = exportsOf<Program>(program);
    return made && new LineSurvey(made);
  }

  /** `lines` are whole lines with their line feeds, UTF-8, and at most {@link surveyBytesMax} bytes. */
  look(lines: Buffer, onLine: OnSurveyed): void {
    this.#bytes.set(lines);
    const out = this.#out;
    const linesMax = Math.floor(out.length / numbersOfLine) - 1;
    for (let start = 0; start < lines.length; ) {
      const count = this.#program.survey(start, lines.length, outAt, linesMax);
      for (let at = 0; at < count * numbersOfLine; at += numbersOfLine) {
        const feed = out[at] as number;
        onLine(start, feed, out[at + 1] === 0 ? undefined : new PlainMessage(lines, start, out, at));
        start = feed + 1;
      }
    }
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

/** Two numbers say where a text begins and how long it is. */
function textAt(part: Buffer, numbers: Uint32Array, at: number): string {
  const begin = numbers[at] as number;
  return part.toString("latin1", begin, begin + (numbers[at + 1] as number));
}

/** The fields of a line can be asked for also when what was read of the file was overwritten. */
export function keepBytes(line: SessionLine): void {
  if (line instanceof PlainMessage) line.keep();
}

/** Its fields are parsed when somebody asks for them. */
class PlainMessage implements HostLine {
  readonly kind = "host";
  readonly type = "message";
  readonly customType = undefined;
  readonly isPlain = true;
  readonly entry: Entry;
  readonly role: string;
  #part: Buffer;
  #start: number;
  #feed: number;
  #fields: HostLine["fields"];

  /** The line stands in `part`. From `at` on, the numbers say where it ends, and where its texts stand. */
  constructor(part: Buffer, start: number, numbers: Uint32Array, at: number) {
    const parentId = numbers[at + 3] === 0 ? null : textAt(part, numbers, at + 3);
    this.entry = { id: textAt(part, numbers, at + 1), parentId, timestamp: textAt(part, numbers, at + 5) };
    this.role = textAt(part, numbers, at + 7);
    [this.#part, this.#start, this.#feed] = [part, start, numbers[at] as number];
  }

  keep(): void {
    this.#part = Buffer.from(this.#part.subarray(this.#start, this.#feed));
    [this.#start, this.#feed] = [0, this.#part.length];
  }

  get fields(): NonNullable<HostLine["fields"]> {
    this.#fields ??= parseObject(this.#part.subarray(this.#start, this.#feed)) ?? {};
    return this.#fields;
  }
}
