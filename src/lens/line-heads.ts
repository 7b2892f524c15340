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

/** Where the next line begins, and how many lines stand before it, is told here. */
export const behindAt = 0x15fff0;

const program =
  "AGFzbQEAAAABIAVgAX8Bf2ACf38Bf2ADf39/AX9gAn5/AX9gA39/fgF/AycmAAEAAgACAAEAAAAAAQABAQEBAQEBAAADAAABAgAAAgIAAgIEAAEFAwEAWAYQA38BQQALfwFB" +
  "AAt/AUEACwc8BwZtZW1vcnkCAAZvYmplY3QAEAZjbGF1ZGUAFAVjb2RleAAbBGZpbGUAHAZnZW1pbmkAIgVkcm9pZAAlCo40JoABAQV7QQr9DyEBA0AgAP0ABAAgAf0jIQIg" +
  "AP0ABBAgAf0jIQMgAP0ABCAgAf0jIQQgAP0ABDAgAf0jIQUgAiAD/VAgBCAF/VD9UP1TRQRAIABBwABqIQAMAQsLIAAgAv1krSAD/WStQhCGhCAE/WStQiCGIAX9ZK1CMIaE" +
  "hHqnaguGAQEFe0EK/Q8hAkEi/Q8hAyAB/Q8hBANAIAD9AAQAIQUgAP0ABBAhBiAFIAL9IyAFIAP9IyAA/QAEASAE/SP9Tv1QIQUgBiAC/SMgBiAD/SMgAP0ABBEgBP0j/U79" +
  "UCEGIAUgBv1Q/VNFBEAgAEEgaiEADAELCyAAIAX9ZCAG/WRBEHRyaGoLNQADQCAAQfUAEAEhACAALQAAQSJGIAApAwBCourVy8bMiJ0iUnEEQCAAQQFqIQAMAQsLIAALkQEB" +
  "AX8gAkEQSQRAA0AgAyACTwRAQQEPCyAAIANqLQAAIAEgA2otAABHBEBBAA8LIANBAWohAwwACwsgAkEQayECIAAgAmr9AAQAIAEgAmr9AAQA/VH9UwRAQQAPCwNAIAMgAk4E" +
  "QEEBDwsgACADav0ABAAgASADav0ABAD9Uf1TBEBBAA8LIANBEGohAwwACwALFwAgAEGBgoQIayAAQX9zcUGAgYKEeHEL3QEBBH9BxbvyiHghA0HHmK34AiEEA0AgASgCACEG" +
  "IAIgAWtBBEgEQCAGQQEgAiABa0EDdHRBAWtxIQYLIAUgBkGKlKjQAHMQBHIgBkGixIiRAnMQBCAGQdy48eIFcxAEcnIhBSADIAZzQbHz3fF5bCEDIAMgA0EPdnMhAyAEIAZz" +
  "QeuUr694bCEEIAQgBEENdnMhBCABQQRqIQEgASACSA0ACyAFBEAgAEQAAAAAAAAAADkDAEEADwsgAEQAAAAAAADwPyADuEQAAAAAAABAQaIgBEELdrigoDkDAEEBC0MBAn8g" +
  "ACEBA0AgAS0AACECIAJBIkYEQCABDwsgAkHcAEYgAkEKRnIEQCAADwsgAUEBaiEBIAEgAGtBwABJDQALIAALvwECAXsDfyABQQFrIQEgAS0AAEH9AEcEQEEADwsDQCABIABN" +
  "BEBBAA8LIAFBEGshASAB/QAEACECIAJB/QD9D/0jIAJB3AD9D/0j/VD9ZCEDIAJBIv0P/SMgAf0ABAFB9QD9D/0j/U79ZCEEA0AgBARAQR8gBGdrIQUgBEEBIAV0cyEEIAEg" +
  "BWopAwBCourVy8bMiJ0iUg0BIAMgBXYgASAFaiAASXIEQEEADwsgASAFakEIag8LCyADRQ0AC0EACxcAIABBMGtBCkkgAEEgckHhAGtBBklyC9kBAgF7An8DQCAA/QAEACEB" +
  "IAFBIP0P/SYgAUEi/Q/9IyABQdwA/Q/9I/1Q/VD9ZCECIAJFBEAgAEEQaiEADAELIAAgAmhqIQAgAC0AACEDIANBIkYEQCAADwsgA0HcAEcEQEEADwtBASQAIAAtAAEhAyAA" +
  "QQJqIQAgA0EiRiADQS9GciADQdwAa0EZSUHBiJAKIANB3ABrdnFyDQAgA0H1AEcEQEEADwsgAC0AABAIIAAtAAEQCHEgAC0AAhAIIAAtAAMQCHFxRQRAQQAPCyAAQQRqIQAM" +
  "AAsACywBAX8gACEBA0AgAC0AAEEwa0EKSQRAIABBAWohAAwBCwsgAEEAIAAgAUcbC4sBAQF/IAAgAC0AAEEtRmohACAAIQEgABAKIQAgAEUEQEEADwsgAS0AAEEwRiAAIAFr" +
  "QQFHcQRAQQAPCyAALQAAQS5GBEAgAEEBahAKIQAgAEUEQEEADwsLIAAtAABBIHJB5QBGBEAgAEEBaiEAIAAgAC0AAEErRiAALQAAQS1GcmohACAAEAoPCyAAC/MBAQJ/IAAt" +
  "AAAhAiACQSJGBEAgAEEBahAJIQAgACAAQQBHag8LIAJB+wBGIAJB2wBGcgRAIAFByAFLBEBBAA8LIAJBAmohAyAALQABIANGBEAgAEECag8LA0AgAEEBaiEAIANB/QBGBEAg" +
  "ABANIQAgAEUEQEEADwsgAEECaiEACyAAIAFBAWoQDCEAIABFBEBBAA8LIAAtAABBLEYNAAsgAEEBakEAIAAtAAAgA0YbDwsgACgCAEH05NWrBkYgACgCAEHu6rHjBkZyBEAg" +
  "AEEEag8LIAJB5gBGIAAoAgFB4djNqwZGcQRAIABBBWoPCyAAEAsLLwAgAC0AAEEiRwRAQQAPCyAAQQFqEAkhACAARQRAQQAPCyAAQQAgAC0AAUE6RhsLYwECfyMBIQIgAigC" +
  "BCACKAIAayEDA0AgAkEUayECIAJBgLDUAEkgAigCACAASXIEQEEADwsgAigCECABRw0AIAIoAgQgAigCAGsgA0cNACACKAIAIwEoAgAgAxADRQ0AC0EBC9UBAQJ/IAAhAiAA" +
  "LwEAQfv6AUYEQCAAQQJqDwsDQCMBIQMgA0GAxNQATwRAQQAPC0EAJAAgAEEBaiEAIAMgAEEBajYCACAAEA0hACAARSMAcgRAQQAPCyADIAA2AgQgAiABEA4EQEEADwsgAEEC" +
  "aiEAIAMgADYCCCADIAE2AhAgA0EUaiQBIAAtAABB+wBGIAFBA0lxBH8gACABQQFqEA8FIAAgARAMCyEAIABFBEBBAA8LIAMgADYCDCAALQAAQSxGDQALIABBAWpBACAALQAA" +
  "Qf0ARhsLKgBBgLDUACQBIAAtAABB+wBHBEBBAA8LIABBABAPIQAjAUEAIAAgAUYbC1UBAX8gABAGIQIgAiAARgRAQQAPCyACIABrIQIDQCABKAIARQRAQQAPCyABKAIAIAJG" +
  "BEAgACABQRBqIAIQAwRAIAEoAgQPCwsgAUGAAWohAQwACwALWgEBfyAAQQFrKQMAQqLYiMnGzIidIlIEQEEADwsgAEEHaiEAIAAQBiECIAIgAEYgAikDAEKi2IjxlqzbsiJS" +
  "IAIvAQhBusQAR3JyBEBBAA8LIAJBCmogARARC5MFAQl/IAApAwBC+8TAi6aumbf0AFIgACkDB0L0qtXLxsyInSJScgRAQYCg0QAhAgNAIAIoAgAhBCAERQRAQQAPCyAAIAJB" +
  "EGogBBADRQRAIAJBgAFqIQIMAQsLIAFBgBA2AhwgACAEahAADwtBgKDQACECAkADQCACKAIAIQQgBEUEQEEADwsgAEEzaiACQSBqIAQQAwRAIABBM2ogBGohBiACKAIEIQUg" +
  "BUEERw0CIAYQBiEHIAcgBkcEQCAHIAJBsARqIAIoAggQAw0DCwsgAkGACGohAiADQQFqIQMMAAsLIAFBCGogAEEPaiAAQTNqEAVFBEBBAA8LIAFEAAAAAAAAAAA5AxACQCAF" +
  "QQRGBEAgAUEQaiAGIAcQBRogByEGA0AgB0H0ABABIQcgBy0AAEEiRgRAIAcpAwBCoujlg9fMiJ0iUSAHKQMIQvTeveP2q9255QBRcSAHLQAQQSJGcQRAIAkEQCAJQYAEciEJ" +
  "BSAHQRFqQYCw0QAQEiEKIApFBEBBAA8LQYACIApBAWtBCXRyIQkLCyAHQQFqIQcMAQsLIAYgBxAHIQgMAQsgBUECRgRAIAYQACEHIAYgBxAHIQgMAQsgBhACIQcgBy0AAEEK" +
  "RgRAQQAPCyAHQQhqIQggBUEBRgRAIAdBBGsoAgBB/br14wJHBEBBAA8LBSAHQRZrKQMAQv3YiKGXj9yyIlIgB0EOaykDAEK6xISjx67YsegAUiAHQQhrKQMAQuPQtavmjZ2R" +
  "LFJycgRAQQAPCwsgCBACIQcgBy0AAEEKRwRAQQAPCwsgCEUEQEEADwsgCEEkaiAHTyAILQAkQSJHcgRAQQAPCyABIAggCEEkahAFRQRAQQAPCyABIAkgA3I2AhwgBwtXAQJ/" +
  "QYCw1AAhAgJAA0AgACABTw0BIAJBgP7XAE8NASAAIAIQEyEDIANFIAMgAU9yDQEgAiADNgIYIANBAWohACACQSBqIQIMAAsLIAJBgLDUAGtBBXYLfwAgAP0ABABBCv0P/SMg" +
  "AP0ABAhBCv0P/SP9UCAA/QAEAP0MAAAAAP8AAP8AAP8AAP8AAP1O/QwAAAAALQAALQAAVAAAOgAA/VEgAP0ABAn9DAAAAAAAAAD/AAD/AAAA///9Tv0MAAAAAAAAADoAAC4A" +
  "AABaIv1R/VD9UP1TRQurAQEBfyAAKQMAQvvE0MvWrdm59ABSIAApAwZC8+iF64bOiJ0iUnIEQEEADwsgAEEOahAVRQRAQQAPCyAAQSdqIQAgACkDAEKsxLyTx6yat+EAUiAA" +
  "KAIHQeHYidEDR3IEQCAADwsgAEELaiEAA0AgAC0AAEEwa0EKSQRAIABBAWohACABQQFqIQEgAUEQSQ0BCwsgAUEBa0EOSyAALQAAQSxHcgRAQQAPCyAAC5IBAwF/AX4Cf0GA" +
  "sNQAIQIDQCACIwFPBEBBAA8LIAIoAgQgAigCAGshBCACKAIAKQMAQv//////////AIMhAyACKAIQRQRAIARBB0YgA0LwwuXj9q2YMlFxIQUFIAIoAhBBAUYgBSAEIAFGcXEE" +
  "QCADIACFQcAAIAFBA3RrrYZQBEAgAg8LCwsgAkEUaiECDAALAAseAEGAsNQAJAEgAEEAEA8hACAAQQAgAC0AAEEKRhsLPQEBf0GAkNkAKAIAIQEgAEUgAUVyBEBBAA8LIAAo" +
  "AgwgACgCCGsgAUcEQEEADwsgACgCCEGQkNkAIAEQAwu2AQECfyABKQMAQqLo1ZPn7de05ABRIAEoAgdB5MTokQJGcQRAIAFBC2ohAiACEAYhASABIAJGBEBBACECBUGAktkA" +
  "KAIAIQMgAwRAIAFBkJLZACADEAMEQCABIANqQQFrDwsLCwsgABAYIQAgAEVC7d6Rq8YNQQUQFxAZRXIEQEEADwsgAEEBaiABayEDIAJBAEcgA0GAgAJJcQRAQYCS2QAgAzYC" +
  "AEGQktkAIAEgA/wKAAALIAAL1AQBCn8CQANAQQAhByAAIAFPDQEgABAWIQMgA0UNAUGA8NEAIQUDQCAFKAIAIQYgBkUNAiADIAZqQQhrKQMAIAUgBmopAwhSBEAgBUGACGoh" +
  "BQwBCyADIAVBEGogBhADRQRAIAVBgAhqIQUMAQsLIAUoAgQhByADIQQgAyAGaiEDIAdBBUsgB0EFRiACQQJPcXINASAHQQJGIAJBAXFxBEADQCADQeMAEAEhAyADLQAAQQpG" +
  "DQMgAykDAEKixoXjxu3XtOQAUiADKQMDQuzY/crGzIidIlJyBEAgA0EBaiEDDAELCyADQQpqIQsMAgsgB0EDRgRAA0AgA0HuABABIQMgAy0AAEEKRg0DIAMpAwBCotyF69bM" +
  "iJ0iUgRAIANBAWohAwwBCwsgA0EHaiELIANBCGpBgPDTABARRQ0CQQAhCwsgB0EERgRAIAAgAxAaIQUgBUUNAiAFIQMLIAdBBUYEQCAAEBghBSAFRQ0CIAUhAwsgAxAAIQMg" +
  "AyABTw0BIAhBAWohCCAJIAdBA0ZqIQkgCiAHQQVGaiEKIANBAWohAAwACwsgB0EGRgRAIAAQGARAQu3KzZuX7NkyQQcQFyEGIAYEQCAGKAIIIQsgBigCDCEMCwsFIAsEQCAL" +
  "QQFqIQYgBhAGQQFqIQwgDCAGa0ECSQRAQQAhCwsLC0GAsNQAIAg2AgBBhLDUACAJNgIAQYiw1AAgCjYCAEGMsNQAIAc2AgAgBwRAQZCw1AAgBDYCAEGUsNQAIAMQADYCAEGY" +
  "sNQAIAs2AgBBnLDUACAMNgIACyAAC4QCAgJ7An8DQCAA/QAEACEBIAD9AAQBIQIgAUEK/Q/9IyABQTr9D/0jIAJBIP0P/SP9Tv1QIAFB3AD9D/0jIAJB9QD9D/0j/U4gAUHf" +
  "AP0P/SMgAkHwAP0P/SP9Tv1Q/VD9ZCEDA0AgAwRAIAAgA2hqIQQgAyADQQFrcSEDIAQtAABBCkYEQEEADwsgBEEEaygCAEHG0rGrBkYgBEEHaykDAELN3tmrhoTdtzpRcgRA" +
  "IAQtAABBOkYEQCAEQQJqDwsLIAQoAgBB3OrBgQNGIARBBWspAwBC8MiFo9fsl7jsAFEgBCgCAkHswrnDAkZxcgRAQX8PCwwBCwsgAEEQaiEADAALAAuiAQICewF/A0AgAP0A" +
  "BAAhASAA/QAEECECIAFBCv0P/SMgAUEi/Q/9I/1QIAJBCv0P/SMgAkEi/Q/9I/1Q/VD9U0UEQCAAQSBqIQAMAQsgAP0ABAEhAiABQQr9D/0jIAFBIv0P/SMgAkHtAP0P/SMg" +
  "AkHuAP0P/SMgAkH0AP0P/SP9UP1Q/U79UP1kIQMgA0UEQCAAQRBqIQAMAQsLIAAgA2hqCyAAIAAQACEAIAEgAjYCHCAAQQAgAEEBay0AAEH9AEYbC7cBACAAKQMIQvvEsIu2" +
  "jt2q8ABRIAApAxBC5MLRq8bMiJ0iUXEgAEEYahAVIAAoAjBBovr10wBGcXEEQCABQQE2AhwgAEEzag8LIAJFIAAvAQhB+8QAR3IEQCAAIAFBCBAeDwsDQCAAECAhACAALQAA" +
  "QQpHBEAgACkDAEKiyKWT1+yYuu8AUSAAKQMAQrzm0YvGrtmv8wBRcgRAIAAgAUEEEB4PCyAAQQFqIQAMAQsLIAAgAUEBEB4LZAICewF/A0AgAP0ABAAhASAA/QAEASECIAFB" +
  "Cv0P/SMgAUEi/Q/9IyACQeQA/Q/9I/1OIAFBPP0P/SMgAkHzAP0P/SP9Tv1Q/VD9ZCEDIANFBEAgAEEQaiEADAELCyAAIANoaguRBQMBfwF+BH8gACkDAEL7xJCZ14ydkTpR" +
  "BEAgACABIAIQHw8LIAApAwBC//////////8Ag0L7xKSjpsSOEVIEQEEADwsgAEEHaiEDIAMQBiEAIAAgA0YEQEEADwsgASADIAAQBUUEQEEADwsgACkDAEKi2Iihl63bsvMA" +
  "UiAAKQMHQvPoheuGzoidIlJyBEBBAA8LIABBD2ohACAAEBVFBEBBAA8LIAEgADYCECAAQRhqIQAgACkDAEKi2Iihl4/csiJSBEBBAA8LIAApAwhCusTUm9fMnJEsUQRAIAAp" +
  "AxBCosa988aumbf0AFIgACkDGEKi9Ozap8TZuu4AUnIgACkDIELj6KX75s3UsvMAUiAAKQMnQvPgvfO2rpmROlJycgRAIAAgAUEIEB4PC0EBIQcFIAApAwhCusScq9atmrfp" +
  "AFIgAC0AEEEiR3IEQEEADwsLIABBEGohAwNAIAMQHSEDIAMtAABBIkYEQCADKQMAIQQgBEKi6L37xu3QsOwAUSADKQMEQuyGhePG7ZyROlFxBEAgByADLwEMQdv2AUdyBEBB" +
  "AA8LIAVBAnIhBQsgByAEQqLolcPHzoidIlFxBEAgAyABQQQQHg8LIAdFIARCotq9o9aMm5E6UXEEQCAGRQRAIAUgAy0ACEEiR3IEQEEADwsgA0EJakGAwNgAEBEhBiAGRQRA" +
  "QQAPCwsLIAdFIARC//////////8Ag0Ki3IXr1syIHVFxBEAgBUUgAy0AB0EiR3IEQEEADwsgA0EIakGAgNgAEBEhCCAIRQRAQQAPCyAIQQFHBEAgAyABIAgQHg8LCyADQQFq" +
  "IQMMAQsLIANBAWstAABB/QBHBEBBAA8LIAEgBSAGQQh0cjYCHCADC40BAQN/QYCw1AAhAwJAA0AgACABTw0BIANBgP7XAE8NASAAIAMgAhAhIQQgBEUgBCABT3INASADKAIc" +
  "QQFHBEAgAyAANgIIIAMgBTYCDCADIAQ2AhggA0EgaiEDCyAFQQFqIQUgBEEBaiEADAALC0Hw/9cAIAA2AgBB9P/XACAFNgIAIANBgLDUAGtBBXYLDQAgACABaikDACACUQvR" +
  "BQECf0EAJAIgAEEAQvvE0MuHrpmROhAjIABBCEKi2pWbt67Ys+UAECMgAEEQQqLYiMnGzIidIhAjcXFFBEBBAA8LIABBGGohASABEAYhACAAIAFGIABBAEKi2Iihl63bsvMA" +
  "ECMgAEEHQvPoheuGzoidIhAjcUVyBEBBAA8LIABBD2ohACAAEBVFBEBBAA8LIABBGGohACAAQQBCotiI6dbs3LnhABAjIABBCELnyonRs8+Iue8AECMgAEENQqLkvePWzIid" +
  "IhAjcXFFBEBBAA8LIABBFWohACAAQQBC9eaVk6eEi5HjABAjBEAgAEEIQu/c0avmjZ2ROhAjIABBEELb9omhl4/csiIQI3EgAEEYQrrE0Pv2jduv8gAQIyAAQR5C3+SVm9eO" +
  "m7oiECNxcUUEQEEADwtBASECIABBJmohAQUgAEEAQuHmzcu2jt2w7gAQIyAAQQhC9MSwkbLsm7f0ABAjcSAAQRBC5dzRk6Ln1r0iECMgAEEXQqLo5YPXzIidIhAjcXFFBEBB" +
  "AA8LIABBH2ohASABEAYgAUYEQEEADwsgAUEAQvTK4aOnhIuR9AAQIyABQQZCouiVw8fOiJ0iECNxBEAgAUEOahAJIQEgAUUEQEEADwsgAUEAQqL6sdmnhN288AAQIyABQQRC" +
  "oujlg9fMiJ0iECNxBEAgAUEMaiEBCwsgAUEAQvTeveP2q9255QAQIyABLQAIQSJGcQRAIAFBCWohASABQYDQ2AAQEkUEQEEADwtBASQCCwsDQCABEB0hASABLQAAQSJGBEAg" +
  "AUEAQqLavaPWjJuROhAjBEBBAA8LIAFBAEKi6OWD18yInSIQIwRAIAFBCEL03r3j9qvdueUAECMgAUEIahAGIAFBCGpGciACRSABQQhC9N694/bL3LLzABAjcXIEQEEADwsL" +
  "IAFBAWohAQwBCwsgAUEAIAFBAWstAABB/QBGGwtPAQN/AkADQCAAIAFPDQEgABAkIQIgAkUgAiABT3INASADQQFqIQMgBCMCaiEEIAJBAWohAAwACwtBgLDUACADNgIAQYSw" +
  "1AAgBDYCACAACw==";

interface Program {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly claude: (start: number, end: number) => number;
  readonly codex: (start: number, end: number, stops: number) => number;
  readonly gemini: (start: number, end: number, isKnown: number) => number;
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
/** The newest context of that model stands here in the same way. */
const contextAt = 0x164900;
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
    this.memory.writeInt32LE(0, contextAt);
    this.memory.writeInt32LE(isPlain ? model.length + 2 : 0, modelAt);
    if (isPlain) this.memory.write(`"${model}"`, modelAt + textAt, "latin1");
  }

  /**
   * The result is how many lines of Gemini CLI's from `start` on are told of from {@link toldAt} on. Those that say nothing are passed, and what is behind
   * all of them is told at {@link behindAt}. `isKnown`: it is known whose session it is.
   */
  gemini(start: number, end: number, isKnown: boolean): number {
    return this.#program.gemini(start, end, isKnown ? 1 : 0);
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
