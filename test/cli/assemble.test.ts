import fs from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { runCli } from "../../src/cli/run.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { applied, cli, fixture, json, newSession, temporaryFolder } from "./cli.ts";

function target(): string {
  return join(temporaryFolder(), "SCRATCHPAD.md");
}

/** Begun by its host; nothing of ours is in it. */
function begunSession(): string {
  const file = newSession();
  const header = { type: "session", version: 3, id: "5f0c", timestamp: "2026-03-09T13:00:00.000Z", cwd: "/" };
  fs.writeFileSync(file, `${JSON.stringify(header)}\n`);
  return file;
}

test("the file is written, and each section is an event of the named actor", async () => {
  const [session, file] = [begunSession(), target()];
  await applied(session, { action: "set_plan", content: "1. Look" });
  const { code, stdout, stderr } = await cli([
    "assemble",
    session,
    "-o",
    file,
    "--utc-offset",
    "-3.5",
    "--actor",
    "cron",
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/SCRATCHPAD\.md: 2 sections, \d+ tokens\n$/);
  const text = fs.readFileSync(file, "utf8");
  expect(text).toMatch(/^<!-- Updated: \S+-03:30 -->$/m);
  expect(text).toContain("- Working on: Look\n");
  const { stdout: log } = await cli(["log", session, "--actor", "cron", "--json"]);
  expect(log.trim().split("\n")).toHaveLength(2);
});

test("--json tells what is in the file and what is not", async () => {
  const file = target();
  const [memory] = await json("assemble", begunSession(), "-o", file, "--utc-offset", "0");
  expect(memory).toEqual({
    file,
    tokens: expect.any(Number),
    updated: expect.stringMatching(/\+00:00$/),
    sections: ["Time Context"],
    shortened: [],
    leftOut: [],
    missing: [],
  });
});

test("a session that is not there is not made, so that a misspelt path is noticed", async () => {
  const [session, file] = [newSession(), target()];
  const { code, stderr } = await cli(["assemble", session, "-o", file]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: `session-journal: ${session} does not exist: check the path\n` });
  expect([fs.existsSync(session), fs.existsSync(file)]).toEqual([false, false]);
});

describe("messages", () => {
  const message = { role: "user", content: "libcublas is gone" };

  test.each([
    ["a JSON array", JSON.stringify([message])],
    ["an object with messages", JSON.stringify({ messages: [message] }, null, 2)],
    ["a message on each line", `${JSON.stringify(message)}\n`],
    ["lines of a session in use", `{"type":"session"}\n${JSON.stringify({ type: "message", message })}\n{"type":"mess`],
    [
      "lines of a session that a crash has torn",
      `{"type":"session"}\n{"type":"mess\n\0\0\n${JSON.stringify({ type: "message", message })}\n`,
    ],
    ["lines behind a byte order mark", `\ufeff${JSON.stringify(message)}\r\n`],
  ])("come from standard input as %s", async (_, stdin) => {
    const file = target();
    const { code, stderr } = await cli(["assemble", begunSession(), "-o", file, "--messages", "-"], { stdin: [stdin] });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(fs.readFileSync(file, "utf8")).toContain("- Last topic: libcublas is gone\n");
  });

  test("come from the session itself", async () => {
    const file = target();
    await cli(["assemble", begunSession(), "-o", file, "--messages", fixture]);
    expect(fs.readFileSync(file, "utf8")).toMatch(/- Last topic: \S/);
  });

  test.each([
    ["what is no JSON", "hello", "entry 1 is not JSON"],
    ["a line in between", "{}\nhello\n{}", "entry 2 is not JSON"],
  ])("of another kind are refused: %s", async (_, stdin, reason) => {
    const file = target();
    const { code, stderr } = await cli(["assemble", begunSession(), "-o", file, "--messages", "-"], { stdin: [stdin] });
    expect(code).toBe(2);
    expect(stderr).toContain(reason);
    expect(fs.existsSync(file)).toBe(false);
  });
});

test("alerts, a routing hint, how long it holds, the zone and the length are taken", async () => {
  const [session, file] = [begunSession(), target()];
  const { code, stderr } = await cli(
    [
      ...["assemble", session, "-o", file, "--alert", "disk full", "--alert", "2 unread", "--alerts", "-"],
      ...["--routing", '{"taskComplexity":"LOW"}', "--ttl", "10", "--zone", "Asia/Kathmandu", "--tokens", "150"],
    ],
    { stdin: [Array.from({ length: 50 }, (_, index) => `alert ${index}\n`).join("")] },
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const text = fs.readFileSync(file, "utf8");
  expect(text).toMatch(/^<!-- Updated: \S+\+05:45 -->\n<!-- TTL: 10 minutes — ignore if older -->$/m);
  expect(text).toMatch(/^- Local time: \d\d:\d\d Asia\/Kathmandu /m);
  expect(text).toContain("## Routing Hint\n- Task complexity: LOW\n");
  expect(text).toContain("## Proactive Alerts\n- disk full\n- 2 unread\n- alert 0\n");
  expect(text).toContain("<!-- Shortened: Proactive Alerts (");
  expect(text.length).toBeLessThan(150 * 4);
  const { stdout } = await cli(["log", session, "--json"]);
  for (const line of stdout.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ actor: "assembler" });
});

