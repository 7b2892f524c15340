import fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { beforeEach, expect, test } from "vitest";
import type { ScratchpadState } from "../../../src/state/state.ts";
import { openSession } from "../../../src/store/session-file/session-header.ts";
import { names } from "../../line/lines.ts";
import { type Line, linesOf, useFolder, valuesIn } from "./folder.ts";
import { readWhole } from "./read-whole.ts";
import { verifyFile } from "./verify-file.ts";

const folder = useFolder();

interface Whole {
  readonly offset: number;
  readonly version: number;
  readonly state: ScratchpadState;
}

let file = "";
/** The states after each line that ended. */
let states: Whole[] = [];

/** Host lines, values of an older runtime, commits of one and of several events, mirrors. */
beforeEach(async () => {
  const session = folder.session();
  ({ file } = session);
  session.user("Why do tokens expire at once?");
  const journal = await session.open();
  await journal.notes.set("first\u2028é😀");
  session.value(":plan", "1. from an older runtime");
  session.agent("I will look.");
  await Promise.all([journal.refs.add("src/a.ts"), journal.notes.append("second"), journal.plan.set("2. mine")]);
  await journal.applyAll([
    { action: "entries.write", key: "build", content: "make" },
    { action: "edit_notes", operation: "delete", find: "second" },
  ]);
  session.value(":refs", ["theirs"]);
  await journal.notes.set("x".repeat(100));
  await journal.close();
  states = await statesOf(file);
});

async function stateOf(cut: string): Promise<Omit<Whole, "offset">> {
  const opened = openSession(cut);
  const { reading } = readWhole(opened);
  opened?.bytes.close();
  return { version: reading.ledger.version, state: reading.state };
}

async function statesOf(path: string): Promise<Whole[]> {
  const bytes = fs.readFileSync(path);
  const ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a).map((at) => at + 1);
  const all: Whole[] = [];
  for (const offset of ends) {
    const cut = folder.path("cut.jsonl");
    fs.writeFileSync(cut, bytes.subarray(0, offset));
    all.push({ offset, ...(await stateOf(cut)) });
  }
  return all;
}

test("a file cut at any byte reads as what its whole lines say", async () => {
  const { size } = fs.statSync(file);
  const [header] = states as [Whole];
  for (let at = size - 1; at >= header.offset; at--) {
    fs.truncateSync(file, at);
    const whole = states.findLast(({ offset }) => offset <= at) as Whole;
    const { version, state } = await stateOf(file);
    if (version === whole.version && isDeepStrictEqual(state, whole.state)) continue;
    expect({ at, version, state }).toEqual({ ...whole, at });
  }
});

test("a commit is wholly there or wholly absent", () => {
  const commits = linesOf(file).filter(({ customType }) => customType === names.events);
  const ends = commits.map(({ data }) => (data as { version: number }).version);
  const seen = new Set(states.map(({ version }) => version));
  const values = linesOf(file).filter(isHostValue).length;
  expect(seen.size - 1).toBe(ends.length + values);
});

function isHostValue({ customType, mirror }: Line): boolean {
  return customType?.startsWith(names.namespace) === true && mirror === undefined && customType !== names.events;
}

test("after a cut anywhere in the last commit the next write is whole, and nothing of it is damage", async () => {
  const bytes = fs.readFileSync(file);
  const lastCommit = bytes.lastIndexOf(`"${names.events}"`);
  const lineStart = bytes.lastIndexOf(0x0a, lastCommit) + 1;
  const places = Array.from({ length: 24 }, (_, nth) => lineStart + nth * Math.ceil((bytes.length - lineStart) / 24));
  for (const at of [...places, bytes.length - 1]) {
    const cut = folder.path(`cut-${at}.jsonl`);
    fs.writeFileSync(cut, bytes.subarray(0, at));
    const before = states.findLast(({ offset }) => offset <= at) as Whole;
    const reader = folder.reader(cut);
    const end = await reader.append({ event: { type: "plan.set", text: `after ${at}` }, actor: "agent" });
    expect(end.version).toBe(before.version + 1);
    expect(reader.state).toEqual({ ...before.state, plan: `after ${at}` });
    expect(fs.readFileSync(cut).subarray(0, at).equals(bytes.subarray(0, at))).toBe(true);
    expect(valuesIn(cut)).toMatchObject({
      notes: reader.state.notes,
      plan: reader.state.plan,
      refs: reader.state.refs,
    });
    expect(await verifyFile(cut)).toMatchObject({ ok: true });
  }
});

test("a cut before the end of the header leaves no session", async () => {
  const cut = folder.path("cut.jsonl");
  const header = fs.readFileSync(file).subarray(0, 40);
  fs.writeFileSync(cut, header);
  await expect(folder.reader(cut).catchUp()).rejects.toMatchObject({ code: "not_a_session" });
  expect(fs.readFileSync(cut).equals(header)).toBe(true);
});
