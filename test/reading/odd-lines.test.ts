/** Lines that somebody prepared, each odd in its own way: every reader says what the oracle says. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { genesisHash, hashText } from "../../src/line/chain.ts";
import { linkCommit } from "../../src/line/encode.ts";
import { lineNames } from "../../src/line/format.ts";
import { canonicalJson } from "../../src/line/json.ts";
import { caseOf, disagrees, readers, readInPython, readWith } from "./readers.ts";

/** What is synced there costs nothing. */
const memory = "/dev/shm";
const root = fs.mkdtempSync(path.join(fs.existsSync(memory) ? memory : os.tmpdir(), "session-journal-odd-"));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const session = "6f1d2c3b-0000-4000-8000-0000000000dd";
const at = "2026-11-21T20:00:00.000Z";
const header = JSON.stringify({ type: "session", version: 3, id: session, timestamp: at, cwd: "/" });
const names = lineNames();

type Fields = Readonly<Record<string, unknown>>;

/** A chain of commits, each of which says what its fields say. */
function chain(...commits: readonly Fields[]): string[] {
  let head = { version: 0, hash: genesisHash(session) };
  return commits.map((fields, index) => {
    const commit = { v: 1, id: `c-${index}`, at, events: [notes(`text ${index}`)], ...fields };
    const data = linkCommit(commit as never, head, "file");
    head = data;
    return line(data, names.events, `000000${index.toString(16).padStart(2, "0")}`);
  });
}

function line(data: unknown, customType: string, id: string, more: Fields = {}): string {
  return JSON.stringify({ type: "custom", customType, data, ...more, id, parentId: null, timestamp: at });
}

const notes = (text: string, more: Fields = {}): Fields => ({ type: "notes.set", text, actor: "agent", ...more });
const one = (event: Fields): string[] => chain({ events: [{ actor: "agent", ...event }] }, {});
const value = (more: Fields = {}): string => line("theirs", names.notes, "0000aaaa", more);
/** JSON.stringify gives a key of that name only where it is an own one. */
const proto = JSON.parse('{"__proto__":"x","constructor":"y","toString":"z"}') as Fields;
const user = '{"type":"message","id":"u","parentId":null,"message":{"role":"user","content":"hello"}}';
const [first = "", second = ""] = chain({}, {});
const text = (from: string, to: string): string[] => [first.replace(from, () => to), second];

/** A commit that has the number that `n` prints as, and a hash over what its hash is made of with `n` in its place. */
function beyond(printed: string, hashOf?: (data: Fields) => string, n: number | null = null): string[] {
  return one({ type: "plan.set", text: "a", n }).map((each) => {
    const { data } = JSON.parse(each) as { readonly data: Fields };
    const { hash, ...hashed } = data;
    const line = each.replace(`"n":${n}`, `"n":${printed}`);
    return hashOf === undefined ? line : line.replace(String(hash), hashOf(hashed));
  });
}

