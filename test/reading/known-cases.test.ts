/** Lines that readers once read each in its own way. What all of them must say stands here, case by case. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diagnosisOf, Symptoms } from "../../src/audit/doctor.ts";
import { openJournal } from "../../src/index.ts";
import { genesisHash, sealCommit } from "../../src/line/chain.ts";
import { linkCommit } from "../../src/line/encode.ts";
import { lineNames } from "../../src/line/format.ts";
import { isFull } from "../reliability/results.ts";
import { linesIn } from "../store/session-file/verify-file.ts";
import { type Case, caseOf, disagrees, readers, readInPython, readWith, type Told } from "./readers.ts";

const root = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-cases-"));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const session = "6f1d2c3b-0000-4000-8000-0000000000cc";
const at = "2026-11-21T20:00:00.000Z";
const header = JSON.stringify({ type: "session", version: 3, id: session, timestamp: at, cwd: "/" });
const names = lineNames();
const place = `"id":"0000000a","parentId":null,"timestamp":"${at}"`;
const key = "a key";

type Fields = Readonly<Record<string, unknown>>;

function commitOf(
  more: Fields = {},
  event: Fields = {},
  head = { version: 0, hash: genesisHash(session) },
  seal?: string,
) {
  const events = [{ type: "notes.set", text: "mine", actor: "agent", ...event }];
  return linkCommit({ v: 1, id: `c-${head.version}`, at, events, ...more } as never, head, "file", seal);
}

function lineOf(data: unknown, customType = names.events, more: Fields = {}): string {
  return JSON.stringify({ type: "custom", customType, data, ...more, id: "0000000b", parentId: null, timestamp: at });
}

/** As it stands in a copy without its text. */
function redacted(commit: typeof first, seal?: string, before: unknown = { hash: commit.hash }) {
  const { hash: _, ...data } = commit;
  const events = [{ ...data.events[0], type: "notes.set", text: "[redacted 4 characters]" }];
  return sealCommit({ ...data, events, redacted: before as { hash: string } }, seal).data;
}

const first = commitOf();
const sealedFirst = commitOf({}, {}, { version: 0, hash: genesisHash(session, key) }, key);
const user = (content: string, role = '"user"'): string =>
  `{"type":"message",${place},"message":{"role":${role},"content":${content}}}`;
const long = JSON.stringify("x".repeat(1 << 20));

interface Known {
  readonly version?: number;
  readonly turn?: number;
  readonly notes?: string;
  readonly refs?: readonly string[];
  /** What verification finds, notes of the host's own lines apart. */
  readonly findings?: readonly string[];
}

/** Every reader takes long over each. */
const longTurns: readonly (readonly [string, string, number])[] = [
  ["more than 1 MiB before the role", `{"message":{"content":${long},"role":"user"},"type":"message",${place}}`, 1],
  ["more than 1 MiB in it, and a NUL", user(long.replace("xx", "x\0")), 0],
  ["more than 1 MiB in it, and junk behind it", `${user(long)}x`, 0],
  ["more than 1 MiB in it, and another role", user(`${long},"role":"assistant"`), 0],
];
const turns: readonly (readonly [string, string, number])[] = [
  ["white space behind the type", '{"type":"message" ,"message":{"role":"user"}}', 1],
  ["a tab behind the type", '{"type":"message"\t,"message":{"role":"user"}}', 1],
  ["a carriage return behind the type", '{"type":"message"\r,"message":{"role":"user"}}', 1],
  ["the type twice, the last a message", '{"type":"label","type":"message","message":{"role":"user"}}', 1],
  ["the type twice, the last none", '{"type":"message","message":{"role":"user"},"type":"label"}', 0],
  ["the role twice, the last the user's", '{"type":"message","message":{"role":"assistant","role":"user"}}', 1],
  ["the role twice, the last another's", '{"type":"message","message":{"role":"user","role":"assistant"}}', 0],
  ["the message twice", '{"type":"message","message":{"role":"user"},"message":{"role":"assistant"}}', 0],
  ["a message without a role behind one with", '{"type":"message","message":{"role":"user"},"message":{}}', 0],
  ["a role written with an escape", user('"x"', '"\\u0075ser"'), 1],
  ["a type written with an escape", user('"x"').replace("message", "messag\\u0065"), 1],
  ["a NUL in it", user('"a\u0000b"'), 0],
  ["a form feed behind it", `${user('"x"')}\f`, 0],
  ["NULs behind it", `${user('"x"')}\0\0`, 1],
  ["junk behind it", `${user('"x"')}}`, 0],
  ["another object behind it", `${user('"x"')}{"a":"b"}`, 0],
  ["no message of that name", user('"x"').replace('"message":{', '"messige":{'), 0],
  ["more than 1 MiB in it", user(long), 1],
  ["more than 1 MiB in it, and an escaped role", user(long, '"\\u0075ser"'), 1],
  ["more than 1 MiB of invalid UTF-8", user(long.replace("xx", "x\u00ff")), 0],
  ...(isFull ? longTurns : []),
];

