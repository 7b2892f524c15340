/** The smallest file that still shows something: lines go first, then pieces of lines. */
export async function minimised(bytes: Buffer, shows: (bytes: Buffer) => Promise<boolean>): Promise<Buffer> {
  const lines = bytes.toString("latin1").split(/(?<=\n)/);
  const tries = { left: triesMax };
  const join = (pieces: readonly string[]): Buffer => Buffer.from(pieces.join(""), "latin1");
  let kept = await fewest(lines, (pieces) => shows(join(pieces)), tries);
  for (let index = 0; index < kept.length; index++) {
    const [before, after] = [kept.slice(0, index), kept.slice(index + 1)];
    const pieces = (kept[index] as string).split(/(?<=[^A-Za-z0-9])/);
    const line = await fewest(pieces, (some) => shows(join([...before, some.join(""), ...after])), tries);
    kept = [...before, line.join(""), ...after];
  }
  return join(kept);
}

/** Each is a reading. */
const triesMax = 800;

/** Takes away halves, quarters and so on, as long as it shows. */
async function fewest<Piece>(
  all: readonly Piece[],
  shows: (pieces: readonly Piece[]) => Promise<boolean>,
  tries: { left: number },
) {
  let pieces = all;
  for (let size = Math.ceil(pieces.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < pieces.length && tries.left > 0; tries.left--) {
      const fewer = [...pieces.slice(0, at), ...pieces.slice(at + size)];
      if (fewer.length > 0 && (await shows(fewer))) pieces = fewer;
      else at += size;
    }
  }
  return pieces;
}
