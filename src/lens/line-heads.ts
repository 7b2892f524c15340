/**
 * This passes lines of other clients' sessions sixteen bytes at a time, which no function of Node does. The head of a line is what is
 * the same in thousands of lines: it is understood once, and from then on the program recognises it, and finds the line's id. The program
 * is WebAssembly, built from `line-heads.wat` beside this file, where it is explained. A line that it does not settle is looked at more
 * closely, and all are if the machine runs no such programs; `npm test` holds it to what parsing every line says.
 */
import { exportsOf } from "../line/web-assembly.ts";
import type { LensLine, LensPiece } from "./lens.ts";
import { ToldObject, toldAt } from "./told-object.ts";

export { toldAt };

const program =
  "AGFzbQEAAAABGgRgAX8Bf2ACf38Bf2ADf39/AX9gA39/fgF/AyEgAAEAAgACAAEAAAAAAQABAQEBAQEBAQAAAgACAQEDAAEFAwEAWAYQA38BQQALfwFBAAt/AUEACwc8BwZt" +
  "ZW1vcnkCAAZvYmplY3QAEARuZXh0ABEGY2xhdWRlABUFY29kZXgAGAZnZW1pbmkAHAVkcm9pZAAfCoUqIIABAQV7QQr9DyEBA0AgAP0ABAAgAf0jIQIgAP0ABBAgAf0jIQMg" +
  "AP0ABCAgAf0jIQQgAP0ABDAgAf0jIQUgAiAD/VAgBCAF/VD9UP1TRQRAIABBwABqIQAMAQsLIAAgAv1krSAD/WStQhCGhCAE/WStQiCGIAX9ZK1CMIaEhHqnaguGAQEFe0EK" +
  "/Q8hAkEi/Q8hAyAB/Q8hBANAIAD9AAQAIQUgAP0ABBAhBiAFIAL9IyAFIAP9IyAA/QAEASAE/SP9Tv1QIQUgBiAC/SMgBiAD/SMgAP0ABBEgBP0j/U79UCEGIAUgBv1Q/VNF" +
  "BEAgAEEgaiEADAELCyAAIAX9ZCAG/WRBEHRyaGoLNQADQCAAQfUAEAEhACAALQAAQSJGIAApAwBCourVy8bMiJ0iUnEEQCAAQQFqIQAMAQsLIAALkQEBAX8gAkEQSQRAA0Ag" +
  "AyACTwRAQQEPCyAAIANqLQAAIAEgA2otAABHBEBBAA8LIANBAWohAwwACwsgAkEQayECIAAgAmr9AAQAIAEgAmr9AAQA/VH9UwRAQQAPCwNAIAMgAk4EQEEBDwsgACADav0A" +
  "BAAgASADav0ABAD9Uf1TBEBBAA8LIANBEGohAwwACwALFwAgAEGBgoQIayAAQX9zcUGAgYKEeHEL3QEBBH9BxbvyiHghA0HHmK34AiEEA0AgASgCACEGIAIgAWtBBEgEQCAG" +
  "QQEgAiABa0EDdHRBAWtxIQYLIAUgBkGKlKjQAHMQBHIgBkGixIiRAnMQBCAGQdy48eIFcxAEcnIhBSADIAZzQbHz3fF5bCEDIAMgA0EPdnMhAyAEIAZzQeuUr694bCEEIAQg" +
  "BEENdnMhBCABQQRqIQEgASACSA0ACyAFBEAgAEQAAAAAAAAAADkDAEEADwsgAEQAAAAAAADwPyADuEQAAAAAAABAQaIgBEELdrigoDkDAEEBC0MBAn8gACEBA0AgAS0AACEC" +
  "IAJBIkYEQCABDwsgAkHcAEYgAkEKRnIEQCAADwsgAUEBaiEBIAEgAGtBwABJDQALIAALvwECAXsDfyABQQFrIQEgAS0AAEH9AEcEQEEADwsDQCABIABNBEBBAA8LIAFBEGsh" +
  "ASAB/QAEACECIAJB/QD9D/0jIAJB3AD9D/0j/VD9ZCEDIAJBIv0P/SMgAf0ABAFB9QD9D/0j/U79ZCEEA0AgBARAQR8gBGdrIQUgBEEBIAV0cyEEIAEgBWopAwBCourVy8bM" +
  "iJ0iUg0BIAMgBXYgASAFaiAASXIEQEEADwsgASAFakEIag8LCyADRQ0AC0EACxcAIABBMGtBCkkgAEEgckHhAGtBBklyC9kBAgF7An8DQCAA/QAEACEBIAFBIP0P/SYgAUEi" +
  "/Q/9IyABQdwA/Q/9I/1Q/VD9ZCECIAJFBEAgAEEQaiEADAELIAAgAmhqIQAgAC0AACEDIANBIkYEQCAADwsgA0HcAEcEQEEADwtBASQAIAAtAAEhAyAAQQJqIQAgA0EiRiAD" +
  "QS9GciADQdwAa0EZSUHBiJAKIANB3ABrdnFyDQAgA0H1AEcEQEEADwsgAC0AABAIIAAtAAEQCHEgAC0AAhAIIAAtAAMQCHFxRQRAQQAPCyAAQQRqIQAMAAsACywBAX8gACEB" +
  "A0AgAC0AAEEwa0EKSQRAIABBAWohAAwBCwsgAEEAIAAgAUcbC4sBAQF/IAAgAC0AAEEtRmohACAAIQEgABAKIQAgAEUEQEEADwsgAS0AAEEwRiAAIAFrQQFHcQRAQQAPCyAA" +
  "LQAAQS5GBEAgAEEBahAKIQAgAEUEQEEADwsLIAAtAABBIHJB5QBGBEAgAEEBaiEAIAAgAC0AAEErRiAALQAAQS1GcmohACAAEAoPCyAAC/MBAQJ/IAAtAAAhAiACQSJGBEAg" +
  "AEEBahAJIQAgACAAQQBHag8LIAJB+wBGIAJB2wBGcgRAIAFByAFLBEBBAA8LIAJBAmohAyAALQABIANGBEAgAEECag8LA0AgAEEBaiEAIANB/QBGBEAgABANIQAgAEUEQEEA" +
  "DwsgAEECaiEACyAAIAFBAWoQDCEAIABFBEBBAA8LIAAtAABBLEYNAAsgAEEBakEAIAAtAAAgA0YbDwsgACgCAEH05NWrBkYgACgCAEHu6rHjBkZyBEAgAEEEag8LIAJB5gBG" +
  "IAAoAgFB4djNqwZGcQRAIABBBWoPCyAAEAsLLwAgAC0AAEEiRwRAQQAPCyAAQQFqEAkhACAARQRAQQAPCyAAQQAgAC0AAUE6RhsLYwECfyMBIQIgAigCBCACKAIAayEDA0Ag" +
  "AkEUayECIAJBgLDUAEkgAigCACAASXIEQEEADwsgAigCECABRw0AIAIoAgQgAigCAGsgA0cNACACKAIAIwEoAgAgAxADRQ0AC0EBC9UBAQJ/IAAhAiAALwEAQfv6AUYEQCAA" +
  "QQJqDwsDQCMBIQMgA0GAxNQATwRAQQAPC0EAJAAgAEEBaiEAIAMgAEEBajYCACAAEA0hACAARSMAcgRAQQAPCyADIAA2AgQgAiABEA4EQEEADwsgAEECaiEAIAMgADYCCCAD" +
  "IAE2AhAgA0EUaiQBIAAtAABB+wBGIAFBA0lxBH8gACABQQFqEA8FIAAgARAMCyEAIABFBEBBAA8LIAMgADYCDCAALQAAQSxGDQALIABBAWpBACAALQAAQf0ARhsLIQBBgLDU" +
  "ACQBIAAtAABB+wBHBEBBAA8LIABBABAPIAFGCzEBAX8DQCAAQRRqIQAgACMBTwRAQQAPCyAAKAIQIQIgAiABSw0ACyAAQQAgAiABRhsLVQEBfyAAEAYhAiACIABGBEBBAA8L" +
  "IAIgAGshAgNAIAEoAgBFBEBBAA8LIAEoAgAgAkYEQCAAIAFBEGogAhADBEAgASgCBA8LCyABQYABaiEBDAALAAtaAQF/IABBAWspAwBCotiIycbMiJ0iUgRAQQAPCyAAQQdq" +
  "IQAgABAGIQIgAiAARiACKQMAQqLYiPGWrNuyIlIgAi8BCEG6xABHcnIEQEEADwsgAkEKaiABEBILkwUBCX8gACkDAEL7xMCLpq6Zt/QAUiAAKQMHQvSq1cvGzIidIlJyBEBB" +
  "gKDRACECA0AgAigCACEEIARFBEBBAA8LIAAgAkEQaiAEEANFBEAgAkGAAWohAgwBCwsgAUGAEDYCHCAAIARqEAAPC0GAoNAAIQICQANAIAIoAgAhBCAERQRAQQAPCyAAQTNq" +
  "IAJBIGogBBADBEAgAEEzaiAEaiEGIAIoAgQhBSAFQQRHDQIgBhAGIQcgByAGRwRAIAcgAkGwBGogAigCCBADDQMLCyACQYAIaiECIANBAWohAwwACwsgAUEIaiAAQQ9qIABB" +
  "M2oQBUUEQEEADwsgAUQAAAAAAAAAADkDEAJAIAVBBEYEQCABQRBqIAYgBxAFGiAHIQYDQCAHQfQAEAEhByAHLQAAQSJGBEAgBykDAEKi6OWD18yInSJRIAcpAwhC9N694/ar" +
  "3bnlAFFxIActABBBIkZxBEAgCQRAIAlBgARyIQkFIAdBEWpBgLDRABATIQogCkUEQEEADwtBgAIgCkEBa0EJdHIhCQsLIAdBAWohBwwBCwsgBiAHEAchCAwBCyAFQQJGBEAg" +
  "BhAAIQcgBiAHEAchCAwBCyAGEAIhByAHLQAAQQpGBEBBAA8LIAdBCGohCCAFQQFGBEAgB0EEaygCAEH9uvXjAkcEQEEADwsFIAdBFmspAwBC/diIoZeP3LIiUiAHQQ5rKQMA" +
  "QrrEhKPHrtix6ABSIAdBCGspAwBC49C1q+aNnZEsUnJyBEBBAA8LCyAIEAIhByAHLQAAQQpHBEBBAA8LCyAIRQRAQQAPCyAIQSRqIAdPIAgtACRBIkdyBEBBAA8LIAEgCCAI" +
  "QSRqEAVFBEBBAA8LIAEgCSADcjYCHCAHC1cBAn9BgLDUACECAkADQCAAIAFPDQEgAkGA/tcATw0BIAAgAhAUIQMgA0UgAyABT3INASACIAM2AhggA0EBaiEAIAJBIGohAgwA" +
  "CwsgAkGAsNQAa0EFdgt/ACAA/QAEAEEK/Q/9IyAA/QAECEEK/Q/9I/1QIAD9AAQA/QwAAAAA/wAA/wAA/wAA/wAA/U79DAAAAAAtAAAtAABUAAA6AAD9USAA/QAECf0MAAAA" +
  "AAAAAP8AAP8AAAD///1O/QwAAAAAAAAAOgAALgAAAFoi/VH9UP1Q/VNFC6sBAQF/IAApAwBC+8TQy9at2bn0AFIgACkDBkLz6IXrhs6InSJScgRAQQAPCyAAQQ5qEBZFBEBB" +
  "AA8LIABBJ2ohACAAKQMAQqzEvJPHrJq34QBSIAAoAgdB4diJ0QNHcgRAIAAPCyAAQQtqIQADQCAALQAAQTBrQQpJBEAgAEEBaiEAIAFBAWohASABQRBJDQELCyABQQFrQQ5L" +
  "IAAtAABBLEdyBEBBAA8LIAALnAIBB38CQANAQQAhByAAIAFPDQEgABAXIQMgA0UNAUGA8NEAIQUDQCAFKAIAIQYgBkUNAiADIAVBEGogBhADRQRAIAVBgAhqIQUMAQsLIAUo" +
  "AgQhByADIQQgAyAGaiEDIAdBA0sgB0ECRiACcXINASAHQQNGBEADQCADQe4AEAEhAyADLQAAQQpGDQMgAykDAEKi3IXr1syInSJSBEAgA0EBaiEDDAELCyADQQhqQYDw0wAQ" +
  "EkUNAgsgAxAAIQMgAyABTw0BIAhBAWohCCAJIAdBA0ZqIQkgA0EBaiEADAALC0GAsNQAIAg2AgBBhLDUACAJNgIAQYiw1AAgBzYCACAHBEBBjLDUACAENgIAQZCw1AAgAxAA" +
  "NgIACyAAC2UCAnsBfwNAIAD9AAQAIQEgAP0ABAEhAiABQQr9D/0jIAFBIv0P/SMgAkHtAP0P/SMgAkHuAP0P/SMgAkH0AP0P/SP9UP1Q/U79UP1kIQMgA0UEQCAAQRBqIQAM" +
  "AQsLIAAgA2hqCyAAIAAQACEAIAEgAjYCHCAAQQAgAEEBay0AAEH9AEYbC9kFAwF/AX4EfyAAKQMAQvvEkJnXjJ2ROlEEQCAAKQMIQvvEsIu2jt2q8ABSIAApAxBC5MLRq8bM" +
  "iJ0iUnIgAEEYahAWRSAAKAIwQaL69dMAR3JyBEAgACABQQgQGg8LIAFBATYCHCAAQTNqDwsgACkDAEL//////////wCDQvvEpKOmxI4RUgRAQQAPCyAAQQdqIQIgAhAGIQAg" +
  "ACACRgRAQQAPCyABIAIgABAFRQRAQQAPCyAAKQMAQqLYiKGXrduy8wBSIAApAwdC8+iF64bOiJ0iUnIEQEEADwsgAEEPaiEAIAAQFkUEQEEADwsgASAANgIQIABBGGohACAA" +
  "KQMAQqLYiKGXj9yyIlIEQEEADwsgACkDCEK6xNSb18yckSxRBEAgACkDEEKixr3zxq6Zt/QAUiAAKQMYQqL07NqnxNm67gBSciAAKQMgQuPopfvmzdSy8wBSIAApAydC8+C9" +
  "87aumZE6UnJyBEAgACABQQgQGg8LQQEhBgUgACkDCEK6xJyr1q2at+kAUiAALQAQQSJHcgRAQQAPCwsgAEEQaiECA0AgAhAZIQIgAi0AAEEiRgRAIAIpAwAhAyADQqLovfvG" +
  "7dCw7ABRIAIpAwRC7IaF48btnJE6UXEEQCAGIAIvAQxB2/YBR3IEQEEADwsgBEECciEECyAGIANCouiVw8fOiJ0iUXEEQCACIAFBBBAaDwsgBkUgA0Ki2r2j1oybkTpRcQRA" +
  "IAVFBEAgBCACLQAIQSJHcgRAQQAPCyACQQlqQYDA2AAQEiEFIAVFBEBBAA8LCwsgBkUgA0L//////////wCDQqLchevWzIgdUXEEQCAERSACLQAHQSJHcgRAQQAPCyACQQhq" +
  "QYCA2AAQEiEHIAdFBEBBAA8LIAdBAUcEQCACIAEgBxAaDwsLIAJBAWohAgwBCwsgAkEBay0AAEH9AEcEQEEADwsgASAEIAVBCHRyNgIcIAILVwECf0GAsNQAIQICQANAIAAg" +
  "AU8NASACQYD+1wBPDQEgACACEBshAyADRSADIAFPcg0BIAIgAzYCGCADQQFqIQAgAkEgaiECDAALCyACQYCw1ABrQQV2Cw0AIAAgAWopAwAgAlEL0QUBAn9BACQCIABBAEL7" +
  "xNDLh66ZkToQHSAAQQhCotqVm7eu2LPlABAdIABBEEKi2IjJxsyInSIQHXFxRQRAQQAPCyAAQRhqIQEgARAGIQAgACABRiAAQQBCotiIoZet27LzABAdIABBB0Lz6IXrhs6I" +
  "nSIQHXFFcgRAQQAPCyAAQQ9qIQAgABAWRQRAQQAPCyAAQRhqIQAgAEEAQqLYiOnW7Ny54QAQHSAAQQhC58qJ0bPPiLnvABAdIABBDUKi5L3j1syInSIQHXFxRQRAQQAPCyAA" +
  "QRVqIQAgAEEAQvXmlZOnhIuR4wAQHQRAIABBCELv3NGr5o2dkToQHSAAQRBC2/aJoZeP3LIiEB1xIABBGEK6xND79o3br/IAEB0gAEEeQt/klZvXjpu6IhAdcXFFBEBBAA8L" +
  "QQEhAiAAQSZqIQEFIABBAELh5s3Lto7dsO4AEB0gAEEIQvTEsJGy7Ju39AAQHXEgAEEQQuXc0ZOi59a9IhAdIABBF0Ki6OWD18yInSIQHXFxRQRAQQAPCyAAQR9qIQEgARAG" +
  "IAFGBEBBAA8LIAFBAEL0yuGjp4SLkfQAEB0gAUEGQqLolcPHzoidIhAdcQRAIAFBDmoQCSEBIAFFBEBBAA8LIAFBAEKi+rHZp4TdvPAAEB0gAUEEQqLo5YPXzIidIhAdcQRA" +
  "IAFBDGohAQsLIAFBAEL03r3j9qvdueUAEB0gAS0ACEEiRnEEQCABQQlqIQEgAUGA0NgAEBNFBEBBAA8LQQEkAgsLA0AgARAZIQEgAS0AAEEiRgRAIAFBAEKi2r2j1oybkToQ" +
  "HQRAQQAPCyABQQBCoujlg9fMiJ0iEB0EQCABQQhC9N694/ar3bnlABAdIAFBCGoQBiABQQhqRnIgAkUgAUEIQvTeveP2y9yy8wAQHXFyBEBBAA8LCyABQQFqIQEMAQsLIAFB" +
  "ACABQQFrLQAAQf0ARhsLTwEDfwJAA0AgACABTw0BIAAQHiECIAJFIAIgAU9yDQEgA0EBaiEDIAQjAmohBCACQQFqIQAMAAsLQYCw1AAgAzYCAEGEsNQAIAQ2AgAgAAs=";

