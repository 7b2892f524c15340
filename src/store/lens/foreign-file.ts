/** Whose session file lies at a path, where it is no journal of ours. */
import fs from "node:fs";
import path from "node:path";
import { isFields } from "../../event/fields.ts";
import { claudeCode } from "../../lens/claude-code.ts";
import { DocumentFrames, hasListKey } from "../../lens/document-frames.ts";
import { list, parsed } from "../../lens/fields.ts";
import type { Lens } from "../../lens/lens.ts";
import { lensOf } from "../../lens/lenses.ts";
import { openCode } from "../../lens/opencode.ts";
import { decodeHeader, trimLine } from "../../line/decode.ts";
import type { ByteSource } from "../session-file/session-bytes.ts";
import { lookAt } from "../session-file/session-path.ts";
import { atBeginning } from "./beginning.ts";
import { openText } from "./packed-bytes.ts";
import { zstdMagic } from "./zstd-frames.ts";

export interface ForeignFile {
  readonly lens: Lens;
  readonly file: string;
  /** Lines, one JSON document with a list of messages, or a database. */
  readonly form: "lines" | "document" | "database";
  /** This is the id of a subagent whose lines stand in the file of its parent. */
  readonly agent?: string;
  /** This says which of the sessions of a database is meant. */
  readonly session?: string;
}

type Found = Pick<ForeignFile, "lens" | "form">;

/** A client's first lines may be long: prompts and lists of tools. */
const headBytesMax = 1024 * 1024;
const headBytesLong = 64 * 1024;
const headBytesUsual = 8 * 1024;

const databaseStart = Buffer.from("SQLite format 3\0");

/**
 * The result is undefined if nothing is there, or if it is no session of a client that is known. `FILE#agent-ID` is a subagent's,
 * `DATABASE#ID` one of the sessions of a database.
 */
export function foreignFile(where: string): ForeignFile | undefined {
  const file = path.resolve(where);
  const own = wholeFile(file);
  if (own !== undefined) return own;
  const [, parent, id] = /^(.+)#([\w-]{1,128})$/.exec(file) ?? [];
  const parentFile = parent === undefined ? undefined : wholeFile(parent);
  if (parentFile === undefined || id === undefined) return undefined;
  const agent = /^agent-([\w-]{1,64})$/.exec(id)?.[1];
  if (parentFile.form === "database") return { ...parentFile, session: agent ?? id };
  if (agent === undefined) return undefined;
  const agentFile = agentFileOf(parentFile.file, agent);
  if (agentFile !== undefined) return { ...parentFile, file: agentFile, form: "lines" };
  // No other client writes the lines of subagents among its own.
  return parentFile.lens === claudeCode ? { ...parentFile, agent } : undefined;
}

/** Where clients put the files of subagents: in the session's own folder, or beside it. */
function agentFileOf(parent: string, id: string): string | undefined {
  const folder = path.dirname(parent);
  const session = path.basename(parent, path.extname(parent));
  const files = [path.join(folder, session, "subagents", `agent-${id}.jsonl`), path.join(folder, `agent-${id}.jsonl`)];
  // Gemini CLI's files have the beginning of the id in their name, and the folder of the subagents the whole id.
  const short = /^session-.+-([0-9a-f]{8})$/.exec(session)?.[1];
  const folders = short === undefined ? [] : fs.readdirSync(folder).filter((name) => name.startsWith(`${short}-`));
  return [...files, ...folders.map((name) => path.join(folder, name, `${id}.jsonl`))].find((file) =>
    fs.existsSync(file),
  );
}

function wholeFile(file: string): ForeignFile | undefined {
  const isFile = lookAt(file)?.isFile() === true;
  const bytes = isFile ? openText(file) : undefined;
  if (bytes === undefined) return undefined;
  try {
    return foreignIn(file, bytes);
  } finally {
    bytes.close();
  }
}

/** Whose file it is that is open. */
export function foreignIn(file: string, bytes: ByteSource): ForeignFile | undefined {
  const usual = atBeginning(bytes, headBytesUsual, formAt);
  const found =
    usual === "unknown"
      ? (atBeginning(bytes, headBytesLong, (head) => formIn(head, head.length < headBytesLong)) ??
        formIn(bytes.slice(0, headBytesMax), true))
      : usual;
  return found === undefined ? undefined : { ...found, file };
}

/** The result is undefined if it is no other client's, and "unknown" if more of it is to be looked at. */
function formAt(usual: Buffer): Found | undefined | "unknown" {
  if (usual.subarray(0, databaseStart.length).equals(databaseStart)) return { lens: openCode, form: "database" };
  if (beginsAsOurs(usual) || usual.subarray(0, zstdMagic.length).equals(zstdMagic)) return undefined;
  return formIn(usual, usual.length < headBytesUsual) ?? (usual.length === headBytesUsual ? "unknown" : undefined);
}

/** This says whether it begins as our session files do, and those of pi. */
export function isSessionOfOurs(bytes: ByteSource): boolean {
  return atBeginning(bytes, headBytesUsual, beginsAsOurs);
}

function beginsAsOurs(head: Buffer): boolean {
  const first = firstIn(linesOf(head));
  return first !== undefined && decodeHeader(first) !== undefined;
}

/** The result is the first line that is not blank, without what stands around it. */
function firstIn(lines: readonly Buffer[]): Buffer | undefined {
  for (const line of lines) {
    const bytes = trimLine(line);
    if (bytes.length > 0) return bytes;
  }
  return undefined;
}

/** Where nothing more is looked at, a document may be known by what stands before its list. */
function formIn(head: Buffer, isLast: boolean): Found | undefined {
  const lines = linesOf(head);
  const first = parsed(firstIn(lines) ?? "");
  // Metadata may have an empty list of messages, too, and lines of messages behind.
  if (!isFields(first) || ["messages", "steps"].some((name) => list(first[name]).length > 0)) {
    const messages = messagesIn(head);
    // A line of metadata that is cut in two may have an empty list, too.
    const lens = isLast || messages.length > 1 ? lensOf(messages) : undefined;
    if (lens !== undefined) return { lens, form: "document" };
  }
  const lens = lensOf(lines);
  return lens === undefined ? undefined : { lens, form: "lines" };
}

/** The lines of a document, as far as they stand here; none where it is no document. */
function messagesIn(head: Buffer): Buffer[] {
  // Looking at each byte takes longer than all else that is done with the first bytes of a file.
  if (!hasListKey(head)) return [];
  const frames = new DocumentFrames(head.length);
  const lines: Buffer[] = [];
  frames.push(head, ({ bytes }) => {
    if (bytes !== undefined) lines.push(bytes);
  });
  return frames.part === "head" ? [] : lines;
}

/** The last may not be whole. */
export function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let feed = bytes.indexOf(0x0a); feed !== -1; feed = bytes.indexOf(0x0a, from)) {
    lines.push(bytes.subarray(from, feed));
    from = feed + 1;
  }
  if (from < bytes.length) lines.push(bytes.subarray(from));
  return lines;
}
