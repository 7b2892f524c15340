import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, copyFileSync, existsSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { bytesOf, fixture, json, newSession, root, temporaryFolder, values, withoutProgress } from "./cli.ts";

const main = join(root, "dist", "command", "cli.cjs");
const demo = join(root, "dist", "cli", "demo.js");
const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" };

function run(argv: readonly string[], input = ""): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...argv], { encoding: "utf8", env, input });
  return { status, stdout, stderr: withoutProgress(stderr) };
}

function start(argv: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [main, ...argv], { env, stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function exitOf(child: ChildProcess): Promise<{ code: number | null; stderr: string }> {
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stderr: withoutProgress(stderr) };
}

test("the built program reads a session and ends with 0, 1 and 2", () => {
  expect(run(["show", fixture])).toMatchObject({
    status: 0,
    stderr: "",
    stdout: expect.stringContaining("v13 · turn 9"),
  });
  const file = newSession();
  expect(run(["apply", file, '{"action":"refs.remove","ref":"x"}'])).toMatchObject({ status: 1, stderr: "" });
  expect(run(["shwo", file])).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^session-journal: [^\n]+\n$/),
  });
});

test("actions come in over a pipe, answers go out over one", async () => {
  const file = newSession();
  const { status, stdout } = run(["apply", file, "-"], '{"action":"set_plan","content":"é"}\n{"action":"nope"}\n');
  expect(status).toBe(1);
  expect(stdout.trimEnd().split("\n")).toHaveLength(2);
  expect(await json("log", file)).toHaveLength(1);
});

test("a full disk is told with the file and what to do, and no half of a new file stays", () => {
  const folder = temporaryFolder();
  const commands = [
    `archive ${fixture} -o ${folder}/a.gz`,
    `export ${fixture} --format atif -o ${folder}/a.json`,
    `report ${fixture} -o ${folder}/a.html`,
    `demo ${folder}`,
  ];
  // No file may become longer than 1,024 bytes.
  const script = `ulimit -f 1; trap '' XFSZ; ${commands.map((words) => `"$0" ${main} ${words}`).join("; ")}`;
  const { stderr } = spawnSync("bash", ["-c", script, process.execPath], {
    encoding: "utf8",
    env: { ...env, NODE_DISABLE_COMPILE_CACHE: "1" },
  });
  const lines = withoutProgress(stderr).trimEnd().split("\n");
  expect(lines).toEqual([
    `session-journal: cannot write the archive ${folder}/a.gz (EFBIG): check the space on the disk`,
    expect.stringMatching(/^session-journal: cannot write .*a\.json \(EFBIG\): check that /),
    expect.stringMatching(/^session-journal: cannot write .*a\.html \(EFBIG\): check that /),
    expect.stringMatching(/^session-journal: cannot write .*session\.jsonl \(EFBIG\): free some space, or /),
  ]);
  expect(readdirSync(folder)).toEqual([]);
});

test("what is over the limit of a file's size is told, also where the lock was taken", () => {
  const file = newSession();
  const action = JSON.stringify({ action: "entries.write", key: "a", content: "x".repeat(3000) });
  const script = `ulimit -f 1; exec "$@"`;
  const words = ["bash", process.execPath, main, "apply", file, action];
  const { status, stderr } = spawnSync("bash", ["-c", script, ...words], {
    encoding: "utf8",
    env: { ...env, NODE_DISABLE_COMPILE_CACHE: "1" },
  });
  expect([status, stderr]).toEqual([2, expect.stringContaining(`cannot write to ${file} (`)]);
});

test.skipIf(!existsSync("/dev/full"))("it ends with 2, though it cannot say why", () => {
  const full = openSync("/dev/full", "w");
  const { status } = spawnSync(process.execPath, [main, "frob"], { env, stdio: ["ignore", "pipe", full] });
  closeSync(full);
  expect(status).toBe(2);
});

test("a reader that leaves early, as head does, is no error", async () => {
  const child = start(["log", fixture, "--json"]);
  child.stdout?.destroy();
  expect(await exitOf(child)).toEqual({ code: 0, stderr: "" });
});

test("what was sent is carried out, also when nobody reads the answers", async () => {
  const file = newSession();
  const child = start(["apply", file, "-"]);
  child.stdout?.destroy();
  for (let count = 0; count < 3; count++) child.stdin?.write(`{"action":"append_notes","content":"${count}"}\n`);
  child.stdin?.end();
  expect(await exitOf(child)).toEqual({ code: 0, stderr: "" });
  expect(await json("log", file)).toHaveLength(3);
});