interface Program {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly claude: (start: number, end: number) => number;
  readonly codex: (start: number, end: number, isWaiting: number) => number;
  readonly gemini: (start: number, end: number) => number;
  readonly droid: (start: number, end: number) => number;
  readonly object: (start: number, end: number) => number;
  readonly next: (member: number, depth: number) => number;
}

/** A piece stands here, and a line that is in none stands there. Behind each there is room for line feeds that end every search. */
const pieceAt = 64;
const lineAt = 0x170000;
const pieceBytesMax = 1280 * 1024;
const lineBytesMax = 4 * 1024 * 1024;
const feedBytes = 1024;
export const lineFeed = 0x0a;
/** The tables and what the program tells stand here; the program has the same places. */
const tables = {
  claudeHeads: { at: 0x141000, entryBytes: 1024, entries: 15 },
  claudeOthers: { at: 0x145000, entryBytes: 128, entries: 15 },
  claudeNames: { at: 0x145800, entryBytes: 128, entries: 63 },
  codexHeads: { at: 0x147800, entryBytes: 1024, entries: 31 },
  codexNames: { at: 0x14f800, entryBytes: 128, entries: 63 },
  geminiNames: { at: 0x160000, entryBytes: 128, entries: 63 },
  geminiModels: { at: 0x162000, entryBytes: 128, entries: 15 },
  droidNames: { at: 0x162800, entryBytes: 128, entries: 63 },
} as const;
/** The texts of an entry begin here in it. */
const textAt = 16;
const claudeTextAt = 32;
const claudeBehindAt = 560;

