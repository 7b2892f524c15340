// A picture as a PNG of few colors: a screenshot of text needs no more, and has a third of the bytes.
import { crc32, deflateSync } from "node:zlib";

const colorsMax = 128;
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** `pixels`: four bytes each, without transparency, row by row. */
export function smallPng(pixels, width, height) {
  const palette = paletteOf(pixels);
  const nearest = new Map();
  const rows = Buffer.alloc((width + 1) * height);
  for (let at = 0; at < width * height; at++) {
    const color = pixels.subarray(at * 4, at * 4 + 3);
    const key = (color[0] << 16) | (color[1] << 8) | color[2];
    if (!nearest.has(key)) nearest.set(key, nearestOf(palette, color));
    // Each row begins with the number of its filter, which is none.
    rows[at + Math.floor(at / width) + 1] = nearest.get(key);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flat())),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** The colors that most pixels have, of those that are nearly the same one. */
function paletteOf(pixels) {
  const counts = new Map();
  for (let at = 0; at < pixels.length; at += 4) {
    const key = ((pixels[at] >> 3) << 10) | ((pixels[at + 1] >> 3) << 5) | (pixels[at + 2] >> 3);
    const known = counts.get(key) ?? { count: 0, exact: new Map() };
    const color = (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2];
    known.count += 1;
    known.exact.set(color, (known.exact.get(color) ?? 0) + 1);
    counts.set(key, known);
  }
  const most = [...counts.values()].sort((one, other) => other.count - one.count).slice(0, colorsMax);
  return most.map(({ exact }) => {
    const [[color]] = [...exact].sort((one, other) => other[1] - one[1]);
    return [color >> 16, (color >> 8) & 0xff, color & 0xff];
  });
}

function nearestOf(palette, color) {
  let best = 0;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const [index, known] of palette.entries()) {
    const distance = known.reduce((sum, part, channel) => sum + (part - color[channel]) ** 2, 0);
    if (distance >= bestDistance) continue;
    best = index;
    bestDistance = distance;
  }
  return best;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