test("a folder in place of standard input is told, and makes no session", () => {
  const file = newSession();
  const folder = openSync(dirname(file), "r");
  const actions = spawnSync(process.execPath, [main, "apply", file, "-"], { env, stdio: [folder, "pipe", "pipe"] });
  const text = ["redact", fixture, "--text", "-", "-o", file];
  const secret = spawnSync(process.execPath, [main, ...text], { env, stdio: [folder, "pipe", "pipe"] });
  closeSync(folder);
  const told = "session-journal: standard input is a folder: name a file behind <, or use a pipe\n";
  for (const { status, stderr } of [actions, secret]) expect([status, String(stderr)]).toEqual([2, told]);
  expect(existsSync(file)).toBe(false);
});

test("it does not wait for a standard input that it does not read", async () => {
  expect(await exitOf(start(["show", fixture]))).toEqual({ code: 0, stderr: "" });
});

test("malformed JSON ends it, although more may come", async () => {
  const child = start(["apply", newSession(), "-"]);
  child.stdin?.write("{]\n");
  expect(await exitOf(child)).toEqual({ code: 2, stderr: expect.stringMatching(/line 1 is malformed JSON/) });
});

test("a follower is told of each change as a line, and ends with 0 when it is interrupted", async () => {
  const file = newSession();
  copyFileSync(fixture, file);
  const child = start(["follow", file, "--from", "12"]);
  const exit = exitOf(child);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value as string);
  expect(await next()).toMatchObject({ type: "event", version: 13 });
  expect(run(["apply", file, '{"action":"set_plan","content":"a"}'])).toMatchObject({ status: 0 });
  expect(await next()).toMatchObject({
    type: "event",
    version: 14,
    patch: [{ op: "replace", path: "/plan", value: "a" }],
  });
  child.kill("SIGINT");
  expect(await exit).toEqual({ code: 0, stderr: "" });
});

test("what has written, and so has taken the lock, still ends with 0 when it is interrupted", async () => {
  const file = newSession();
  copyFileSync(fixture, file);
  const child = start(["assemble", file, "-o", join(dirname(file), "SCRATCHPAD.md"), "--watch"]);
  const exit = exitOf(child);
  await once(child.stdout as Readable, "data");
  expect(run(["log", file]).stdout).toContain("section Time Context written");
  child.kill("SIGINT");
  expect(await exit).toEqual({ code: 0, stderr: "" });
});

test("npm start shows the whole story on one screen, and leaves a sound session to go on with", () => {
  const before = bytesOf(fixture);
  const { status, stdout, stderr } = spawnSync(process.execPath, [demo], { encoding: "utf8", env });
  expect([status, withoutProgress(stderr)]).toEqual([0, ""]);
  const session = /main\.js show (\S+session\.jsonl)/.exec(stdout)?.[1] ?? "";
  onTestFinished(() => rmSync(dirname(session), { recursive: true, force: true }));
  for (const part of [
    "v1   2026-03-09",
    "--- v6 plan\n+++ v7 plan",
    "turn 11",
    "append_notes rejected",
    "--- v17 ",
    "4 of 5 done",
    "unfinished  plan  24 chars  Run fmt, lint, and tests",
    "no damage",
  ]) {
    expect(stdout).toContain(part);
  }
  expect(stdout.split("\n").length).toBeLessThan(132);
  const page = /^open (file:\S+audit\.html)$/m.exec(stdout)?.[1] ?? "";
  expect(readFileSync(new URL(page), "utf8")).toMatch(/^<!doctype html>/);
  expect(bytesOf(fixture)).toBe(before);
  const copy = newSession();
  copyFileSync(session, copy);
  expect(run(["verify", copy])).toMatchObject({ status: 0 });
});

test("an output larger than a pipe holds arrives whole, however late its reader", async () => {
  const file = newSession();
  const journal = await openJournal(file, { durability: "os" });
  for (let count = 0; count < 300; count++) await journal.plan.set(String(count).repeat(500));
  await journal.close();
  const child = start(["log", file, "--json"]);
  // It has begun to write. What nobody takes fills the pipe, until it can write no more.
  await once(child.stdout as Readable, "readable");
  await new Promise((resolve) => setTimeout(resolve, 100));
  let received = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    received += text;
  });
  expect(await exitOf(child)).toEqual({ code: 0, stderr: "" });
  expect(values(received)).toEqual(await json("log", file));
});
