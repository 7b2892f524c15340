/** This file says what the file of a session is called whose id is any text. */
import { hashText } from "../line/chain.ts";

/** A name has 255 bytes at most, and the lock of a session file is called after it. */
const bytesMax = 250;

/** An id that is too long for a name gives its beginning and a digest of the whole, behind a sign that stands in no other name. */
export function fileNameOf(session: string, extension: string): string {
  const encoded = encodeURIComponent(session);
  if (encoded.length + extension.length <= bytesMax) return `${encoded}${extension}`;
  const end = `+${hashText(encoded)}${extension}`;
  return `${encoded.slice(0, bytesMax - end.length)}${end}`;
}