const escaped = lineOf(first).replace("scratchpad:events", "scratchpa\\u0064:events");
const cases: readonly (readonly [string, readonly string[], Known])[] = [
  ["a name of ours written with an escape", [escaped], { findings: ["damage corrupt"] }],
  [
    "a value whose name is written with an escape",
    [lineOf("theirs", names.notes).replace(":notes", "\\u003anotes")],
    { findings: ["damage corrupt"] },
  ],
  ["a commit without an id of its own", [lineOf(commitOf({ id: "" }))], { findings: ["damage corrupt"] }],
  ["a command that is empty", [lineOf(commitOf({}, { command: "" }))], { findings: ["damage corrupt"] }],
  ["a time that is none", [lineOf(commitOf({ at: "soon" }))], { version: 1, notes: "mine" }],
  ["an actor that is true", [lineOf(commitOf({}, { actor: true }))], { version: 1, notes: "mine" }],
  ["an actor that is a number", [lineOf(commitOf({}, { actor: 5 }))], { version: 1, notes: "mine" }],
  ["an actor that is a map", [lineOf(commitOf({}, { actor: {} }))], { version: 1, notes: "mine" }],
  [
    "data that stands twice, the hash of the first",
    [lineOf(first).replace('"data":{', `"data":${JSON.stringify(first)},"data":{"x":1,`)],
    { findings: ["damage hash"] },
  ],
  [
    "a field that stands twice in the data",
    [lineOf(first).replace('"v":1', '"v":1,"v":1')],
    { version: 1, notes: "mine" },
  ],
  [
    "a commit of more than 1 MiB",
    [lineOf(commitOf({}, { text: "x".repeat(1 << 20) }))],
    { findings: ["damage corrupt"] },
  ],
  [
    "a value of more than 1 MiB",
    [lineOf("y".repeat(1 << 20), names.notes)],
    { version: 1, notes: "y".repeat(1 << 20) },
  ],
  ...[66, 3000].flatMap((depth): [string, string[], Known][] => {
    const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const refs = (data: string): string => lineOf("DATA", names.refs).replace('"DATA"', () => data);
    return [
      [`refs of which one is ${depth} levels deep`, [refs(`["a",${deep}]`)], { version: 1, refs: ["a"] }],
      [
        `the same, ${depth} levels, in more than 1 MiB: data of the wrong type`,
        [refs(`["a",${deep},${long}]`)],
        { version: 1 },
      ],
      [
        `the same, ${depth} levels, without its last bracket, which is no JSON`,
        [refs(`["a",${deep.slice(1)}]`)],
        { findings: ["damage corrupt"] },
      ],
      [
        `the same, ${depth} levels, with two numbers at its bottom, which is no JSON`,
        [refs(deep.replace("[]", "[1 2]"))],
        { findings: ["damage corrupt"] },
      ],
    ];
  }),
  [
    "an unsealed commit behind a sealed one",
    [lineOf(sealedFirst), lineOf(commitOf({}, { text: "forged" }, sealedFirst))],
    { version: 1, notes: "mine", findings: ["note sealed", "damage hash"] },
  ],
  [
    "a sealed commit behind an unsealed one",
    [lineOf(first), lineOf(commitOf({}, { text: "forged" }, first, "another key"))],
    { version: 1, notes: "mine", findings: ["damage hash"] },
  ],
  [
    "a redacted commit, and one that names what its hash was",
    [lineOf(redacted(first)), lineOf(commitOf({}, { text: "next" }, first))],
    { version: 2, notes: "next", findings: ["note redacted"] },
  ],
  [
    "a redacted commit, and one that names what its hash is",
    [lineOf(redacted(first)), lineOf(commitOf({}, { text: "next" }, redacted(first)))],
    { version: 2, notes: "next", findings: ["note redacted"] },
  ],
  [
    "a redacted commit, and one that names another hash",
    [lineOf(redacted(first)), lineOf(commitOf({}, { text: "next" }, { version: 1, hash: "0".repeat(32) }))],
    { version: 2, notes: "next", findings: ["note redacted", "damage gap"] },
  ],
  [
    "a redacted commit of a sealed journal, read without the key",
    [lineOf(redacted(sealedFirst, key)), lineOf(commitOf({}, { text: "next" }, sealedFirst, key))],
    { version: 2, notes: "next", findings: ["note sealed", "note redacted"] },
  ],
  [
    "a redacted commit whose text was changed",
    [lineOf(redacted(first)).replace("redacted 4", "redacted 5")],
    { findings: ["damage hash"] },
  ],
  [
    "a commit that says of its redaction what nobody understands",
    [lineOf(redacted(first, undefined, "0".repeat(32)))],
    { version: 1, notes: "[redacted 4 characters]" },
  ],
  ["blank lines before the header", [lineOf(first)], { version: 1, notes: "mine" }],
  [
    "a mirror whose field has another name",
    [lineOf(first), lineOf("mine", names.notes, { mirr0r: "c-0" })],
    { version: 2, notes: "mine", findings: ["damage mirror"] },
  ],
  [
    "a mirror that further on becomes a message of the user's",
    [
      lineOf("a", names.notes, { mirror: "c-0" }).replace(
        '"data":"a"',
        '"data":"a","type":"message","message":{"role":"user"},"data":"b"',
      ),
    ],
    { turn: 1 },
  ],
  [
    "lines that a host wrote again, and a commit that had lost a race before",
    [lineOf(first), lineOf("mine", names.notes, { mirror: "c-0" })].flatMap((line, _, all) => [line, ...all]),
    { version: 1, notes: "mine", findings: ["note duplicate"] },
  ],
];

