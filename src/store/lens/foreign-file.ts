/** Whose session file lies at a path, where it is no journal of ours. */
import fs from "node:fs";
import path from "node:path";
import type { Lens } from "../../lens/lens.ts";
import { lensOf } from "../../lens/lenses.ts";
import { decodeHeader, trimLine } from "../../line/decode.ts";
import { SessionBytes } from "../session-file/session-bytes.ts";

export interface ForeignFile {
  readonly lens: Lens;
  readonly file: string;
  /** Of a subagent whose lines stand in the file of its parent. */
  readonly agent?: string;
}

/** A client's first lines may be long: prompts and lists of tools. */
const headBytesMax = 1024 * 1024;
const headBytesUsual = 8 * 1024;

/** Undefined: nothing is there, or it is no session of a client that is known. `FILE#agent-ID` is a subagent's. */
export function foreignFile(where: string): ForeignFile | undefined {
  const file = path.resolve(where);
  const lens = lensAt(file);
  if (lens !== undefined) return { lens, file };
  const [, parent, id] = /^(.+)#agent-([\w-]{1,64})$/.exec(file) ?? [];
  if (parent === undefined || id === undefined) return undefined;
  const parentLens = lensAt(parent);
  if (parentLens === undefined) return undefined;
  const own = agentFile(parent, id);
  return own === undefined ? { lens: parentLens, file: parent, agent: id } : { lens: parentLens, file: own };
}

/** Where clients put the files of subagents: in the session's own folder, or beside it. */
function agentFile(parent: string, id: string): string | undefined {
  const name = `agent-${id}.jsonl`;
  const folder = path.dirname(parent);
  const session = path.basename(parent, ".jsonl");
  return [path.join(folder, session, "subagents", name), path.join(folder, name)].find((file) => fs.existsSync(file));
}

function lensAt(file: string): Lens | undefined {
  const isFile = fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
  const bytes = isFile ? SessionBytes.open(file) : undefined;
  if (bytes === undefined) return undefined;
  try {
    const usual = bytes.slice(0, headBytesUsual);
    const first = linesOf(usual).find((line) => trimLine(line).length > 0);
    if (first !== undefined && decodeHeader(first) !== undefined) return undefined;
    return (
      lensOf(linesOf(usual)) ??
      (bytes.size() > headBytesUsual ? lensOf(linesOf(bytes.slice(0, headBytesMax))) : undefined)
    );
  } finally {
    bytes.close();
  }
}

/** The last may not be whole. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let feed = bytes.indexOf(0x0a); feed !== -1; feed = bytes.indexOf(0x0a, from)) {
    lines.push(bytes.subarray(from, feed));
    from = feed + 1;
  }
  if (from < bytes.length) lines.push(bytes.subarray(from));
  return lines;
}
