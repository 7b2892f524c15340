/** Entries as the files of a folder, and how a model is shown them. */
import { byteCount } from "../action/text.ts";
import type { ScratchpadState } from "../state/state.ts";
import { pathOfKey } from "../tool/memory-paths.ts";

/** The files are indexed by their path without `/memories/`. */
export type MemoryFiles = ReadonlyMap<string, { readonly key: string; readonly text: string }>;

/** The files come in the order of their paths. */
export function filesIn({ entries }: ScratchpadState): MemoryFiles {
  const files = Object.entries(entries).map(([key, text]) => [pathOfKey(key), { key, text }] as const);
  return new Map(files.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A listing goes down so many folders. */
const depthMax = 2;

/** The folder `relative`, called `path`, with what lies in it: without hidden files, and those of packages. */
export function listing(path: string, files: MemoryFiles, relative: string): string {
  const shown = path.replace(/\/$/, "");
  const sizes = new Map<string, number>();
  let total = 0;
  for (const [name, { text }] of files) {
    if (relative !== "" && !name.startsWith(`${relative}/`)) continue;
    const names = name.slice(relative === "" ? 0 : relative.length + 1).split("/");
    if (names.some((one) => one.startsWith(".") || one === "node_modules")) continue;
    const bytes = byteCount(text);
    total += bytes;
    for (let depth = 1; depth <= Math.min(depthMax, names.length); depth += 1) {
      const item = names.slice(0, depth).join("/") + (depth < names.length ? "/" : "");
      sizes.set(item, (sizes.get(item) ?? 0) + bytes);
    }
  }
  return [
    `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`,
    `${sizeText(total)}\t${path}`,
    ...[...sizes].map(([item, bytes]) => `${sizeText(bytes)}\t${shown}/${item}`),
  ].join("\n");
}

export function numbered(path: string, text: string, [from, to]: readonly [from: number, to: number]): string {
  const lines = text.split("\n").map(numberedLine);
  const shown = lines.slice(Math.max(0, from - 1), to === -1 ? undefined : to);
  return [`Here's the content of ${path} with line numbers:`, ...shown].join("\n");
}

/** The snippet has the lines of a replacement that stands at `at`, and two lines on each side. */
export function snippet(text: string, at: number, replacement: string): string {
  const first = text.slice(0, at).split("\n").length - 1;
  const last = first + replacement.split("\n").length - 1;
  return text
    .split("\n")
    .map(numberedLine)
    .slice(Math.max(0, first - 2), last + 3)
    .join("\n");
}

function numberedLine(line: string, index: number): string {
  return `${String(index + 1).padStart(6)}\t${line}`;
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  const kibibytes = bytes / 1024;
  return kibibytes < 1024 ? `${kibibytes.toFixed(1)}K` : `${(kibibytes / 1024).toFixed(1)}M`;
}
