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
  "AGFzbQEAAAABIAVgAX8Bf2ACf38Bf2ADf39/AX9gAn5/AX9gA39/fgF/AyQjAAEAAgACAAEAAAAAAQABAQEBAQEBAAADAAACAAACAQEEAAEFAwEAWAYQA38BQQALfwFBAAt/" +
  "AUEACwc8BwZtZW1vcnkCAAZvYmplY3QAEAZjbGF1ZGUAFAVjb2RleAAaBGZpbGUAGwZnZW1pbmkAHwVkcm9pZAAiCoowI4ABAQV7QQr9DyEBA0AgAP0ABAAgAf0jIQIgAP0A" +
  "BBAgAf0jIQMgAP0ABCAgAf0jIQQgAP0ABDAgAf0jIQUgAiAD/VAgBCAF/VD9UP1TRQRAIABBwABqIQAMAQsLIAAgAv1krSAD/WStQhCGhCAE/WStQiCGIAX9ZK1CMIaEhHqn" +
  "aguGAQEFe0EK/Q8hAkEi/Q8hAyAB/Q8hBANAIAD9AAQAIQUgAP0ABBAhBiAFIAL9IyAFIAP9IyAA/QAEASAE/SP9Tv1QIQUgBiAC/SMgBiAD/SMgAP0ABBEgBP0j/U79UCEG" +
  "IAUgBv1Q/VNFBEAgAEEgaiEADAELCyAAIAX9ZCAG/WRBEHRyaGoLNQADQCAAQfUAEAEhACAALQAAQSJGIAApAwBCourVy8bMiJ0iUnEEQCAAQQFqIQAMAQsLIAALkQEBAX8g" +
  "AkEQSQRAA0AgAyACTwRAQQEPCyAAIANqLQAAIAEgA2otAABHBEBBAA8LIANBAWohAwwACwsgAkEQayECIAAgAmr9AAQAIAEgAmr9AAQA/VH9UwRAQQAPCwNAIAMgAk4EQEEB" +
  "DwsgACADav0ABAAgASADav0ABAD9Uf1TBEBBAA8LIANBEGohAwwACwALFwAgAEGBgoQIayAAQX9zcUGAgYKEeHEL3QEBBH9BxbvyiHghA0HHmK34AiEEA0AgASgCACEGIAIg" +
  "AWtBBEgEQCAGQQEgAiABa0EDdHRBAWtxIQYLIAUgBkGKlKjQAHMQBHIgBkGixIiRAnMQBCAGQdy48eIFcxAEcnIhBSADIAZzQbHz3fF5bCEDIAMgA0EPdnMhAyAEIAZzQeuU" +
  "r694bCEEIAQgBEENdnMhBCABQQRqIQEgASACSA0ACyAFBEAgAEQAAAAAAAAAADkDAEEADwsgAEQAAAAAAADwPyADuEQAAAAAAABAQaIgBEELdrigoDkDAEEBC0MBAn8gACEB" +
  "A0AgAS0AACECIAJBIkYEQCABDwsgAkHcAEYgAkEKRnIEQCAADwsgAUEBaiEBIAEgAGtBwABJDQALIAALvwECAXsDfyABQQFrIQEgAS0AAEH9AEcEQEEADwsDQCABIABNBEBB" +
  "AA8LIAFBEGshASAB/QAEACECIAJB/QD9D/0jIAJB3AD9D/0j/VD9ZCEDIAJBIv0P/SMgAf0ABAFB9QD9D/0j/U79ZCEEA0AgBARAQR8gBGdrIQUgBEEBIAV0cyEEIAEgBWop" +
  "AwBCourVy8bMiJ0iUg0BIAMgBXYgASAFaiAASXIEQEEADwsgASAFakEIag8LCyADRQ0AC0EACxcAIABBMGtBCkkgAEEgckHhAGtBBklyC9kBAgF7An8DQCAA/QAEACEBIAFB" +
  "IP0P/SYgAUEi/Q/9IyABQdwA/Q/9I/1Q/VD9ZCECIAJFBEAgAEEQaiEADAELIAAgAmhqIQAgAC0AACEDIANBIkYEQCAADwsgA0HcAEcEQEEADwtBASQAIAAtAAEhAyAAQQJq" +
  "IQAgA0EiRiADQS9GciADQdwAa0EZSUHBiJAKIANB3ABrdnFyDQAgA0H1AEcEQEEADwsgAC0AABAIIAAtAAEQCHEgAC0AAhAIIAAtAAMQCHFxRQRAQQAPCyAAQQRqIQAMAAsA" +
  "CywBAX8gACEBA0AgAC0AAEEwa0EKSQRAIABBAWohAAwBCwsgAEEAIAAgAUcbC4sBAQF/IAAgAC0AAEEtRmohACAAIQEgABAKIQAgAEUEQEEADwsgAS0AAEEwRiAAIAFrQQFH" +
  "cQRAQQAPCyAALQAAQS5GBEAgAEEBahAKIQAgAEUEQEEADwsLIAAtAABBIHJB5QBGBEAgAEEBaiEAIAAgAC0AAEErRiAALQAAQS1GcmohACAAEAoPCyAAC/MBAQJ/IAAtAAAh" +
  "AiACQSJGBEAgAEEBahAJIQAgACAAQQBHag8LIAJB+wBGIAJB2wBGcgRAIAFByAFLBEBBAA8LIAJBAmohAyAALQABIANGBEAgAEECag8LA0AgAEEBaiEAIANB/QBGBEAgABAN" +
  "IQAgAEUEQEEADwsgAEECaiEACyAAIAFBAWoQDCEAIABFBEBBAA8LIAAtAABBLEYNAAsgAEEBakEAIAAtAAAgA0YbDwsgACgCAEH05NWrBkYgACgCAEHu6rHjBkZyBEAgAEEE" +
  "ag8LIAJB5gBGIAAoAgFB4djNqwZGcQRAIABBBWoPCyAAEAsLLwAgAC0AAEEiRwRAQQAPCyAAQQFqEAkhACAARQRAQQAPCyAAQQAgAC0AAUE6RhsLYwECfyMBIQIgAigCBCAC" +
  "KAIAayEDA0AgAkEUayECIAJBgLDUAEkgAigCACAASXIEQEEADwsgAigCECABRw0AIAIoAgQgAigCAGsgA0cNACACKAIAIwEoAgAgAxADRQ0AC0EBC9UBAQJ/IAAhAiAALwEA" +
  "Qfv6AUYEQCAAQQJqDwsDQCMBIQMgA0GAxNQATwRAQQAPC0EAJAAgAEEBaiEAIAMgAEEBajYCACAAEA0hACAARSMAcgRAQQAPCyADIAA2AgQgAiABEA4EQEEADwsgAEECaiEA" +
  "IAMgADYCCCADIAE2AhAgA0EUaiQBIAAtAABB+wBGIAFBA0lxBH8gACABQQFqEA8FIAAgARAMCyEAIABFBEBBAA8LIAMgADYCDCAALQAAQSxGDQALIABBAWpBACAALQAAQf0A" +
  "RhsLKgBBgLDUACQBIAAtAABB+wBHBEBBAA8LIABBABAPIQAjAUEAIAAgAUYbC1UBAX8gABAGIQIgAiAARgRAQQAPCyACIABrIQIDQCABKAIARQRAQQAPCyABKAIAIAJGBEAg" +
  "ACABQRBqIAIQAwRAIAEoAgQPCwsgAUGAAWohAQwACwALWgEBfyAAQQFrKQMAQqLYiMnGzIidIlIEQEEADwsgAEEHaiEAIAAQBiECIAIgAEYgAikDAEKi2IjxlqzbsiJSIAIv" +
  "AQhBusQAR3JyBEBBAA8LIAJBCmogARARC5MFAQl/IAApAwBC+8TAi6aumbf0AFIgACkDB0L0qtXLxsyInSJScgRAQYCg0QAhAgNAIAIoAgAhBCAERQRAQQAPCyAAIAJBEGog" +
  "BBADRQRAIAJBgAFqIQIMAQsLIAFBgBA2AhwgACAEahAADwtBgKDQACECAkADQCACKAIAIQQgBEUEQEEADwsgAEEzaiACQSBqIAQQAwRAIABBM2ogBGohBiACKAIEIQUgBUEE" +
  "Rw0CIAYQBiEHIAcgBkcEQCAHIAJBsARqIAIoAggQAw0DCwsgAkGACGohAiADQQFqIQMMAAsLIAFBCGogAEEPaiAAQTNqEAVFBEBBAA8LIAFEAAAAAAAAAAA5AxACQCAFQQRG" +
  "BEAgAUEQaiAGIAcQBRogByEGA0AgB0H0ABABIQcgBy0AAEEiRgRAIAcpAwBCoujlg9fMiJ0iUSAHKQMIQvTeveP2q9255QBRcSAHLQAQQSJGcQRAIAkEQCAJQYAEciEJBSAH" +
  "QRFqQYCw0QAQEiEKIApFBEBBAA8LQYACIApBAWtBCXRyIQkLCyAHQQFqIQcMAQsLIAYgBxAHIQgMAQsgBUECRgRAIAYQACEHIAYgBxAHIQgMAQsgBhACIQcgBy0AAEEKRgRA" +
  "QQAPCyAHQQhqIQggBUEBRgRAIAdBBGsoAgBB/br14wJHBEBBAA8LBSAHQRZrKQMAQv3YiKGXj9yyIlIgB0EOaykDAEK6xISjx67YsegAUiAHQQhrKQMAQuPQtavmjZ2RLFJy" +
  "cgRAQQAPCwsgCBACIQcgBy0AAEEKRwRAQQAPCwsgCEUEQEEADwsgCEEkaiAHTyAILQAkQSJHcgRAQQAPCyABIAggCEEkahAFRQRAQQAPCyABIAkgA3I2AhwgBwtXAQJ/QYCw" +
  "1AAhAgJAA0AgACABTw0BIAJBgP7XAE8NASAAIAIQEyEDIANFIAMgAU9yDQEgAiADNgIYIANBAWohACACQSBqIQIMAAsLIAJBgLDUAGtBBXYLfwAgAP0ABABBCv0P/SMgAP0A" +
  "BAhBCv0P/SP9UCAA/QAEAP0MAAAAAP8AAP8AAP8AAP8AAP1O/QwAAAAALQAALQAAVAAAOgAA/VEgAP0ABAn9DAAAAAAAAAD/AAD/AAAA///9Tv0MAAAAAAAAADoAAC4AAABa" +
  "Iv1R/VD9UP1TRQurAQEBfyAAKQMAQvvE0MvWrdm59ABSIAApAwZC8+iF64bOiJ0iUnIEQEEADwsgAEEOahAVRQRAQQAPCyAAQSdqIQAgACkDAEKsxLyTx6yat+EAUiAAKAIH" +
  "QeHYidEDR3IEQCAADwsgAEELaiEAA0AgAC0AAEEwa0EKSQRAIABBAWohACABQQFqIQEgAUEQSQ0BCwsgAUEBa0EOSyAALQAAQSxHcgRAQQAPCyAAC5IBAwF/AX4Cf0GAsNQA" +
  "IQIDQCACIwFPBEBBAA8LIAIoAgQgAigCAGshBCACKAIAKQMAQv//////////AIMhAyACKAIQRQRAIARBB0YgA0LwwuXj9q2YMlFxIQUFIAIoAhBBAUYgBSAEIAFGcXEEQCAD" +
  "IACFQcAAIAFBA3RrrYZQBEAgAg8LCwsgAkEUaiECDAALAAseAEGAsNQAJAEgAEEAEA8hACAAQQAgAC0AAEEKRhsLPQEBf0GAkNkAKAIAIQEgAEUgAUVyBEBBAA8LIAAoAgwg" +
  "ACgCCGsgAUcEQEEADwsgACgCCEGQkNkAIAEQAwvTBAEKfwJAA0BBACEHIAAgAU8NASAAEBYhAyADRQ0BQYDw0QAhBQNAIAUoAgAhBiAGRQ0CIAMgBmpBCGspAwAgBSAGaikD" +
  "CFIEQCAFQYAIaiEFDAELIAMgBUEQaiAGEANFBEAgBUGACGohBQwBCwsgBSgCBCEHIAMhBCADIAZqIQMgB0EFSyAHQQVGIAJBAk9xcg0BIAdBAkYgAkEBcXEEQANAIANB4wAQ" +
  "ASEDIAMtAABBCkYNAyADKQMAQqLGhePG7de05ABSIAMpAwNC7Nj9ysbMiJ0iUnIEQCADQQFqIQMMAQsLIANBCmohCwwCCyAHQQNGBEADQCADQe4AEAEhAyADLQAAQQpGDQMg" +
  "AykDAEKi3IXr1syInSJSBEAgA0EBaiEDDAELCyADQQdqIQsgA0EIakGA8NMAEBFFDQJBACELCyAHQQNLBEAgABAYIQUgBUUNAiAFIQMLIAdBBEYEQELt3pGrxg1BBRAXEBlF" +
  "DQILIAMQACEDIAMgAU8NASAIQQFqIQggCSAHQQNGaiEJIAogB0EFRmohCiADQQFqIQAMAAsLIAdBBkYEQCAAEBgEQELtys2bl+zZMkEHEBchBiAGBEAgBigCCCELIAYoAgwh" +
  "DAsLBSALBEAgC0EBaiEGIAYQBkEBaiEMIAwgBmtBAkkEQEEAIQsLCwtBgLDUACAINgIAQYSw1AAgCTYCAEGIsNQAIAo2AgBBjLDUACAHNgIAIAcEQEGQsNQAIAQ2AgBBlLDU" +
  "ACADEAA2AgBBmLDUACALNgIAQZyw1AAgDDYCAAsgAAuEAgICewJ/A0AgAP0ABAAhASAA/QAEASECIAFBCv0P/SMgAUE6/Q/9IyACQSD9D/0j/U79UCABQdwA/Q/9IyACQfUA" +
  "/Q/9I/1OIAFB3wD9D/0jIAJB8AD9D/0j/U79UP1Q/WQhAwNAIAMEQCAAIANoaiEEIAMgA0EBa3EhAyAELQAAQQpGBEBBAA8LIARBBGsoAgBBxtKxqwZGIARBB2spAwBCzd7Z" +
  "q4aE3bc6UXIEQCAELQAAQTpGBEAgBEECag8LCyAEKAIAQdzqwYEDRiAEQQVrKQMAQvDIhaPX7Je47ABRIAQoAgJB7MK5wwJGcXIEQEF/DwsMAQsLIABBEGohAAwACwALZQIC" +
  "ewF/A0AgAP0ABAAhASAA/QAEASECIAFBCv0P/SMgAUEi/Q/9IyACQe0A/Q/9IyACQe4A/Q/9IyACQfQA/Q/9I/1Q/VD9Tv1Q/WQhAyADRQRAIABBEGohAAwBCwsgACADaGoL" +
  "IAAgABAAIQAgASACNgIcIABBACAAQQFrLQAAQf0ARhsL2QUDAX8BfgR/IAApAwBC+8SQmdeMnZE6UQRAIAApAwhC+8Swi7aO3arwAFIgACkDEELkwtGrxsyInSJSciAAQRhq" +
  "EBVFIAAoAjBBovr10wBHcnIEQCAAIAFBCBAdDwsgAUEBNgIcIABBM2oPCyAAKQMAQv//////////AINC+8Sko6bEjhFSBEBBAA8LIABBB2ohAiACEAYhACAAIAJGBEBBAA8L" +
  "IAEgAiAAEAVFBEBBAA8LIAApAwBCotiIoZet27LzAFIgACkDB0Lz6IXrhs6InSJScgRAQQAPCyAAQQ9qIQAgABAVRQRAQQAPCyABIAA2AhAgAEEYaiEAIAApAwBCotiIoZeP" +
  "3LIiUgRAQQAPCyAAKQMIQrrE1JvXzJyRLFEEQCAAKQMQQqLGvfPGrpm39ABSIAApAxhCovTs2qfE2bruAFJyIAApAyBC4+il++bN1LLzAFIgACkDJ0Lz4L3ztq6ZkTpScnIE" +
  "QCAAIAFBCBAdDwtBASEGBSAAKQMIQrrEnKvWrZq36QBSIAAtABBBIkdyBEBBAA8LCyAAQRBqIQIDQCACEBwhAiACLQAAQSJGBEAgAikDACEDIANCoui9+8bt0LDsAFEgAikD" +
  "BELshoXjxu2ckTpRcQRAIAYgAi8BDEHb9gFHcgRAQQAPCyAEQQJyIQQLIAYgA0Ki6JXDx86InSJRcQRAIAIgAUEEEB0PCyAGRSADQqLavaPWjJuROlFxBEAgBUUEQCAEIAIt" +
  "AAhBIkdyBEBBAA8LIAJBCWpBgMDYABARIQUgBUUEQEEADwsLCyAGRSADQv//////////AINCotyF69bMiB1RcQRAIARFIAItAAdBIkdyBEBBAA8LIAJBCGpBgIDYABARIQcg" +
  "B0UEQEEADwsgB0EBRwRAIAIgASAHEB0PCwsgAkEBaiECDAELCyACQQFrLQAAQf0ARwRAQQAPCyABIAQgBUEIdHI2AhwgAgtXAQJ/QYCw1AAhAgJAA0AgACABTw0BIAJBgP7X" +
  "AE8NASAAIAIQHiEDIANFIAMgAU9yDQEgAiADNgIYIANBAWohACACQSBqIQIMAAsLIAJBgLDUAGtBBXYLDQAgACABaikDACACUQvRBQECf0EAJAIgAEEAQvvE0MuHrpmROhAg" +
  "IABBCEKi2pWbt67Ys+UAECAgAEEQQqLYiMnGzIidIhAgcXFFBEBBAA8LIABBGGohASABEAYhACAAIAFGIABBAEKi2Iihl63bsvMAECAgAEEHQvPoheuGzoidIhAgcUVyBEBB" +
  "AA8LIABBD2ohACAAEBVFBEBBAA8LIABBGGohACAAQQBCotiI6dbs3LnhABAgIABBCELnyonRs8+Iue8AECAgAEENQqLkvePWzIidIhAgcXFFBEBBAA8LIABBFWohACAAQQBC" +
  "9eaVk6eEi5HjABAgBEAgAEEIQu/c0avmjZ2ROhAgIABBEELb9omhl4/csiIQIHEgAEEYQrrE0Pv2jduv8gAQICAAQR5C3+SVm9eOm7oiECBxcUUEQEEADwtBASECIABBJmoh" +
  "AQUgAEEAQuHmzcu2jt2w7gAQICAAQQhC9MSwkbLsm7f0ABAgcSAAQRBC5dzRk6Ln1r0iECAgAEEXQqLo5YPXzIidIhAgcXFFBEBBAA8LIABBH2ohASABEAYgAUYEQEEADwsg" +
  "AUEAQvTK4aOnhIuR9AAQICABQQZCouiVw8fOiJ0iECBxBEAgAUEOahAJIQEgAUUEQEEADwsgAUEAQqL6sdmnhN288AAQICABQQRCoujlg9fMiJ0iECBxBEAgAUEMaiEBCwsg" +
  "AUEAQvTeveP2q9255QAQICABLQAIQSJGcQRAIAFBCWohASABQYDQ2AAQEkUEQEEADwtBASQCCwsDQCABEBwhASABLQAAQSJGBEAgAUEAQqLavaPWjJuROhAgBEBBAA8LIAFB" +
  "AEKi6OWD18yInSIQIARAIAFBCEL03r3j9qvdueUAECAgAUEIahAGIAFBCGpGciACRSABQQhC9N694/bL3LLzABAgcXIEQEEADwsLIAFBAWohAQwBCwsgAUEAIAFBAWstAABB" +
  "/QBGGwtPAQN/AkADQCAAIAFPDQEgABAhIQIgAkUgAiABT3INASADQQFqIQMgBCMCaiEEIAJBAWohAAwACwtBgLDUACADNgIAQYSw1AAgBDYCACAACw==";

