/** Every way to read a session file. Each answers what it read, or the name of the error that it ended in. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { isJournalError } from "../../src/errors.ts";
import type { Journal } from "../../src/journal/public.ts";
import { canonicalJson } from "../../src/line/json.ts";
import { copyJournal } from "../../src/open/copy-journal.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import type { OpenOptions } from "../../src/open/open-options.ts";
import { hostSessionStore } from "../../src/store/host/host-session-store.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { JournalStore } from "../../src/stream/stream-store.ts";
import { newRandom, type Random } from "../reliability/random.ts";
import type { Prepared } from "./damaged-sessions.ts";
import { objectIn, oracle, type Reading } from "./oracle.ts";

/** What one reader says, and what it should. Of either only what the other has is compared. */
export interface Told {
  readonly reader: string;
  readonly of: Case;
  readonly told: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, unknown>>;
}

/** `folder`: one for the file alone. `expected`: by the oracle. */
export interface Case extends Prepared {
  readonly seed: number;
  readonly folder: string;
  readonly expected: Shown;
}

/** `random`: for what the reader does with the file. */
type Read = (prepared: Case, random: Random) => Promise<Shown | Told>;
type Shown = Readonly<Record<string, unknown>>;

const noSession: Shown = { error: "not_a_session" };

export const readers: Readonly<Record<string, Read>> = { cold, follower, tail, branch, verify, host, memory, sqlite };

export function caseOf(seed: number, folder: string, prepared: Prepared): Case {
  return { ...prepared, seed, folder, expected: shownOf(oracle(prepared.bytes, prepared.key)) };
}

/** The same seed, the same steps. */
export async function readWith(reader: string, prepared: Case): Promise<Told> {
  if (reader === "python") return readInPython([prepared])[0] ?? { reader, of: prepared, told: {}, expected: {} };
  const read = readers[reader] as Read;
  const told = await read(prepared, newRandom(prepared.seed)).catch((error: unknown) => ({ error: nameOf(error) }));
  return isTold(told) ? told : { reader, of: prepared, told, expected: prepared.expected };
}

export function disagrees({ told, expected }: Told): boolean {
  const fields = Object.keys(told).filter((field) => field in expected || field === "error");
  return fields.some((field) => canonicalJson(told[field] ?? null) !== canonicalJson(expected[field] ?? null));
}

async function cold(prepared: Case): Promise<Shown> {
  return opened(fileOf(prepared), prepared, shown);
}

/** Handed the file in pieces, and reading on after each. */
async function follower(prepared: Case, random: Random): Promise<Shown> {
  const { bytes } = prepared;
  const cuts = cutsIn(bytes, random, 1 + random.below(5));
  if (cuts.length === 0) return cold(prepared);
  const file = fileOf(prepared, bytes.subarray(0, cuts[0]));
  return opened(file, prepared, async (journal) => {
    for (const [index, cut] of cuts.entries()) {
      fs.appendFileSync(file, bytes.subarray(cut, cuts[index + 1]));
      if (random.chance(80)) await journal.refresh();
    }
    await journal.refresh();
    return shown(journal);
  });
}

async function tail(prepared: Case, random: Random): Promise<Shown> {
  const [cut] = cutsIn(prepared.bytes, random, 1);
  if (cut === undefined) return cold(prepared);
  const file = fileOf(prepared, prepared.bytes.subarray(0, cut));
  await opened(file, prepared, (journal) => journal.snapshot(), { readonly: false, durability: "os" });
  fs.appendFileSync(file, prepared.bytes.subarray(cut));
  return opened(file, prepared, shown);
}

/** Which commits count, under this policy too; what is folded, where nothing was moved. */
async function branch(prepared: Case): Promise<Shown> {
  const { version, head, turn, state } = await opened(fileOf(prepared), prepared, shown, { fold: "branch" });
  return { version, head, turn, ...(prepared.isLinear ? { state } : {}) };
}

async function verify(prepared: Case): Promise<Shown> {
  return opened(fileOf(prepared), prepared, async (journal) => {
    const { head } = await journal.verify();
    return { version: head.version, head: head.hash };
  });
}

