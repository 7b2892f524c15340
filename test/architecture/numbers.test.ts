/** The numbers of the architecture, counted where they arise: each row is one of them, what it is, and what it may be. */
import fs from "node:fs";
import inspector from "node:inspector/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { SqliteBackend } from "../../src/store/sqlite/sqlite-backend.ts";
import { StreamStore } from "../../src/stream/stream-store.ts";
import { StreamWriter } from "../../src/stream/stream-writer.ts";
import { cli } from "../cli/cli.ts";

const src = path.resolve(import.meta.dirname, "../../src");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-numbers-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, "session.jsonl");

/** Of a session: a look at its beginning tells whose it is, and one at its end where to go on. */
const beginBytes = 32 * 1024;
const endBytes = 2 * 1024;

/** A script makes it. */
const made = "audit/report/asset.ts";

const port = sourceOf("stream/log.ts");
const members = /export interface Log \{\n([\s\S]*?)\n\}/.exec(port)?.[1] ?? "";
const sources = sourcesIn("").map((name) => ({ name, text: sourceOf(name) }));
const { classes, functions, parsed } = await applyOnce();
const texts = await checkpointTexts();

/** `given` of options.ts leaves out what is undefined. For every line or event that would be too slow, so some remain. */
const spread = /\.\.\.\([^\n]*\? \{\} : \{/g;

interface Row {
  readonly what: string;
  readonly is: number;
  readonly most: number;
  readonly found?: unknown;
}

const rows: readonly Row[] = [
  { what: "classes from apply to the bytes", is: classes.size, most: 9, found: [...classes] },
  { what: "folds of an event that was applied", is: calls("state/evolve.ts", "evolve"), most: 1 },
  { what: "parses of it", is: calls("event/parse.ts", "parseEvent"), most: 1 },
  { what: "prints of it", is: calls("event/parse.ts", "encodeEvent"), most: 1 },
  { what: "prints of its line", is: calls("line/encode.ts", "commitLine"), most: 1 },
  { what: "parses of that line", is: parsed, most: 0 },
  { what: "members of the port", is: members.match(/^ {2}(readonly )?\w+\??[:(]/gm)?.length ?? 0, most: 8 },
  { what: "names of adapters in the port", is: words(port, /sqlite|nats|jetstream|postgres|lens/gi), most: 0 },
  { what: "imports of the port from a store", is: words(port, /from "\.\.\/(store|open|journal)/g), most: 0 },
  ...filesWith("ways to read a session file", 1, /fs\.readSync\(|createReadStream/, [
    // Looks at its first bytes, to tell whose it is.
    "store/lens/may-be-foreign.ts",
    // Takes all of its bytes as they are.
    "store/archive/archive-file.ts",
  ]),
  ...filesWith("classes that let one call in at a time", 1, /this\.#\w+ = \w+\.(then|catch)\(/, []),
  { what: "formats of checkpoints", is: new Set(texts.map(shapeOf)).size, most: 1, found: texts.map(shapeOf) },
  { what: "files of the session file's log", is: sourcesIn("store/session-file").length, most: 16 },
  {
    what: "conditional spreads in the sources",
    is: sources.reduce((sum, { text }) => sum + words(text, spread), 0),
    most: 44,
  },
  // Blank lines and comments count, too. Logs that came later do not; the aim for the others is 5,200.
  {
    what: "lines of the stream, of the session file and its hosts, and of the first three backends",
    is: linesIn("stream") + linesIn("store", "store/lens", "store/postgres", "store/archive", "store/writers"),
    most: 8488,
  },
  {
    what: "lines of the longest file",
    is: sources.reduce((most, { name, text }) => (name === made ? most : Math.max(most, words(text, /\n/g))), 0),
    most: 300,
  },
  {
    what: "folders of tests that mirror none of the sources",
    is: strayFolders().length,
    most: 0,
    found: strayFolders(),
  },
  ...(await readingsOfFunctions()),
  ...(await readingsOfVerbs()),
];

test.each(rows)("$what: $is, at most $most", ({ is, most, found }) => {
  expect(is, JSON.stringify(found)).toBeLessThanOrEqual(most);
});

test("what is counted is there", () => {
  expect([...classes]).toEqual(expect.arrayContaining(["Writer", "StreamStore", "StreamWriter", "Appender"]));
  expect(calls("state/evolve.ts", "evolve")).toBe(1);
  expect(calls("line/encode.ts", "commitLine")).toBe(1);
  expect(texts).toHaveLength(2);
  expect(
    rows.filter(({ what }) => /^readings .* (blame|lost|replay|verify)/.test(what)).every(({ is }) => is === 1),
  ).toBe(true);
});

function sourceOf(name: string): string {
  return fs.readFileSync(path.join(src, name), "utf8");
}

function sourcesIn(name: string): string[] {
  const found = fs.readdirSync(path.join(src, name), { recursive: true, encoding: "utf8" });
  return found.filter((each) => each.endsWith(".ts")).map((each) => path.posix.join(name, each));
}

/** Tests that are of no one part have folders of their own: of the package, its documents, its files, its promises. */
function strayFolders(): string[] {
  const ofNoPart = ["architecture", "bench", "docs", "fixtures", "hosts", "package", "reading", "reliability"];
  const found = fs.readdirSync(path.resolve(src, "../test"), { withFileTypes: true });
  const folders = found.flatMap((entry) => (entry.isDirectory() ? entry.name : []));
  return folders.filter((name) => !ofNoPart.includes(name) && !fs.existsSync(path.join(src, name)));
}

function linesIn(name: string, ...without: readonly string[]): number {
  const counted = sourcesIn(name).filter((each) => !without.some((folder) => each.startsWith(`${folder}/`)));
  return counted.reduce((sum, each) => sum + words(sourceOf(each), /\n/g), 0);
}

function words(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function filesWith(what: string, most: number, pattern: RegExp, without: readonly string[]) {
  const found = sources.filter(({ name, text }) => pattern.test(text) && !without.includes(name));
  return [{ what, is: found.length, most, found: found.map(({ name }) => name) }];
}

/** How often a function ran in one apply. */
function calls(name: string, called: string): number {
  return functions.get(`${name} ${called}`) ?? 0;
}

/** Which classes stand on the stack between an action and the write, and what runs for it. */
async function applyOnce() {
  const journal = await openJournal(file, { durability: "os" });
  await journal.notes.set("a");
  const { writeSync } = fs;
  const { commit } = StreamStore.prototype;
  const { commit: write } = StreamWriter.prototype;
  const { parse } = JSON;
  const { stackTraceLimit } = Error;
  const stacks: string[] = [];
  let parsed = 0;
  Error.stackTraceLimit = 100;
  const noted = <Arguments extends unknown[], Result>(call: (...given: Arguments) => Result) =>
    function (this: unknown, ...given: Arguments): Result {
      stacks.push(new Error("here").stack ?? "");
      return call.apply(this, given);
    };
  fs.writeSync = noted(writeSync) as typeof writeSync;
  StreamStore.prototype.commit = noted(commit);
  StreamWriter.prototype.commit = noted(write);
  try {
    await journal.notes.set("b");
  } finally {
    fs.writeSync = writeSync;
    StreamStore.prototype.commit = commit;
    StreamWriter.prototype.commit = write;
    Error.stackTraceLimit = stackTraceLimit;
  }
  JSON.parse = (...given: Parameters<typeof parse>): unknown => {
    if (/customType|"events"/.test(given[0])) parsed += 1;
    return parse(...given);
  };
  const functions = await ranDuring(() => journal.notes.set("c")).finally(() => {
    JSON.parse = parse;
  });
  await journal.close();
  const named = stacks.join("\n").matchAll(/at (?:async )?(?!Object)([A-Z]\w+)\.[#\w<>]+ /g);
  // A stack begins where the queue runs what was asked of the journal.
  return { classes: new Set(["Journal", "Queue", ...[...named].map(([, name]) => name)]), functions, parsed };
}

async function ranDuring(task: () => Promise<unknown>): Promise<Map<string, number>> {
  const session = new inspector.Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  await task();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  session.disconnect();
  const counts = new Map<string, number>();
  for (const { url, functions } of result) {
    const [, name] = url.split("/src/");
    for (const { functionName, ranges } of name === undefined ? [] : functions)
      counts.set(`${name} ${functionName}`, ranges[0]?.count ?? 0);
  }
  return counts;
}

/** Of two backends. */
async function checkpointTexts(): Promise<string[]> {
  const database = path.join(folder, "journals.db");
  for (const where of [file, `sqlite:${database}#s`]) {
    const journal = await openJournal(where);
    await journal.notes.set("d");
    await journal.snapshot();
    await journal.close();
  }
  const opened = await openDatabase({ database });
  const kept = String(await new SqliteBackend(opened).loadCheckpoint("s", Number.MAX_SAFE_INTEGER));
  opened.close();
  return [fs.readFileSync(path.join(folder, ".session-journal", "session.jsonl.snapshot.json"), "utf8"), kept];
}

function shapeOf(text: string): string {
  return Object.keys(JSON.parse(text.split("\n")[0] ?? "")).join();
}

/** How often `task` reads the byte of a session file that it reads most. */
async function readingsIn(where: string, task: () => Promise<unknown>): Promise<number> {
  const { ino, size } = fs.statSync(where);
  const readings = new Uint8Array(size);
  const { readSync } = fs;
  fs.readSync = ((descriptor: number, into: Buffer, offset: number, length: number, position: number) => {
    const count = readSync(descriptor, into, offset, length, position);
    if (fs.fstatSync(descriptor).ino === ino)
      for (let at = position; at < position + count; at++) readings[at] = (readings[at] ?? 0) + 1;
    return count;
  }) as typeof readSync;
  try {
    await task();
  } finally {
    fs.readSync = readSync;
  }
  return readings.subarray(beginBytes, size - endBytes).reduce((most, count) => Math.max(most, count), 0);
}

/** Long enough for what is looked at alone to be a part of it; it goes back to earlier versions twice. */
async function longSession(name: string, { isSaved }: { readonly isSaved: boolean }): Promise<string> {
  const where = path.join(folder, name);
  const journal = await openJournal(where, { durability: "os" });
  const write = async (): Promise<void> => {
    for (let index = 0; index < 12; index++) await journal.notes.set(`${index} `.repeat(2500));
  };
  await write();
  await journal.restore(3);
  await write();
  await journal.restore(20);
  await journal.plan.set("- [ ] a step");
  if (isSaved) await journal.snapshot();
  await journal.close();
  return where;
}

async function readingsOfFunctions() {
  const where = await longSession("functions.jsonl", { isSaved: false });
  const journal = await openJournal(where, { readonly: true });
  const child = await journal.fork(path.join(folder, "child.jsonl"));
  const exhausted = async (items: AsyncIterable<unknown>): Promise<void> => {
    for await (const _ of items);
  };
  const asked: Readonly<Record<string, () => Promise<unknown>>> = {
    at: () => journal.at(1),
    diff: () => journal.diff(1, 2),
    "diff of a turn": () => journal.diff(undefined, 2),
    blame: () => journal.blame(),
    lost: () => journal.lost(),
    prompts: () => journal.prompts(),
    verify: () => journal.verify(),
    "verify with events and prompts": () => journal.verify({ history: exhausted, prompts: exhausted }),
    diagnose: () => journal.diagnose(),
    merge: () => journal.merge(child, { dryRun: true }),
    "merge into another": () => child.merge(journal, { dryRun: true }),
  };
  const rows: Row[] = [];
  for (const [name, ask] of Object.entries(asked))
    rows.push({
      what: `readings of the history by journal.${name}`,
      is: await readingsIn(where, ask),
      most: 1,
    });
  await child.close();
  await journal.close();
  return rows;
}

/** Opening included. Those that show the host's lines, too, go on from a checkpoint there: the others fold what they read. */
async function readingsOfVerbs() {
  const page = path.join(folder, "report.html");
  const ofEvents = [
    ...["show", "log --source model", "blame", "lost", "diff v1 v20", "diff v1 v20 --json", "replay --skip v2"],
    ...["diff v1 v20 --source model", "show --at v2", "export --format cloudevents", "health", "render --face handoff"],
  ];
  const ofLines = ["log", "log --markers --json", "verify", "doctor", `report -o ${page}`, "export --format atif"];
  const saved = await longSession("saved.jsonl", { isSaved: true });
  const plain = await longSession("plain.jsonl", { isSaved: false });
  const runs = [
    ...[...ofEvents, ...ofLines].map((verb) => [verb, saved, "from a checkpoint"] as const),
    ...[...ofEvents, "verify", `report -o ${page}`].map((verb) => [verb, plain, "without a checkpoint"] as const),
  ];
  const rows: Row[] = [];
  for (const [verb, where, how] of runs) {
    const [name = "", ...rest] = verb.split(" ");
    const run = async () => {
      const { code, stderr } = await cli([name, where, ...rest]);
      if (code !== 0 || !/^(session-journal: .* passes the filters.*\n)?$/.test(stderr))
        throw new Error(`${verb}: ${code} ${stderr}`);
    };
    rows.push({
      what: `readings of the history by ${verb}, ${how}`,
      is: await readingsIn(where, run),
      most: 1,
    });
  }
  return rows;
}