async function findingsIn(file: string): Promise<string[]> {
  const journal = await openJournal(file, { readonly: true });
  const { findings, head } = await journal.verify();
  expect(head).toEqual(journal.head);
  const symptoms = new Symptoms(names.namespace);
  await symptoms.readLines(linesIn(file));
  const { lines = [] } = diagnosisOf(symptoms, { ok: true, findings, head });
  expect(lines.reduce((sum, { kinds }) => sum + (kinds["message (user)"] ?? 0), 0)).toBe(journal.turn);
  await journal.close();
  const ofJournal = findings.filter(({ kind }) => kind !== "foreign" && kind !== "tree" && kind !== "torn");
  return [...new Set(ofJournal.map(({ kind, severity }) => `${severity} ${kind}`))];
}

const prepared = new Map<string, Case>();
/** Starting Python takes longer than reading all of them. */
let inPython: readonly Told[] = [];
beforeAll(() => {
  const bytes = [
    ...turns.map(([name, line]) => [`turn: ${name}`, bytesOfTurn(name, line)] as const),
    ...cases.map(([name, lines]) => [name, bytesOfCase(name, lines)] as const),
  ];
  for (const [name, each] of bytes) {
    const folder = path.join(root, `${prepared.size}`);
    fs.mkdirSync(folder);
    prepared.set(name, caseOf(prepared.size, folder, { bytes: each, key: undefined, isLinear: false }));
  }
  inPython = readInPython([...prepared.values()]);
  expect(new Set(inPython.map(({ of }) => of)).size).toBe(turns.length + cases.length);
});

function bytesOfTurn(name: string, line: string): Buffer {
  const isLatin1 = name.includes("invalid UTF-8");
  const lines = [header, user('"before"').replace("0000000a", "00000009"), ""].join("\n");
  return Buffer.concat([Buffer.from(lines), Buffer.from(line, isLatin1 ? "latin1" : "utf8"), Buffer.from("\n")]);
}

function bytesOfCase(name: string, lines: readonly string[]): Buffer {
  const before = name.startsWith("blank") ? "\n \t\r\n\0\0\n" : "";
  return Buffer.from(`${before}${[header, ...lines].join("\n")}\n`);
}

async function everyReaderSays(
  name: string,
  { version = 0, turn = 0, notes = "", refs = [], findings = [] }: Known,
): Promise<void> {
  const tried = prepared.get(name) as Case;
  expect(tried.expected).toMatchObject({ version, turn, state: { notes, refs } });
  const told = inPython.filter(({ of }) => of === tried);
  for (const reader of Object.keys(readers)) told.push(await readWith(reader, tried));
  expect(told.filter(disagrees).map((each) => [each.reader, each.told, each.expected])).toEqual([]);
  const file = path.join(tried.folder, "session.jsonl");
  fs.writeFileSync(file, tried.bytes);
  expect(await findingsIn(file)).toEqual(findings);
}

describe("a line that begins a turn for every reader or for none:", () => {
  test.each(turns)("%s", (name, _, turn) => everyReaderSays(`turn: ${name}`, { turn: turn + 1 }));
});

describe("a line that counts for every reader or for none:", () => {
  test.each(cases)("%s", (name, _, known) => everyReaderSays(name, known));
});

test("a host that writes all it has loaded once more does no damage, and a race that is lost later neither", async () => {
  const second = commitOf({}, { text: "second" }, { version: 1, hash: first.hash });
  const slow = commitOf({ id: "slow" }, { text: "slow" }, { version: 1, hash: first.hash });
  const loaded = [lineOf(first), lineOf("mine", names.notes, { mirror: "c-0" }), user('"hello"'), lineOf(second)];
  const own = loaded.map((line, index) => line.replace(/0000000[ab]/, `0000001${index}`));
  const lines = [header, ...own, header, ...own, lineOf(slow)];
  const file = path.join(root, "again.jsonl");
  fs.writeFileSync(file, `${lines.join("\n")}\n`);
  const journal = await openJournal(file, { readonly: true });
  const { ok, findings } = await journal.verify();
  expect(findings.filter(({ severity }) => severity === "damage")).toEqual([]);
  expect([ok, journal.version, journal.state.notes]).toEqual([true, 2, "second"]);
  expect(
    findings.filter(({ kind }) => kind !== "foreign" && kind !== "torn").map(({ kind, line }) => `${kind} ${line}`),
  ).toEqual([...["duplicate 7", "duplicate 8", "duplicate 10"], "fork 11"]);
  await journal.close();
});
