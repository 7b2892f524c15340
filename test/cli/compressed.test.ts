/** Codex compresses its old sessions. Not every runtime can read them so. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openJournal } from "../../src/index.ts";
import { Home } from "../find/home.ts";
import { packed, packedZeros, putZstdBack, setZstd } from "../find/packed.ts";
import { newerNode } from "../hosts/newer-node.ts";
import { cli, root, temporaryFolder } from "./cli.ts";

const plain = fs.readFileSync(path.join(root, "fixtures/sessions/codex/0.169.0-update-plan-compaction.jsonl"));
const id = "01a20423-232e-7272-9e09-d0564891db98";
const old = `.codex/archived_sessions/rollout-2026-11-22T16-42-21-${id}.jsonl.zst`;
const message = /Please fix the login bug: .* ~\/\.codex\/archived_sessions\/rollout-\S+\.jsonl\.zst\n$/;

afterEach(putZstdBack);

function started() {
  const home = new Home();
  const run = (...argv: string[]) => cli(argv, { env: { HOME: home.path } });
  const put = (bytes: Buffer) => home.put(old, bytes);
  return { home, run, put };
}

describe("where the runtime can unpack", () => {
  beforeEach(() => setZstd(true));

  test("a session that Codex has compressed is listed, and found by its id", async () => {
    const { home, run, put } = started();
    put(packed(plain));
    const listed = await run("ls", "--all");
    expect(listed).toEqual({ code: 0, stderr: "", stdout: expect.stringMatching(message) });
    expect(listed.stdout).toContain("3 turns  3 of 3 done");
    expect((await run("ls", path.join(home.path, ".codex"))).stdout).toBe(listed.stdout);
    const shown = await run("show", id.slice(0, 13));
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining("[x] Fix the comparison in login.js")]);
  });

  test("a compressed session tells what it told before, and nothing is written beside it", async () => {
    const { home, run, put } = started();
    const unpacked = home.put("unpacked.jsonl", plain);
    // Whoever packs as it goes may put several frames behind one another, and others that hold no text.
    const empty = Buffer.from("502a4d1803000000616263", "hex");
    const file = put(Buffer.concat([packed(plain.subarray(0, 20_000)), empty, packed(plain.subarray(20_000))]));
    const before = fs.statSync(file, { bigint: true });
    for (const verb of ["show", "log", "verify", "doctor", "lost", "blame", "grep"]) {
      const words = verb === "grep" ? [verb, "login"] : [verb];
      const [one, other] = await Promise.all([run(...words, file, "--json"), run(...words, unpacked, "--json")]);
      expect(other.stdout).not.toBe("");
      expect([verb, one.code, one.stdout.replaceAll(file, unpacked)]).toEqual([verb, other.code, other.stdout]);
    }
    const copied = await run("copy", file, path.join(home.path, "copy.jsonl"));
    expect(copied.code).toBe(0);
    expect(fs.readdirSync(path.dirname(file))).toEqual([path.basename(file)]);
    expect(fs.statSync(file, { bigint: true })).toEqual(before);
  });

  test("a compressed session that was cut off, damaged or is too long to unpack says so", async () => {
    const { run, put } = started();
    const whole = packed(plain);
    const changed = Buffer.from(whole);
    // A kind of block that there is not.
    changed[6] = Number(changed[6]) | 0b110;
    const faults: readonly (readonly [Buffer, RegExp])[] = [
      [whole.subarray(0, -1), /damaged or cut off: take another copy of it/],
      [whole.subarray(0, 5), /damaged or cut off: take another copy of it/],
      [Buffer.concat([whole, Buffer.from("and more")]), /damaged or cut off: take another copy of it/],
      [changed, /damaged/],
      [Buffer.concat([whole, packedZeros(2048)]), /its text is longer than 256 MB: zstd -d FILE -o COPY\.jsonl/],
    ];
    for (const [bytes, fault] of faults) {
      const file = put(bytes);
      const { code, stderr } = await run("show", file);
      expect([code, stderr]).toEqual([2, expect.stringMatching(fault)]);
      expect(stderr).toContain(`session-journal: ${file} is compressed, and `);
    }
  });

  test("a list reads the beginning of a compressed session although its end is missing", async () => {
    const { run, put } = started();
    put(packed(Buffer.concat(Array(40).fill(plain))).subarray(0, -1));
    const { code, stderr } = await run("show", id.slice(0, 13));
    expect([code, stderr]).toEqual([2, expect.stringContaining("cut off")]);
  });

  test("whoever holds a compressed session reads the one that takes its place", async () => {
    const { put } = started();
    const file = put(packed(plain));
    await using journal = await openJournal(file, { readonly: true });
    const { version } = journal;
    await journal.refresh();
    expect(journal.version).toBe(version);
    const first = plain.subarray(0, plain.indexOf('"update_plan"'));
    put(packed(first.subarray(0, first.lastIndexOf("\n") + 1)));
    await journal.refresh();
    expect(journal.version).toBe(0);
  });
});

test("what a newer Node has compressed is read by the command that is installed", () => {
  const { home } = started();
  const file = home.put(old, "");
  const unpacked = home.put("unpacked.jsonl", plain);
  const run = (...words: string[]) =>
    execFileSync(newerNode, words, { env: { HOME: home.path }, encoding: "utf8", maxBuffer: 1 << 26 });
  const script = "fs.writeFileSync(process.argv[2], zlib.zstdCompressSync(fs.readFileSync(process.argv[1])))";
  run("-e", script, unpacked, file);
  expect(fs.statSync(file).size).toBeLessThan(plain.length / 2);
  const command = path.join(root, "dist/command/cli.cjs");
  expect(run(command, "ls", "--all")).toMatch(message);
  expect(run(command, "show", id.slice(0, 13), "--json")).toBe(run(command, "show", unpacked, "--json"));
});

test("where the runtime cannot read compressed sessions, ls counts them, and whoever names one is told how to", async () => {
  setZstd(false);
  const { home, run, put } = started();
  const file = put(packed(plain));
  home.put(old.replace("archived_sessions", "sessions/2026/01/01"), packed(plain));
  home.put(`kept/${path.basename(old)}`, packed(plain));
  const listed = [await run("ls"), await run("ls", path.join(home.path, "kept"))];
  const text = listed.map(({ stderr }) => stderr).join("");
  expect(listed.map(({ code }) => code)).toEqual([0, 0]);
  const left = [
    `session-journal: 1 session of any folder in ${home.path}/.codex/sessions is left out: `,
    `session-journal: 1 session of any folder in ${home.path}/.codex/archived_sessions is left out: `,
    `session-journal: 1 session in ${home.path}/kept is left out: `,
  ];
  expect(left.filter((line) => !text.includes(line))).toEqual([]);
  expect(text).toContain("Node 22.15 and newer read it");
  const byId = await run("show", id.slice(0, 13));
  const known = /^session-journal: 01a20423-232e begins the id of a session in \S+ .*Node 22\.15 and newer read it/;
  expect([byId.code, byId.stderr]).toEqual([2, expect.stringMatching(known)]);
  expect((await run("show", "ffff0423")).stderr).toContain("ffff0423 does not exist: ");
  const { code, stderr } = await run("show", file);
  const why = / is compressed: .* from Node 22\.15 on; zstd -d FILE -o \S+ unpacks a copy, .*\n$/;
  expect([code, stderr]).toEqual([2, expect.stringMatching(why)]);
});

test("a compressed file that holds no session of another client is called what it is", async () => {
  const file = path.join(temporaryFolder(), "ours.jsonl.zst");
  fs.writeFileSync(file, packed('{"type":"session","version":3,"id":"a","cwd":"/"}\n'));
  const { code, stderr } = await cli(["show", file]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/ is compressed: under a name that ends in \.zst, sessions of other clients are read /),
  ]);
});
