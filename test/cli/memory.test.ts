/** Files that ask for more than there is, read by each verb in a process that has 128 MB: what cannot be read is named. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isFull } from "../reliability/results.ts";
import { root } from "./cli.ts";

const header = '{"type":"session","version":3,"id":"s","timestamp":"2026-11-21T20:00:00.000Z","cwd":"/"}\n';
const claim = '{"type":"custom","customType":"openclaw:scratchpad:events","data":{"x":"';

const value = (data: string): string =>
  `{"type":"custom","customType":"openclaw:scratchpad:notes","id":"a","parentId":null,"timestamp":"2026-11-21T20:00:00.000Z","data":${data}}`;

const files: Readonly<Record<string, () => string>> = {
  "a torn line with four million escapes": () => `${claim}${String.raw`\"`.repeat(4_000_000)}\n`,
  "six million brackets that never close": () => `${"[".repeat(6_000_000)}\n`,
  "a line of the host's of six million brackets": () =>
    `{"type":"x","id":"a","data":${"[".repeat(3_000_000)}${"]".repeat(3_000_000)}}\n`,
  "a value line of many MB": () => `${value(`"${"x".repeat(isFull ? 30_000_000 : 15_000_000)}"`)}\n`,
  ...(isFull && {
    "a value line of two million lines": () => `${value(JSON.stringify("a line of text\n".repeat(2_000_000)))}\n`,
    "a value line of 30 MB in other letters": () => `${value(`"${"漢字é x".repeat(3_000_000)}"`)}\n`,
  }),
  "a value of six million brackets": () => `${value("[".repeat(3_000_000) + "]".repeat(3_000_000))}\n`,
  "many lines of junk": () => "x\n".repeat(isFull ? 130_000 : 20_000),
};
const verbs = isFull
  ? [
      ["show"],
      ["log"],
      ["log", "-p"],
      ["diff"],
      ["blame"],
      ["blame", "--json"],
      ["lost"],
      ["render"],
      ["render", "--face", "handoff"],
      ["show", "--json"],
      ["log", "-p", "--json"],
      ["lost", "--all", "--json"],
      ["diff", "--patch", "v0", "head"],
      ["diff", "--json", "v0", "head"],
      ["compare", "FILE"],
      ["compare", "--json", "FILE"],
      ["merge", "FILE", "--dry-run"],
      ["copy", "TARGET"],
      ["copy", "sqlite:TARGET.db"],
      ["archive", "-o", "TARGET"],
      ["redact", "--text", "in no line", "-o", "TARGET"],
      ["fork", "TARGET"],
      ["grep", "in no line"],
      ["replay"],
      ["replay", "--json"],
      ["health", "--read-only"],
      ["head"],
      ["report", "-o", "-"],
      ["snapshot"],
      ["verify"],
      ["doctor"],
    ]
  : [["show"], ["verify"]];

let folder = "";
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-memory-"));
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), header + text());
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** What a snapshot left behind is met by the verbs after it. */
const verbsOf = (name: string) => (!isFull && name === "a value line of many MB" ? [["snapshot"], ["show"]] : verbs);
const cases = Object.keys(files).flatMap((name) =>
  verbsOf(name).map(([verb = "", ...options]) => [verb, options, name] as const),
);

test.each(cases)("%s %j of %s ends", (verb, options, name) => {
  const program = path.join(root, "dist", "command", "cli.cjs");
  const file = path.join(folder, name);
  const target = fs.mkdtempSync(path.join(folder, "target-"));
  const placed = options.map((word) => word.replace("FILE", file).replace("TARGET", path.join(target, "target")));
  const words = verb === "grep" ? [...placed, file] : [file, ...placed];
  const argv = ["--max-old-space-size=128", program, verb, ...words];
  const { status, signal, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", maxBuffer: 2 ** 30 });
  expect({ signal, stderr: stderr.includes("call stack") }).toEqual({ signal: null, stderr: false });
  // Refused: a text that no child can begin with, one that nothing matches, sessions that have nothing in common.
  if (verb === "snapshot" && name.includes(" MB")) expect(status).toBe(0);
  expect(["fork", "redact", "merge"].includes(verb) ? [0, 1, 2] : [0, 1]).toContain(status);
  fs.rmSync(target, { recursive: true });
});
