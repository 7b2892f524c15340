/** A plan of pi's own is told only as long as we wrote none: whoever reads the file looks for an entry of ours in what is read. */
import { NotASessionError } from "../../errors.ts";
import { lineHeads } from "../../lens/line-heads.ts";
import { ourEntry } from "./pi-only.ts";

/** To whoever uses the library it is what it extends. */
export class OursInsideError extends NotASessionError {
  override readonly name = "NotASessionError";
}

/** The result is to be shown all bytes of a session of pi's, piece by piece, and throws if they hold an entry of ours. */
export function noneOfOurs(file: string, namespace: string | undefined): (bytes: Buffer) => void {
  const ours = Buffer.from(ourEntry(namespace));
  const rare = ours.indexOf("T");
  const endBytes = ours.length - 1;
  let end: Buffer = Buffer.alloc(0);
  let isInside = false;
  return (bytes) => {
    const program = lineHeads(bytes.length);
    isInside ||= program === undefined ? bytes.includes(ours) : program.has(bytes, ours, rare);
    isInside ||= Buffer.concat([end, bytes.subarray(0, endBytes)]).includes(ours);
    if (isInside)
      throw new OursInsideError(`${file} was a session of pi alone, and has a journal of ours by now: open it again`, {
        file,
      });
    end = Buffer.concat([end, bytes.subarray(-endBytes)]).subarray(-endBytes);
  };
}