const odd: Readonly<Record<string, readonly string[]>> = {
  "a customType twice, ours the last": text('"customType":', '"customType":"x","customType":'),
  "a customType twice, ours the first": text('"data":', '"customType":"x","data":'),
  "a customType twice, ours both, once escaped": text(
    '"data":',
    String.raw`"customType":"openclaw:scratchpad\u003aevents","data":`,
  ),
  "a type twice, a message the last": text('"data":', '"type":"message","message":{"role":"user"},"data":'),
  "a type twice, a session the last": text('"data":', '"type":"session","data":'),
  "a key written with an escape": text('"customType"', String.raw`"custom\u0054ype"`),
  "data written with an escape": text('"data"', String.raw`"dat\u0061"`),
  "white space everywhere": text('{"type":"custom","customType":', ' { "type" : "custom" ,\t"customType"\r: '),
  "a NUL behind the line": [`${first}\0\0`, second],
  "a BOM before the line": [`\ufeff${first}`, second],
  "two BOMs before the line": [`\ufeff\ufeff${first}`, second],
  "a space that is none of JSON's before the line": [`\u00a0${first}`, second],
  "a vertical tab behind the line": [`${first}\v`, second],
  "CR LF at the end": [`${first}\r`, `${second}\r`],
  "two objects on a line": [first + second],
  "an object and a comma": [`${first},`, second],
  "a comment behind it": [`${first}// no`, second],
  "an array around it": [`[${first}]`, second],
  "a number as JSON writes none": text('"version":1', '"version":01'),
  "a version with a fraction of nothing": text('"version":1', '"version":1.0'),
  "a version with an exponent": text('"version":1', '"version":1e0'),
  "a version that is minus nothing": text('"version":1', '"version":-0'),
  "a number in an event that is minus nothing": one({ type: "notes.set", text: "a", n: 0 }).map((each) =>
    each.replace('"n":0', '"n":-0'),
  ),
  "a number in an event beyond all numbers, hashed as null": beyond("1e400"),
  "a number in an event below all numbers, hashed as null": beyond("-1e400"),
  "a number of very many digits in an event, hashed as null": beyond("9".repeat(400)),
  "a number beyond all numbers deep in a field that nobody knows": beyond('[{"m":[1e999]}]'),
  "a number beyond all numbers, hashed as it stands": beyond("1e400", (data) =>
    hashText(canonicalJson(data).replace('"n":null', '"n":1e400')),
  ),
  "the largest number": beyond("1.7976931348623157e+308", undefined, 1.7976931348623157e308),
  "a schema beyond all numbers": text('"v":1', '"v":1e400'),
  "refs beyond all numbers": [line([0, "b"], names.refs, "0000eeee").replace("[0", "[1e400"), first],
  "notes beyond all numbers": [line(0, names.notes, "0000eeee").replace('"data":0', '"data":1e400'), first],
  "a host's line with a number beyond all numbers": [user.replace('"hello"', "1e400"), first],
  "a version of text": text('"version":1', '"version":"1"'),
  "a version beyond all numbers": text('"version":1', '"version":1e400'),
  "a version that is just no safe number": text('"version":1', '"version":9007199254740992'),
  "a hash in capitals": [
    first.replace(/"hash":"(\w+)"/, (_, hash: string) => `"hash":"${hash.toUpperCase()}"`),
    second,
  ],
  "a hash that is too long by nothing": text('"hash":"', '"hash":"0'),
  "a field more in the data": text('"v":1', '"v":1,"w":1'),
  "a field of the data that is no name": text('"v":1', '"v":1,"__proto__":{"version":7}'),
  "text that is half a character": one({ type: "notes.set", text: "\ud83d" }),
  "half a character in an id": chain({ id: "c\udc00" }, {}),
  "U+2028 as it is": one({ type: "notes.set", text: "a\u2028b\u2029c\u0085" }),
  "a key of an entry that every object has": one({ type: "entry.written", key: "__proto__", text: "x" }),
  "keys of entries that objects inherit": chain(
    { events: [{ type: "entry.written", key: "constructor", text: "x", actor: "a" }] },
    { events: [{ type: "entry.deleted", key: "toString", actor: "a" }] },
  ),
  "a section that every object has": one({ type: "section.written", name: "__proto__", text: "x", at }),
  "a lease that every object has": one({ type: "lease.claimed", key: "__proto__", holder: "x", until: at }),
  "a restored state with such keys": one({
    type: "state.restored",
    to: 0,
    state: { notes: "", plan: "", refs: [], entries: proto, leases: {}, sections: {} },
  }),
  "an event that every object has": one({ type: "__proto__" }),
  "an event that objects inherit": one({ type: "constructor" }),
  "an event of text that is none": one({ type: "notes.set", text: 7 }),
  "an event type with an escape": text('"notes.set"', String.raw`"notes\u002eset"`),
  "one command twice in a commit": chain({ events: [notes("a", { command: "k" }), notes("b", { command: "k" })] }, {}),
  "a command of the commit before": chain(
    { events: [notes("a", { command: "k" })] },
    { events: [notes("b"), notes("c", { command: "k" })] },
    {},
  ),
  "a command that is null": chain({ events: [notes("a", { command: null })] }, {}),
  "a command of a NUL": chain({ events: [notes("a", { command: "\0" })] }, { events: [notes("b", { command: "\0" })] }),
  "an id that is a command": chain({ id: "k", events: [notes("a", { command: "k" })] }, {}),
  "the id of a value that is that of a commit": [value({ id: "c-0" }), first, second],
  "one commit id twice": chain({ id: "same" }, { id: "same" }, {}),
  "a value twice": [value(), value(), first],
  "a value without an id, twice": [1, 2].map(() => value({ id: undefined })),
  "a value whose id is a number, twice": [1, 2].map(() => value({ id: 7 })),
  "a value whose id is empty, twice": [1, 2].map(() => value({ id: "" })),
  "a mirror of null": [first, value({ mirror: null })],
  "a mirror of nothing": [first, value({ mirror: "" })],
  "a mirror written with an escape": [first, value({ mirror: "c-0" }).replace("mirror", String.raw`m\u0069rror`)],
  "a mirror that is data of its own": [first, line({ mirror: "c-0" }, names.notes, "0000bbbb")],
  "a mirror twice": [first, value({ mirror: "c-0" }).replace('"mirror":', '"mirror":1,"mirror":')],
  "a value of the name with another case": [value().replace("notes", "Notes"), first],
  "a name with a space behind it": [value().replace(':notes"', ':notes "'), first],
  "a value of a name that objects inherit": [value().replace("openclaw:scratchpad:notes", "constructor"), first],
  "the single key, before and behind the newer one": [
    line("old", names.legacy, "0000cccc"),
    first,
    line("later", names.legacy, "0000dddd"),
  ],
  "the single key behind a refused commit": chain({}, { version: 1 }).concat(line("later", names.legacy, "0000dddd")),
  "refs that are objects": [line([{ a: 1 }, "b", null, "b"], names.refs, "0000eeee"), first],
  "refs that are text": [line("b", names.refs, "0000eeee"), first],
  "no data": [line(undefined, names.plan, "0000eeee"), first],
  "a second header": [first, header, user, second],
  "a second header of another session": [first, header.replace("dd", "ee"), user, second],
  "a message of text": ['{"type":"message","message":"user"}', first],
  "a message that is an array with a role": ['{"type":"message","message":["role","user"]}', first],
  "a role in a key of its own": ['{"type":"message","role":"user","message":{}}', first],
  "a role further down": ['{"type":"message","message":{"content":{"role":"user"}}}', first],
  "a role with a space": ['{"type":"message","message":{"role":"user "}}', first],
  "a user's line with half a character": [user.replace("hello", String.raw`\ud800`), first],
  "a user's line with an escape that is none": [user.replace("hello", String.raw`\x41`), first],
  "a user's line with a tab in its text": [user.replace("hello", "a\tb"), first],
  "a user's line of many brackets": [user.replace('"hello"', `${"[".repeat(3000)}${"]".repeat(3000)}`), first],
  "a turn twice in a commit": chain(
    {
      events: [
        { type: "turn.began", actor: "a" },
        { type: "turn.began", id: 7, actor: "a" },
      ],
    },
    {},
  ),
  "a turn in a commit that does not count": chain({}, { version: 1, events: [{ type: "turn.began", actor: "a" }] }),
  "v of nothing": chain({ v: 0 }, {}),
  "v of tomorrow": chain({ v: 2 }, {}),
  "v of half": chain({ v: 1.5 }, {}),
  "events that are an object": text('"events":[', '"events":{"0":').map((each) =>
    each.replace('}],"hash"', '}},"hash"'),
  ),
  "no events": chain({ events: [] }, {}),
  "an event that is null": text('"events":[', '"events":[null,'),
  "fold of another name": chain({ fold: "tree" }, {}),
  "a time of another calendar": chain({ at: "2026-02-30T25:61:00Z" }, {}),
  "a time without a zone": chain({ at: "2026-02-03T04:05:06" }, {}),
};

test("every reader says what the oracle says of each odd line", async () => {
  const cases = Object.values(odd).map((lines, index) => {
    const folder = path.join(root, `${index}`);
    fs.mkdirSync(folder);
    const bytes = Buffer.from(`${[header, ...lines, user].join("\n")}\n`);
    return caseOf(index, folder, { bytes, key: undefined, isLinear: false });
  });
  const told = readInPython(cases);
  for (const each of cases) for (const reader of Object.keys(readers)) told.push(await readWith(reader, each));
  const name = (index: number): string => Object.keys(odd)[index] ?? "";
  const said = told
    .filter(disagrees)
    .map(({ reader, of, told: found, expected }) => [name(of.seed), reader, found, expected]);
  expect(said).toEqual([]);
});
