/**
 * What a session file says, read the plainest way there is: each line through `JSON.parse`, each rule of the format once,
 * no memory of the line before but what the rules name. It is slow and shares nothing with the readers that it judges but
 * the meaning of events.
 */
import { createHash, createHmac } from "node:crypto";
import type { ScratchpadEvent } from "../../src/event/event.ts";
import { parseEvent } from "../../src/event/parse.ts";
import { fold } from "../../src/state/fold.ts";
import type { ScratchpadState } from "../../src/state/state.ts";

export interface Reading {
  readonly version: number;
  readonly head: string;
  readonly turn: number;
  readonly state: ScratchpadState;
  /** It holds an event that this release does not know. */
  readonly hasUnknown: boolean;
}

type Fields = Readonly<Record<string, unknown>>;
type Written = Fields & { readonly type: string };
interface Commit {
  readonly v: number;
  readonly id: string;
  readonly version: number;
  readonly events: readonly Written[];
  readonly prev: string;
  readonly hash: string;
}

const name = "openclaw:scratchpad";
const commitBytesMax = 1 << 20;
const headerBytesMax = 1 << 20;
const values: Readonly<Record<string, string>> = {
  [name]: "legacy",
  [`${name}:notes`]: "notes",
  [`${name}:plan`]: "plan",
  [`${name}:refs`]: "refs",
};

/** Undefined: no session. */
export function oracle(file: Buffer, key?: string): Reading | undefined {
  const [first] = linesOf(file.subarray(0, headerBytesMax));
  const [, ...lines] = linesOf(file);
  const header = first && objectIn(first);
  if (header?.["type"] !== "session" || Number(header["version"] ?? 1) > 4) return undefined;
  const seen = new Set<string>();
  const events: ScratchpadEvent[] = [];
  let version = 0;
  let turn = 0;
  let head = hashOf(typeof header["id"] === "string" ? header["id"] : "", key);
  let kind = key === undefined ? 0 : 64;
  for (const line of lines) {
    const entry = objectIn(line) ?? {};
    if (entry["type"] === "message" && (entry["message"] as Fields | null)?.["role"] === "user") turn += 1;
    const type = entry["type"] === "custom" ? String(entry["customType"]) : "";
    if (!line.includes(`"${type}"`)) continue;
    const space = Object.hasOwn(values, type) ? values[type] : undefined;
    const id = `value ${entry["id"]}`;
    if (space !== undefined && !Object.hasOwn(entry, "mirror") && !seen.has(id)) {
      if (typeof entry["id"] === "string") seen.add(id);
      version += 1;
      // Data of a long line that is too deep is of the wrong type for everybody, whatever it is.
      const isUnread = line.length >= commitBytesMax && isDeeper(entry, 65);
      events.push(eventOf(space, isUnread ? undefined : entry["data"]));
    }
    const isCommit = type === `${name}:events` && line.length < commitBytesMax;
    const commit = isCommit ? commitIn(entry["data"]) : undefined;
    if (commit === undefined) continue;
    const known = [
      `commit ${commit.id}`,
      ...commit.events.map(({ command: c }) => (c === undefined ? "" : `command ${c}`)),
    ];
    const isRight = commit.hash === hashIn(commit, key) || (key === undefined && /^[0-9a-f]{64}$/.test(commit.hash));
    const isOfKind = kind === 0 || commit.hash.length === kind;
    const base = commit.version - commit.events.length;
    if (!isRight || !isOfKind || base < version || known.some((each) => each !== "" && seen.has(each))) continue;
    for (const each of known) if (each !== "") seen.add(each);
    ({ version, hash: head } = commit);
    kind = head.length;
    for (const written of commit.events) events.push(parseEvent(commit.v, written));
    turn += commit.events.filter((written) => parseEvent(commit.v, written).type === "turn.began").length;
  }
  return {
    version,
    head,
    turn,
    state: fold(settled(events)),
    hasUnknown: events.some(({ type }) => type === "unknown"),
  };
}

/** Each ended by its line feed; what is in flight is left out, and blank lines are. */
function linesOf(file: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0, end = file.indexOf(10); end !== -1; start = end + 1, end = file.indexOf(10, start)) {
    const line = file.subarray(start, end);
    if (/[^ \t\r\0]/.test(line.toString("utf8").replace(/^\ufeff/, ""))) lines.push(line);
  }
  return lines;
}

export function objectIn(line: Buffer): Fields | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(line);
    let [start, end] = [0, text.length];
    while (" \t\r\0".includes(text[start] ?? "x")) start += 1;
    while (" \t\r\0".includes(text[end - 1] ?? "x")) end -= 1;
    const value: unknown = JSON.parse(text.slice(start, end));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined: it cannot be read. */
function commitIn(data: unknown): Commit | undefined {
  if (!isObject(data) || isDeeper(data, 64) || isInfinite(data)) return undefined;
  const { v, id, version, events, prev, hash } = data;
  if (typeof v !== "number" || typeof prev !== "string" || typeof hash !== "string") return undefined;
  if (typeof id !== "string" || id === "" || !Array.isArray(events) || events.length === 0) return undefined;
  if (!Number.isSafeInteger(version) || (version as number) < events.length || !events.every(isWritten))
    return undefined;
  return data as unknown as Commit;
}

function isWritten(event: unknown): event is Written {
  if (!isObject(event) || typeof event["type"] !== "string") return false;
  const { command } = event;
  return command === undefined || (typeof command === "string" && command !== "");
}

/** RFC 8785, of what is no deeper than a commit may be. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value).sort();
  return `{${fields.map((field) => `${JSON.stringify(field)}:${canonical(value[field])}`).join(",")}}`;
}

function hashIn({ hash: _, ...hashed }: Commit, key: string | undefined): string {
  return hashOf(canonical(hashed), key);
}

function hashOf(text: string, key: string | undefined): string {
  if (key !== undefined) return createHmac("sha256", key).update(text).digest("hex");
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** Without going down to the bottom. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** RFC 8785 has no form for it. */
function isInfinite(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  return typeof value === "object" && value !== null && Object.values(value).some(isInfinite);
}

function eventOf(space: string, data: unknown): ScratchpadEvent {
  const refs = Array.isArray(data) ? data.filter((ref) => typeof ref === "string") : [];
  const isFit = space === "refs" ? Array.isArray(data) : typeof data === "string";
  const ignored = isFit ? {} : { ignored: true };
  return {
    type: `${space}.set`,
    ...(space === "refs" ? { refs } : { text: isFit ? data : "" }),
    ...ignored,
  } as ScratchpadEvent;
}

/** A single-key value fills notes only while nothing newer has. */
function settled(events: readonly ScratchpadEvent[]): ScratchpadEvent[] {
  const newer = events.findIndex(({ type }) => ["notes.set", "notes.appended", "notes.edited"].includes(type));
  return events.filter(({ type }, index) => type !== "legacy.set" || newer === -1 || index < newer);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