export type HeadTable = keyof typeof tables;

/** An entry says this of the lines that begin with it. */
export interface HeadEntry {
  /** These have a character for each byte. In a line, something that is looked at by itself stands between the two. */
  readonly text: string;
  readonly behind?: string | undefined;
  readonly means: number;
}

/** An object stands here in the memory. */
export interface MemoryPlace {
  readonly from: number;
  readonly to: number;
}

/** All readings share one program and what it has learned: what a head means is the same in each of them. */
let shared: LineHeads | undefined | false = false;

/** Less is looked at line by line: a program must be made before it is fast. */
const plainBytesMax = 16 * 1024;

/** The result is undefined if so few bytes do not need it, and it is not there yet, or if the machine runs no such programs. */
export function lineHeads(length: number): LineHeads | undefined {
  if (shared === false && length > plainBytesMax) shared = LineHeads.make();
  return shared === false ? undefined : shared;
}

export class LineHeads {
  /** A piece of a file that is read into this need not be copied. */
  readonly room: Buffer;
  readonly numbers: Int32Array;
  readonly doubles: Float64Array;
  readonly #program: Program;
  readonly #memory: Buffer;
  readonly #texts = new Map<HeadTable, string[]>();
  readonly #added = new Map<HeadTable, number>();
  readonly #object: ToldObject;
  #piece: LensPiece | undefined;

