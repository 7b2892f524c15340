/** This stands in the place of a text that could not be read. */

/** The result is undefined if the text was read. */
export function unreadText({
  unreadBytes,
  offset,
}: {
  readonly unreadBytes?: number;
  readonly offset?: number;
}): string | undefined {
  if (unreadBytes === undefined) return undefined;
  const size = `${unreadBytes} ${unreadBytes === 1 ? "byte" : "bytes"}`;
  const place = offset === undefined ? "" : ` at byte ${offset}`;
  return `(not read: nested too deeply, a line of ${size}${place})`;
}
