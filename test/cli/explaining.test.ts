import { once } from "node:events";
import fs, { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { applied, bytesOf, cli, fixture, json, newSession, temporaryFolder } from "./cli.ts";

async function tooMuch(): Promise<string> {
  const file = await applied(newSession(), { action: "set_plan", content: `${"p".repeat(2000)}tail\nend` });
  await cli(["apply", file, JSON.stringify({ action: "append_notes", content: "n".repeat(5000) })]);
  return file;
}

describe("blame", () => {
  test("says who wrote each line", async () => {
    const { stdout } = await cli(["blame", fixture, "--space", "plan"]);
    expect(stdout.split("\n")[0]).toBe("v12  2026-03-09 13:16:46Z  t7  host  plan:1  1. ~~Reproduce in a test~~ DONE");
    const lines = (await json("blame", fixture)) as { space: string; line: number; version: number }[];
    expect(lines.filter(({ space }) => space === "refs").map(({ line, version }) => [line, version])).toEqual([
      [1, 4],
      [2, 6],
      [3, 13],
      [4, 13],
      [5, 11],
    ]);
  });

  test("an empty scratchpad has nobody to blame", async () => {
    const file = await applied(newSession(), { action: "set_notes", content: "" });
    const stderr = "session-journal: the scratchpad is empty: it has no line\n";
    expect(await cli(["blame", file])).toEqual({ code: 0, stdout: "", stderr });
  });
});

describe("lost", () => {
  test("lists what was taken away, and prints one of it whole", async () => {
    const file = await tooMuch();
    const { code, stdout } = await cli(["lost", file]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^v1 .* truncated +plan +8 chars +tail ↵ end$/m);
    expect(stdout).toMatch(/^v2 .* refused +notes +5000 chars +n{10}/m);
    expect((await cli(["lost", file, "--restore", "1"])).stdout).toBe("tail\nend");
    expect((await cli(["lost", file, "--restore", "v2"])).stdout).toBe("n".repeat(5000));
    expect(await json("lost", file)).toMatchObject([
      { version: 1, reason: "truncated" },
      { version: 2, reason: "refused" },
    ]);
  });

  test("a step that is listed as unfinished can be printed whole by the version that the list names", async () => {
    const file = await applied(newSession(), { action: "set_plan", content: "- [ ] Run the tests\n- [x] Fix" });
    expect((await cli(["lost", file])).stdout).toMatch(/^v1 .* unfinished +plan +13 chars +Run the tests$/m);
    expect(await cli(["lost", file, "--restore", "v1"])).toMatchObject({ code: 0, stdout: "Run the tests" });
  });

  test("where nothing was taken away it says so", async () => {
    const file = await applied(newSession(), { action: "set_plan", content: "a" });
    expect((await cli(["lost", file])).stdout).toBe("nothing was taken away\n");
    const { code, stderr } = await cli(["lost", file, "--restore", "1"]);
    expect(code).toBe(2);
    expect(stderr).toContain("nothing was taken away at v1");
  });
});

describe("fork and spawn", () => {
  test("a fork begins with the state at a point, and leaves its parent alone", async () => {
    const file = newSession();
    copyFileSync(fixture, file);
    const child = join(dirname(file), "child.jsonl");
    const { code, stdout } = await cli(["fork", file, child, "--at", "t4"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${child} begins at v1\n` });
    expect(bytesOf(file)).toBe(bytesOf(fixture));
    const [parent] = (await json("show", file, "--at", "t4")) as [{ state: object }];
    expect(await json("show", child)).toMatchObject([{ version: 1, state: parent.state }]);
  });

  test("a spawned session begins empty, or with a copy", async () => {
    const folder = temporaryFolder();
    await cli(["spawn", fixture, join(folder, "empty.jsonl")]);
    expect(await json("show", join(folder, "empty.jsonl"))).toMatchObject([
      { version: 1, state: { notes: "", refs: [] } },
    ]);
    const [copy] = (await json("spawn", fixture, join(folder, "copy.jsonl"), "--copy")) as [
      { state: { refs: string[] } },
    ];
    expect(copy.state.refs).toHaveLength(5);
  });

  test("a session that has a history is no target", async () => {
    const target = await applied(newSession(), { action: "set_plan", content: "a" });
    const before = bytesOf(target);
    const { code, stderr } = await cli(["fork", fixture, target]);
    expect(code).toBe(2);
    expect(stderr).toContain("already holds a journal at version 1");
    expect(bytesOf(target)).toBe(before);
  });
});

test("compare says how two sessions are related, and what differs", async () => {
  const child = join(temporaryFolder(), "child.jsonl");
  await cli(["fork", fixture, child, "--at", "v7"]);
  await applied(child, { action: "set_plan", content: "another way" });
  const { code, stdout } = await cli(["compare", fixture, child]);
  expect(code).toBe(0);
  expect(stdout).toContain("b was forked from a\nshared: up to v7 of session");
  expect(stdout).toMatch(/^a: .* parted after v7 +6 events since$/m);
  expect(stdout).toMatch(/^b: .* parted after v1 +1 event since$/m);
  expect(stdout).toContain("\n+another way\n");
  expect((await cli(["compare", child, fixture])).stdout).toContain("a was forked from b");
  expect(await json("compare", fixture, fixture)).toMatchObject([{ kinship: "same", diff: { patch: [] } }]);
});

test("compare takes neither a child nor a copy for what it was made from", async () => {
  const folder = temporaryFolder();
  const [child, copy] = [join(folder, "child.jsonl"), join(folder, "copy.jsonl")];
  const foreign = join(
    import.meta.dirname,
    "../../fixtures/sessions/claude-code/2.1.330-tasks-compaction-subagent.jsonl",
  );
  await cli(["fork", fixture, child, "--at", "v1"]);
  await cli(["copy", foreign, copy]);
  const kinship = async (a: string, b: string) => (await cli(["compare", a, b])).stdout.split("\n")[0];
  expect(await kinship(child, fixture)).toBe("a was forked from b");
  expect(await kinship(fixture, child)).toBe("b was forked from a");
  expect(await kinship(copy, foreign)).toBe("a was copied from b");
  expect(await kinship(foreign, copy)).toBe("b was copied from a");
});

test("snapshot keeps the state beside the session, and never in it", async () => {
  const file = newSession();
  copyFileSync(fixture, file);
  expect(await cli(["snapshot", file])).toEqual({ code: 0, stdout: "kept v13\n", stderr: "" });
  expect(existsSync(join(dirname(file), ".session-journal", "session.jsonl.snapshot.json"))).toBe(true);
  expect(bytesOf(file)).toBe(bytesOf(fixture));
});

test("a journal that is folded by branch is not said to have a snapshot", async () => {
  const file = newSession();
  await cli(["apply", file, '{"action":"set_notes","content":"text"}', "--fold", "branch"]);
  const { code, stdout } = await cli(["snapshot", file]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("kept none: ") });
  expect(await json("snapshot", file)).toEqual([{ version: 1, hash: expect.any(String), kept: false }]);
  expect(existsSync(join(dirname(file), ".session-journal", "session.jsonl.snapshot.json"))).toBe(false);
});

test("a forged snapshot that another process keeps from being replaced is told, with a code that scripts see", async () => {
  const file = newSession();
  copyFileSync(fixture, file);
  await cli(["snapshot", file]);
  const kept = join(dirname(file), ".session-journal", "session.jsonl.snapshot.json");
  writeFileSync(kept, readFileSync(kept, "utf8").replaceAll("auth", "AUTH"));
  writeFileSync(`${kept}.tmp`, "half a snap");
  const none = await cli(["snapshot", file]);
  expect(none).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^kept none, and the one .* forged: another process/),
  });
  fs.rmSync(`${kept}.tmp`);
  expect(await cli(["snapshot", file])).toMatchObject({ code: 0, stdout: expect.stringContaining("in the place of") });
});

describe("doctor", () => {
  test("says which runtime wrote what, and changes nothing", async () => {
    const file = newSession();
    copyFileSync(fixture, file);
    await applied(file, { action: "set_plan", content: "a" });
    const before = bytesOf(file);
    const { code, stdout } = await cli(["doctor", file]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}session-journal +1 event +v14 +agent$/m);
    expect(stdout).toMatch(/^ {2}a runtime with three keys +12 events {2}v2 to v13 +host$/m);
    expect(stdout).toMatch(/^ {2}a runtime with the single key +1 event +v1 +host$/m);
    expect(bytesOf(file)).toBe(before);
  });

  test("says what is wrong and what to do about it", async () => {
    const file = await applied(newSession(), { action: "set_plan", content: "ship" });
    writeFileSync(file, bytesOf(file).replace('"text":"ship"', '"text":"skip"'));
    const { code, stdout } = await cli(["doctor", file]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ {2}damage {2}hash +line 2 /m);
    expect(stdout).toMatch(/^ {2}hash: a commit was changed after it was written/m);
  });

  test("says when another runtime goes on writing", async () => {
    const file = await applied(newSession(), { action: "set_plan", content: "ours" });
    const theirs = { type: "custom", customType: "openclaw:scratchpad:plan", data: "theirs", id: "0badcafe" };
    writeFileSync(
      file,
      `${bytesOf(file)}${JSON.stringify({ ...theirs, parentId: null, timestamp: "2026-03-09T13:00:00Z" })}\n`,
    );
    expect((await cli(["doctor", file])).stdout).toContain("another runtime goes on writing whole values");
  });
});

describe("report", () => {
  test("a place that cannot be written or read is named with what to do", async () => {
    const folder = temporaryFolder();
    const nowhere = join(folder, "nowhere", "audit.html");
    for (const [target, reason] of [
      [nowhere, `cannot write ${nowhere} (ENOENT): check that its folder exists`],
      [folder, `${folder} is a folder: name a file in it`],
    ] as const) {
      const { code, stderr } = await cli(["report", fixture, "-o", target]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(reason) });
    }
  });

  test.skipIf(process.platform === "win32")("takes the place of no pipe and no device", async () => {
    const socket = join(temporaryFolder(), "socket");
    const server = createServer().listen(socket);
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { code, stderr } = await cli(["report", fixture, "-o", socket]);
    const advice = "is no plain file (a pipe, socket or device): name a file, or - for standard output";
    expect([code, stderr]).toEqual([2, `session-journal: ${socket} ${advice}\n`]);
  });

  test("is one file, and may replace an older report but no session", async () => {
    const page = join(temporaryFolder(), "audit.html");
    expect(await cli(["report", fixture, "-o", page])).toEqual({ code: 0, stdout: `${page}: 13 events\n`, stderr: "" });
    expect(readFileSync(page, "utf8")).toMatch(/^<!doctype html>/);
    expect((await cli(["report", fixture, "-o", page])).code).toBe(0);
    const session = newSession();
    copyFileSync(fixture, session);
    const { code, stderr } = await cli(["report", session, "-o", session]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `session-journal: ${session} is not a report: name another file\n`,
    });
    expect(bytesOf(session)).toBe(bytesOf(fixture));
    expect((await cli(["report", session])).stderr).toContain("-o FILE is missing");
  });
});

test("a report goes to standard output where - is asked for, and makes no file of that name", async () => {
  const { code, stdout } = await cli(["report", fixture, "-o", "-"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^<!doctype html>[\s\S]*<\/html>\s*$/i);
  expect(existsSync("-")).toBe(false);
});

test("verify takes a kept hash in capitals", async () => {
  const file = await applied(newSession(), { action: "set_plan", content: "a" });
  const [{ head }] = (await json("verify", file)) as [{ head: { hash: string } }];
  expect((await cli(["verify", file, "--head", head.hash.toUpperCase(), "--at", "1"])).code).toBe(0);
});

test("a report holds the history of a journal and what verification found in it", async () => {
  const file = await applied(
    newSession(),
    { action: "set_plan", content: "ship" },
    { action: "set_notes", content: "n" },
  );
  const page = join(dirname(file), "audit.html");
  const dataOf = async () => {
    expect((await cli(["report", file, "-o", page])).code).toBe(0);
    const [, data = ""] =
      /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(readFileSync(page, "utf8")) ?? [];
    return JSON.parse(data) as { verification: { findings: { kind: string }[] }; history: { events: unknown[] } };
  };
  expect(await dataOf()).toMatchObject({ verification: { ok: true, findings: [] }, history: { events: [{}, {}] } });
  writeFileSync(file, bytesOf(file).replace('"text":"ship"', '"text":"skip"'));
  const { verification } = await dataOf();
  expect(verification).toMatchObject({ ok: false });
  expect(verification.findings.map(({ kind }) => kind)).toContain("hash");
});

test("lost tells what another actor took, with both names, and with --all what authors took themselves", async () => {
  const file = join(temporaryFolder(), "session.jsonl");
  await applied(file, { action: "set_notes", content: "port 8080\nkeep", actor: "ann" });
  await applied(file, { action: "set_notes", content: "keep", actor: "bob" });
  await applied(file, { action: "set_notes", content: "", actor: "ann" });
  await applied(file, { action: "set_plan", content: "1. one\n2. two", actor: "ann" });
  await applied(file, { action: "set_plan", content: "1. ~~one~~ DONE\n2. three", actor: "ann" });
  expect(await json("lost", file)).toMatchObject([
    { version: 2, actor: "bob", author: "ann", reason: "removed", space: "notes", text: "port 8080" },
    { version: 5, actor: "ann", author: "ann", reason: "dropped", space: "plan", text: "two" },
    { version: 5, actor: "ann", reason: "unfinished", space: "plan", text: "three" },
  ]);
  const all = await json("lost", file, "--all");
  expect(all.map((loss) => (loss as { reason: string }).reason)).toEqual([
    ...["removed", "removed", "replaced", "dropped", "unfinished"],
  ]);
  const { stdout } = await cli(["lost", file]);
  expect(stdout).toMatch(/^v2 +\S+ \S+ +t0 +bob +removed +of ann +notes +9 chars +port 8080$/m);
  expect((await cli(["lost", file, "--restore", "v2"])).stdout).toBe("port 8080");
  expect((await cli(["lost", file, "--restore", "v5", "--all"])).stdout).toBe("2. two");
  expect((await cli(["lost", file, "--restore", "v5"])).stdout).toBe("two");
});

test("ls lists the sessions that hold a scratchpad", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "project"));
  copyFileSync(fixture, join(folder, "project", "old.jsonl"));
  await applied(join(folder, "new.jsonl"), { action: "set_plan", content: "a", actor: "ana" });
  writeFileSync(join(folder, "other.jsonl"), '{"not":"a session"}\n');
  writeFileSync(
    join(folder, "empty.jsonl"),
    '{"type":"session","version":3,"id":"x","timestamp":"2026-03-09T13:00:00Z","cwd":"/"}\n',
  );
  const { code, stdout } = await cli(["ls", folder]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^v1 +\d{4}-.*Z {2}t0 {2}ana +\S+new\.jsonl\nv13 {2}2026-03-09 13:18:36Z {2}t9 {2}host {2}\S+old\.jsonl {2}3 of 5 done\n$/,
  );
  expect(await json("ls", folder)).toMatchObject([
    { version: 1, actor: "ana" },
    { version: 13, turn: 9 },
  ]);
});

test("a report may have as long a name as the disk allows", async () => {
  const page = join(temporaryFolder(), `${"a".repeat(245)}.html`);
  expect((await cli(["report", fixture, "-o", page])).code).toBe(0);
  expect(fs.existsSync(page)).toBe(true);
});

test.runIf(process.platform !== "win32")("a report that cannot be written leaves the older one as it was", async () => {
  const folder = temporaryFolder();
  const page = join(folder, "audit.html");
  await cli(["report", fixture, "-o", page]);
  fs.chmodSync(page, 0o640);
  const before = bytesOf(page);
  const file = await applied(newSession(), { action: "set_notes", content: "new" });
  const full = Object.assign(new Error("no space left"), { code: "ENOSPC", syscall: "write" });
  const renamed = vi.spyOn(fs, "renameSync").mockImplementation(() => {
    throw full;
  });
  const { code, stderr } = await cli(["report", file, "-o", page]);
  renamed.mockRestore();
  expect([code, stderr]).toEqual([2, expect.stringContaining(`cannot write ${page} (ENOSPC)`)]);
  expect([bytesOf(page), fs.readdirSync(folder)]).toEqual([before, ["audit.html"]]);
  const link = join(temporaryFolder(), "link.html");
  fs.symlinkSync(page, link);
  expect((await cli(["report", file, "-o", link])).code).toBe(0);
  expect(bytesOf(page)).not.toBe(before);
  expect([fs.lstatSync(link).isSymbolicLink(), fs.statSync(page).mode & 0o777]).toEqual([true, 0o640]);
});