/** A host has parsed the lines and prints them as it likes, so it is held to what they say then. */
async function host(prepared: Case): Promise<Shown | Told> {
  const lines = prepared.bytes.toString("latin1").split("\n").slice(0, -1);
  const objects = lines.map((line) => objectIn(Buffer.from(line, "latin1"))).filter((each) => each !== undefined);
  const [header, ...entries] = objects;
  const session = header?.["id"];
  if (prepared.expected["error"] !== undefined || typeof session !== "string") return {};
  const printed = [header, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join("");
  const live = { append: () => undefined, entries: () => entries as never, sessionId: session };
  const { key } = prepared;
  const store = hostSessionStore(live, { readonly: true, ...(key === undefined ? {} : { seal: key }) });
  const journal = await openJournal(store, { readonly: true });
  const told = shown(journal);
  await journal.close();
  await store.close();
  const { expected } = caseOf(prepared.seed, prepared.folder, { ...prepared, bytes: Buffer.from(printed) });
  return { reader: "host", of: prepared, told, expected };
}

/** Memory has no seals. */
async function memory(prepared: Case): Promise<Shown> {
  const session = sessionIn(prepared);
  if (prepared.key !== undefined || session === undefined) return {};
  return copied(prepared, memoryStore({ sessionId: session }));
}

/** Each in a database of its own. */
async function sqlite(prepared: Case): Promise<Shown> {
  const session = sessionIn(prepared);
  if (session === undefined) return {};
  const { key, folder } = prepared;
  const database = path.join(folder, "journals.db");
  for (const end of ["", "-wal", "-shm"]) fs.rmSync(database + end, { force: true });
  const store = sqliteStore({ database, session, synchronous: "normal", ...(key === undefined ? {} : { seal: key }) });
  try {
    return await copied(prepared, store);
  } finally {
    await store.close();
  }
}

/** The turn stays where the host's messages are. A file in which nothing counts may be refused, and says why. */
async function copied(prepared: Case, to: JournalStore): Promise<Shown> {
  const { key, expected } = prepared;
  const seal = key === undefined ? {} : { seal: key };
  try {
    await copyJournal(fileOf(prepared), to, seal);
  } catch (error) {
    if (isJournalError(error, "storage") && /was not written with this seal/.test(String(error))) return {};
    throw error;
  }
  if (expected["version"] === 0) return {};
  const journal = await openJournal(to, { readonly: true });
  const { version, head, state } = shown(journal);
  await journal.close();
  return { version, head, state };
}

async function opened<Result>(
  file: string,
  { key }: Prepared,
  use: (journal: Journal) => Result | Promise<Result>,
  options: OpenOptions = {},
): Promise<Result> {
  const seal = key === undefined ? {} : { seal: key };
  const journal = await openJournal(file, { readonly: true, create: false, ...seal, ...options });
  try {
    return await use(journal);
  } finally {
    await journal.close();
  }
}

const python = `
import contextlib, io, json, sys
code = compile(open(sys.argv[1]).read(), "reader.py", "exec")
for file in sys.stdin.read().splitlines():
    sys.argv = ["reader.py", file]
    out = io.TextIOWrapper(io.BytesIO())
    try:
        with contextlib.redirect_stdout(out): exec(code, {"__name__": "__main__"})
        text = out.buffer.getvalue().decode()
    except BaseException as error:
        text = json.dumps({"error": repr(error)}) + "\\n"
    sys.stdout.buffer.write(text.encode())
`;
const script = path.resolve(import.meta.dirname, "../../docs/reader.py");

/** One process for many files. It has no keys, and leaves out what events of a type or a payload that nobody knows do. */
export function readInPython(cases: readonly Case[]): Told[] {
  const open = cases.filter(({ key, expected }) => key === undefined && expected["error"] === undefined);
  const files = open.map((each) => fileOf(each));
  const run = spawnSync("python3", ["-c", python, script], { input: files.join("\n"), maxBuffer: 2 ** 30 });
  const lines = run.stdout.toString("utf8").split("\n");
  return open.map((each, index) => {
    const told = JSON.parse(lines[index] || JSON.stringify({ error: run.stderr.toString() })) as Shown;
    const { state: _, turn: __, ...counted } = each.expected;
    return { reader: "python", of: each, told, expected: each.expected["hasUnknown"] ? counted : each.expected };
  });
}

function fileOf({ folder, bytes }: Case, beginning: Buffer = bytes): string {
  fs.rmSync(path.join(folder, ".session-journal"), { recursive: true, force: true });
  const file = path.join(folder, "session.jsonl");
  fs.rmSync(file, { force: true });
  fs.writeFileSync(file, beginning);
  return file;
}

/** Behind the header, which must be whole; in order. */
function cutsIn(bytes: Buffer, random: Random, count: number): number[] {
  const header = objectEnd(bytes);
  if (header === bytes.length) return [];
  const cuts = Array.from({ length: count }, () => header + random.below(bytes.length - header));
  return cuts.sort((a, b) => a - b);
}

function objectEnd(bytes: Buffer): number {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(10, start);
    if (end === -1) return bytes.length;
    if (objectIn(bytes.subarray(start, end)) !== undefined) return end + 1;
    start = end + 1;
  }
  return bytes.length;
}

/** Undefined: no id under which a store could keep it. */
function sessionIn({ bytes }: Prepared): string | undefined {
  const end = objectEnd(bytes);
  const line = bytes.subarray(0, end).toString("latin1").trimEnd().split("\n").at(-1) ?? "";
  const id = objectIn(Buffer.from(line, "latin1"))?.["id"];
  return typeof id === "string" && id !== "" ? id : undefined;
}

function shown({ version, head, turn, state }: Journal): Shown {
  return plain({ version, head: head.hash, turn, state });
}

function shownOf(reading: Reading | undefined): Shown {
  return reading === undefined ? noSession : plain(reading);
}

function plain(value: object): Shown {
  return JSON.parse(JSON.stringify(value)) as Shown;
}

function nameOf(error: unknown): string {
  return isJournalError(error) && error.code === "not_a_session" ? error.code : String((error as Error).stack ?? error);
}

function isTold(told: Told | Shown): told is Told {
  return "reader" in told;
}