interface Program {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly claude: (start: number, end: number) => number;
  readonly codex: (start: number, end: number, stops: number) => number;
  readonly gemini: (start: number, end: number) => number;
  readonly droid: (start: number, end: number) => number;
  readonly file: (start: number) => number;
  readonly object: (start: number, end: number) => number;
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
/** The model of Codex's that is expected stands here as an entry of a table does. */
const modelAt = 0x164800;
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

/** What came before decides which lines of Codex's change nothing. */
export interface CodexBefore {
  /** A call waits for its output. */
  readonly isWaiting: boolean;
  /** What is read was copied from another session, and the beginning of a turn may be the first one of its own. */
  readonly isInherited: boolean;
  /** This is the newest model, or "" if a context may say more than that. */
  readonly model: string;
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
  readonly memory: Buffer;
  readonly #texts = new Map<HeadTable, string[]>();
  readonly #added = new Map<HeadTable, number>();
  readonly #object: ToldObject;
  #piece: LensPiece | undefined;
  #model = "";

  private constructor(made: Program) {
    const { buffer } = made.memory;
    this.#program = made;
    this.memory = Buffer.from(buffer);
    this.room = this.memory.subarray(pieceAt, pieceAt + pieceBytesMax);
    this.numbers = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
    this.#object = new ToldObject(this.memory, this.numbers);
    for (const end of [pieceAt + pieceBytesMax, lineAt + lineBytesMax])
      this.memory.fill(lineFeed, end, end + feedBytes);
  }

