import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openJournal } from "../../src/index.ts";
import { canonicalJson } from "../../src/line/json.ts";
import { Session } from "../fixtures/session.ts";

const root = path.resolve(import.meta.dirname, "../..");
const reader = path.join(root, "docs", "reader.py");

let folder = "";
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-reader-"));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test("the reader stays within 90 lines of plain Python", () => {
  const text = fs.readFileSync(reader, "utf8");
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(90);
  expect(text.match(/^(?:import|from) .*/gm)).toEqual(["import hashlib, json, re, sys"]);
});

/** Policy `branch` is left out of the reader. */
const fixtures = ["sessions", "journals/0.1.0", "damaged"]
  .flatMap((name) => fs.readdirSync(path.join(root, "fixtures", name)).map((file) => `${name}/${file}`))
  .filter((name) => name.endsWith(".jsonl") && !name.endsWith("branch.jsonl"));

describe("of the fixtures", () => {
  let read: readonly string[] = [];
  beforeAll(() => {
    read = readInPython(fixtures.map((name) => path.join(root, "fixtures", name)));
  });

  test.each(fixtures)("%s gives the same bytes in Python as here", async (name) => {
    await sameAsHere(path.join(root, "fixtures", name), read[fixtures.indexOf(name)]);
  });
});

test("texts, keys and numbers that two printers of JSON could print differently", async () => {
  const session = new Session(path.join(folder, "printers.jsonl"), "printers \ud800 \u{1f600}");
  session.value(":notes", "lone \ud800 surrogate, DEL \u007f, NUL \u0000, C1 \u0080, separator \u2028");
  session.value(":refs", ["\ufffd", 1, null, "\u{1f600}"]);
  session.append("not JSON at all\n\n\0\0\n");
  const journal = await session.open({ mirror: false });
  for (const key of ["z", "A", "a-b", "10", "9"]) await journal.entries.write(key, `"${key}" \\ /`);
  for (const name of ["\u{1f600}", "\uffee", "é", "e"]) await journal.sections.write(name, name, { ttlMinutes: 1.5 });
  await journal.entries.claim("z", { ttlSeconds: 60 });
  await journal.close();
  await sameAsHere(session.file);
});

test("edits that match nothing, once, or many times", async () => {
  const session = new Session(path.join(folder, "edits.jsonl"), "edits");
  const journal = await session.open({ mirror: false });
  await journal.notes.edit({ operation: "prepend", content: "aaa $& aaa" });
  await journal.notes.edit({ operation: "find_replace", find: "aa", replace: "$&b", replace_all: true });
  await journal.notes.edit({ operation: "find_replace", find: "a", replace: "" });
  await journal.notes.edit({ operation: "append", content: "" });
  await journal.notes.edit({ operation: "delete", content: "$&" });
  await journal.notes.edit({ operation: "delete", find: "nowhere" });
  await journal.close();
  await sameAsHere(session.file);
});

test("a file that is no journal is refused, and not read as an empty one", () => {
  const other = path.join(root, "fixtures/sessions/claude-code/2.1.39-tasks-compaction.jsonl");
  const { status, stdout, stderr } = spawnSync("python3", [reader, other], { encoding: "utf8" });
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: "", stderr: `${other} is no session journal\n` });
  expect(spawnSync("python3", [reader], { encoding: "utf8" }).stderr).toContain("python3 reader.py FILE");
});

async function sameAsHere(file: string, read = readInPython([file])[0] ?? ""): Promise<void> {
  const journal = await openJournal(file, { readonly: true });
  const { version, state, head, turn } = journal;
  const { findings: verified } = await journal.verify();
  await journal.close();
  const { findings } = JSON.parse(read) as { findings: readonly Found[] };
  expect(read).toBe(`${canonicalJson({ findings, head: head.hash, state, turn, version })}\n`);
  expect(findings.filter(isOfAcceptance)).toEqual(verified.map(inPython).filter(isOfAcceptance));
}

interface Found {
  readonly kind: string;
  readonly line: number;
}

function isOfAcceptance({ kind }: Found): boolean {
  return ["hash", "duplicate", "fork", "gap", "redacted", "unknown_event"].includes(kind);
}

/** The reader leaves it to others to tell an inherited gap from a gap. */
function inPython({ kind, line }: Found): Found {
  return { kind: kind === "inherited" ? "gap" : kind, line };
}

/** Each file is read as by a process of its own: to begin one takes longer than to read. */
function readInPython(files: readonly string[]): string[] {
  const program =
    "import runpy, sys\nfor sys.argv in [sys.argv[1:2] + [file] for file in sys.argv[2:]]: runpy.run_path(sys.argv[0])";
  const words = ["-c", program, reader, ...files];
  const { stdout, stderr, status, error } = spawnSync("python3", words, { encoding: "utf8" });
  if (error !== undefined) throw new Error(`docs/reader.py needs python3 on the path: ${error.message}`);
  if (status !== 0) throw new Error(stderr);
  return stdout.split(/(?<=\n)/);
}