  private constructor(made: Program) {
    const { buffer } = made.memory;
    this.#program = made;
    this.#memory = Buffer.from(buffer);
    this.room = this.#memory.subarray(pieceAt, pieceAt + pieceBytesMax);
    this.numbers = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
    this.#object = new ToldObject(this.#memory, this.numbers, made.next);
    for (const end of [pieceAt + pieceBytesMax, lineAt + lineBytesMax])
      this.#memory.fill(lineFeed, end, end + feedBytes);
  }

  static make(): LineHeads | undefined {
    const made = exportsOf<Program>(program);
    return made && new LineHeads(made);
  }

  /** The result is where the piece begins in the memory, or -1 if it is too long for it. */
  placeOf(piece: LensPiece): number {
    const { bytes } = piece;
    if (bytes.length > pieceBytesMax) return -1;
    const isInRoom = bytes.buffer === this.#memory.buffer;
    const at = isInRoom ? bytes.byteOffset : pieceAt;
    if (piece !== this.#piece) {
      this.#piece = piece;
      if (!isInRoom) bytes.copy(this.#memory, at);
      this.#memory[at + bytes.length] = lineFeed;
    }
    return at;
  }

  /** The result is the same for a line that stands in no piece. The piece that is looked at stays where it is. */
  placeOfLine({ bytes }: LensLine): number {
    if (bytes.length > lineBytesMax) return -1;
    bytes.copy(this.#memory, lineAt);
    this.#memory[lineAt + bytes.length] = lineFeed;
    return lineAt;
  }

  /** The result is how many lines of Claude Code's from `start` on are settled; what they are is told from {@link toldAt} on. */
  claude(start: number, end: number): number {
    return this.#program.claude(start, end);
  }

  /** The result is where the next line of Codex's begins that is not settled. What it is, and how many lines and calls stand before it, is told. */
  codex(start: number, end: number, isWaiting: boolean): number {
    return this.#program.codex(start, end, isWaiting ? 1 : 0);
  }

  /** The result is how many lines of Gemini CLI's from `start` on are settled; what they are is told from {@link toldAt} on. */
  gemini(start: number, end: number): number {
    return this.#program.gemini(start, end);
  }

  /** The result is where the next line of Droid's begins that is not settled; how many lines and calls stand before it is told. */
  droid(start: number, end: number): number {
    return this.#program.droid(start, end);
  }

  /**
   * The result is the object that takes the memory from `from` to `to`. It is undefined if that is not JSON, or not printed as clients print it.
   * All of it is read, but nothing is made of it: it may be megabytes long. It holds until the program is asked for something else.
   */
  objectAt({ from, to }: MemoryPlace): ToldObject | undefined {
    return this.#program.object(from, to) === 1 ? this.#object : undefined;
  }

  /** The result is the number of the entry in its table, or -1 if it has been there or does not fit into it. The oldest one gives way. */
  add(name: HeadTable, { text, behind = "", means }: HeadEntry): number {
    const { at, entryBytes, entries } = tables[name];
    const texts = this.#texts.get(name) ?? [];
    const whole = `${text}\n${behind}`;
    const begin = name === "claudeHeads" ? claudeTextAt : textAt;
    const room = (name === "claudeHeads" ? claudeBehindAt : entryBytes) - begin;
    const isLong = text.length > room || (behind !== "" && behind.length > entryBytes - claudeBehindAt);
    if (isLong || texts.includes(whole)) return -1;
    const added = this.#added.get(name) ?? 0;
    const index = added % entries;
    const entry = at + index * entryBytes;
    texts[index] = whole;
    this.#texts.set(name, texts);
    this.#added.set(name, added + 1);
    this.#memory.writeInt32LE(text.length, entry);
    this.#memory.writeInt32LE(means, entry + 4);
    this.#memory.writeInt32LE(behind.length, entry + 8);
    this.#memory.write(text, entry + begin, "latin1");
    if (behind !== "") this.#memory.write(behind, entry + claudeBehindAt, "latin1");
    return index;
  }
}

/** The result is the next line of the piece, which ends at `end`. */
export function lineIn({ bytes, at, offset, number }: LensPiece, end: number): LensLine {
  return { bytes: bytes.subarray(at, end), offset, number };
}

/** The next line of the piece, which ends at `end`, is taken. */
export function passLine(piece: LensPiece, end: number): void {
  piece.offset += end + 1 - piece.at;
  piece.at = end + 1;
  piece.number += 1;
}
