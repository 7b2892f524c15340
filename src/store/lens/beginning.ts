/** Looks at the first bytes of a file, which lie in a buffer that all files share: one for each of thousands costs time. */
import type { ByteSource } from "../session-file/session-bytes.ts";

/** The result is what `look` finds in the first bytes, at most 256 KiB. They hold only for the call. */
export function atBeginning<Found>(bytes: ByteSource, length: number, look: (beginning: Buffer) => Found): Found {
  let found: { readonly value: Found } | undefined;
  bytes.pieces(0, length, (piece) => {
    found ??= { value: look(piece) };
  });
  return found === undefined ? look(Buffer.alloc(0)) : found.value;
}