test("a file of alerts that is no text is refused, and nothing of it is recorded", async () => {
  const [session, alerts] = [begunSession(), join(temporaryFolder(), "disk.bin")];
  fs.writeFileSync(alerts, Buffer.from([0x61, 0x0a, 0xff, 0xfe, 0x00, 0x0a]));
  const before = fs.readFileSync(session, "utf8");
  const { code, stderr } = await cli(["assemble", session, "-o", target(), "--alerts", alerts]);
  expect([code, stderr]).toEqual([
    2,
    `session-journal: ${alerts} holds no alerts: it is not text in UTF-8; name another file\n`,
  ]);
  expect(fs.readFileSync(session, "utf8")).toBe(before);
  expect((await cli(["assemble", "--help"])).stdout).toContain("is recorded in the session");
});

test("--zone may name an offset that is given, too", async () => {
  const { stdout } = await cli(["assemble", begunSession(), "-o", "-", "--utc-offset", "11", "--zone", "AEDT"]);
  expect(stdout).toMatch(/^<!-- Updated: \S+\+11:00 -->$/m);
  expect(stdout).toMatch(/^- Local time: \d\d:\d\d AEDT /m);
});

test("- prints the text, and makes no file of that name", async () => {
  const { code, stdout } = await cli(["assemble", begunSession(), "-o", "-", "--utc-offset", "1"]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^# SCRATCHPAD\.md/)]);
  expect(fs.existsSync("-")).toBe(false);
});

test("a file that is something else is not replaced, and one of ours is", async () => {
  const [session, file] = [begunSession(), target()];
  fs.writeFileSync(file, "# Mine\n");
  const { code, stderr } = await cli(["assemble", session, "-o", file]);
  expect(code).toBe(2);
  expect(stderr).toContain("is not a working-memory file: name another");
  expect(fs.readFileSync(file, "utf8")).toBe("# Mine\n");
  fs.rmSync(file);
  for (const offset of ["1", "2"])
    expect((await cli(["assemble", session, "-o", file, "--utc-offset", offset])).code).toBe(0);
  expect(fs.readFileSync(file, "utf8")).toContain("+02:00");
});

test("what cannot be read is named, whether it is a folder or not there", async () => {
  const folder = temporaryFolder();
  const absent = join(folder, "absent.json");
  for (const [words, reason] of [
    [["-o", folder], `${folder} is a folder: name a file in it`],
    [["-o", target(), "--messages", folder], `cannot read ${folder} (EISDIR)`],
    [["-o", target(), "--messages", absent], `cannot read ${absent} (ENOENT)`],
  ] as const) {
    const { code, stderr } = await cli(["assemble", begunSession(), ...words]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(reason) });
  }
});

test.each([
  [[], "-o FILE is missing"],
  [["-o", "x.md", "--utc-offset", "noon"], "--utc-offset takes hours"],
  [["-o", "x.md", "--utc-offset", "25"], "--utc-offset takes hours"],
  [["-o", "x.md", "--zone", "Nowhere/Land"], '--zone "Nowhere/Land" is not a time zone that this computer knows'],
  [["-o", "x.md", "--ttl", "0"], "--ttl takes a whole number above 0"],
  [["-o", "x.md", "--tokens", "few"], "--tokens takes a whole number"],
  [["-o", "x.md", "--routing", "LOW"], "--routing takes a JSON object with contentSensitivity"],
  [["-o", "x.md", "--routing", '{"complexity":"LOW"}'], "--routing takes a JSON object with contentSensitivity"],
  [["-o", "x.md", "--alerts", "-", "--messages", "-"], "--messages and --alerts cannot both be standard input"],
])("usage: %j", async (argv, reason) => {
  const { code, stderr } = await cli(["assemble", begunSession(), ...argv]);
  expect(code).toBe(2);
  expect(stderr).toContain(reason);
});

test("--watch assembles again after a change, until it is interrupted", async () => {
  const [session, file] = [begunSession(), target()];
  const interruption = new AbortController();
  const out = new PassThrough({ encoding: "utf8" });
  const lines = out[Symbol.asyncIterator]();
  const running = runCli({
    argv: ["assemble", session, "-o", file, "--watch"],
    stdin: () => Readable.from([]),
    stdout: out,
    stderr: { write: () => undefined },
    env: {},
    interruption: () => interruption.signal,
  });
  await lines.next();
  const journal = await openJournal(session);
  await journal.plan.set("1. Look again");
  await lines.next();
  expect(fs.readFileSync(file, "utf8")).toContain("- Working on: Look again\n");
  await journal.sections.write("Proactive Alerts", "- disk full");
  await lines.next();
  expect(fs.readFileSync(file, "utf8")).toContain("## Proactive Alerts\n- disk full\n");
  await journal.close();
  interruption.abort();
  expect(await running).toBe(0);
});