  static make(): LineHeads | undefined {
    const made = exportsOf<Program>(program);
    return made && new LineHeads(made);
  }

  /** The result is where the piece begins in the memory, or -1 if it is too long for it. */
  placeOf(piece: LensPiece): number {
    const { bytes } = piece;
    if (bytes.length > pieceBytesMax) return -1;
    const isInRoom = bytes.buffer === this.memory.buffer;
    const at = isInRoom ? bytes.byteOffset : pieceAt;
    if (piece !== this.#piece) {
      this.#piece = piece;
      if (!isInRoom) bytes.copy(this.memory, at);
      this.memory[at + bytes.length] = lineFeed;
    }
    return at;
  }

  /** The result is the same for a line that stands in no piece. The piece that is looked at stays where it is. */
  placeOfLine({ bytes }: LensLine): number {
    if (bytes.length > lineBytesMax) return -1;
    bytes.copy(this.memory, lineAt);
    this.memory[lineAt + bytes.length] = lineFeed;
    return lineAt;
  }

  /** The result is how many lines of Claude Code's from `start` on are settled; what they are is told from {@link toldAt} on. */
  claude(start: number, end: number): number {
    return this.#program.claude(start, end);
  }

  /**
   * The result is where the next line of Codex's begins that is not settled. What it is, and how many lines, calls and turns stand before it, is
   * told. A context with the model of `before` says nothing new.
   */
  codex(start: number, end: number, { isWaiting, isInherited, model }: CodexBefore): number {
    if (model !== this.#model) this.#expect(model);
    return this.#program.codex(start, end, (isWaiting ? 1 : 0) + (isInherited ? 2 : 0));
  }

  #expect(model: string): void {
    this.#model = model;
    const isPlain = /^[\w.-]{1,64}$/.test(model);
    this.memory.writeInt32LE(isPlain ? model.length + 2 : 0, modelAt);
    if (isPlain) this.memory.write(`"${model}"`, modelAt + textAt, "latin1");
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
   * The result is where the next file is named in the patch that stands from `start` on in a line, or 0 if none is. It is -1 if an escape could hide
   * one, or if a plan call stands there.
   */
  fileIn(start: number): number {
    return this.#program.file(start);
  }

  /**
   * The result is the object that takes the memory from `from` to `to`. It is undefined if that is not JSON, or not printed as clients print it.
   * All of it is read, but nothing is made of it: it may be megabytes long. It holds until the program is asked for something else.
   */
  objectAt({ from, to }: MemoryPlace): ToldObject | undefined {
    const end = this.#program.object(from, to);
    if (end === 0) return undefined;
    this.#object.end = end;
    return this.#object;
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
    this.memory.writeInt32LE(text.length, entry);
    this.memory.writeInt32LE(means, entry + 4);
    this.memory.writeInt32LE(behind.length, entry + 8);
    this.memory.write(text, entry + begin, "latin1");
    if (behind !== "") this.memory.write(behind, entry + claudeBehindAt, "latin1");
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
