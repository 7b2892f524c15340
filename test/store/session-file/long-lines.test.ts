/** One line of 100 MB, of 1 GB in the full programme: memory stays bounded, and nothing around it is lost. */
import { execFile } from "node:child_process";
import fs from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isFull } from "../../reliability/results.ts";
import { type Program, program } from "../process/spawn.ts";
import { useFolder } from "./folder.ts";

const folder = useFolder();
const sizes = isFull ? [100, 1024] : [100];
let reading: Program;

beforeAll(async () => {
  reading = await program("read-session.ts");
});
afterAll(() => reading.remove());

const piece = Buffer.alloc(1 << 20, "x");

function appendLong(file: string, before: string, megabytes: number, after: string): void {
  const descriptor = fs.openSync(file, "a");
  fs.writeSync(descriptor, before);
  for (let count = 0; count < megabytes; count++) fs.writeSync(descriptor, piece);
  fs.writeSync(descriptor, after);
  fs.closeSync(descriptor);
}

interface Found {
  readonly version: number;
  readonly turn: number;
  readonly ok: boolean;
  readonly kinds: readonly string[];
  readonly after: number;
  readonly megabytes: number;
}

async function read(file: string): Promise<Found> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--max-old-space-size=64", reading.file, file]);
  return JSON.parse(stdout) as Found;
}

const place = '"id":"0000000a","parentId":null,"timestamp":"2026-11-21T20:00:00.000Z"';

type Kind = readonly [name: string, before: string, after: string, turns: number, version: number];

const kinds: readonly Kind[] = [
  ["a message of the user's", `{"type":"message",${place},"message":{"role":"user","content":"`, '"}}\n', 3, 2],
  [
    "a value of an older runtime",
    `{"type":"custom","customType":"openclaw:scratchpad:notes",${place},"data":"`,
    '"}\n',
    2,
    2,
  ],
];
/** Each takes seconds. */
const moreKinds: readonly Kind[] = [
  [
    "a message that says so at its end",
    '{"message":{"content":"',
    `","role":"user"},"type":"message",${place}}\n`,
    3,
    2,
  ],
  ["no JSON at all", "", "\n", 2, 2],
  ["one that has not ended", `{"type":"message",${place},"message":{"role":"user","content":"`, "", 1, 1],
];

describe.each(sizes)("a line of %s MB", (megabytes) => {
  test.each(isFull ? [...kinds, ...moreKinds] : kinds)(
    "that is %s",
    async (_, before, after, turns, version) => {
      const session = folder.session();
      session.user("before");
      session.value(":plan", "before");
      appendLong(session.file, before, megabytes, after);
      if (after !== "") {
        session.value(":refs", ["after"]);
        session.user("after");
      }
      const size = fs.statSync(session.file).size;
      const found = await read(session.file);
      expect(found).toMatchObject({ version, turn: turns, ok: true, after: version + 1 });
      expect(found.megabytes).toBeLessThan(megabytes > 100 ? 300 : 240);
      expect(fs.statSync(session.file).size).toBeGreaterThan(size);
    },
    300_000,
  );
});
