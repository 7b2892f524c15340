import fs from "node:fs";
import { get } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ListNews } from "../../../src/audit/report/listed-session.ts";
import { type PackedHistory, unpackHistory } from "../../../src/audit/report/pack.ts";
import type { ReportData } from "../../../src/audit/report/render.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { fixture, root } from "../cli.ts";
import { ask, folder, listen, runView } from "./running-view.ts";

/** A home in which Claude Code and a journal of ours lie, in a folder called `work`. */
function homeWithSessions() {
  const home = folder();
  const projects = path.join(home, ".claude", "projects", "-home-dev-work");
  fs.mkdirSync(projects, { recursive: true });
  const claude = path.join(projects, "4f8c1176-7025-4530-a860-c6fc4c63a150.jsonl");
  fs.copyFileSync(path.join(root, "fixtures/sessions/claude-code/2.1.39-tasks-compaction.jsonl"), claude);
  const pi = path.join(home, ".pi", "agent", "sessions", "work", "session.jsonl");
  fs.mkdirSync(path.dirname(pi), { recursive: true });
  fs.copyFileSync(fixture, pi);
  return { home, claude, pi };
}

/** Every file with its bytes and times. */
function contentOf(home: string): Record<string, string> {
  const files = fs.readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return [file, `${fs.statSync(file).mtimeMs} ${fs.readFileSync(file, "base64")}`];
    }),
  );
}

test("nobody is answered without the token, under another name, from another origin, or who wants to change something", async () => {
  const { home } = homeWithSessions();
  const { url, end } = await runView(["--all"], { HOME: home });
  const page = await ask(url);
  expect(page.status).toBe(200);
  expect(page.text).toContain("<!doctype html>");

  const without = new URL(url.origin);
  const wrong = new URL(url);
  wrong.searchParams.set("token", "x".repeat(32));
  for (const refused of [without, wrong, new URL("/sessions", url), new URL("/session?key=x", url)]) {
    expect((await ask(refused)).status).toBe(401);
  }
  for (const path of ["/", "/sessions", "/session"]) {
    const there = new URL(path + url.search, url);
    expect((await ask(there, { host: `rebound.example:${url.port}` })).status).toBe(403);
    expect((await ask(there, { host: "127.0.0.1" })).status).toBe(403);
    expect((await ask(there, { origin: "https://evil.example" })).status).toBe(403);
    expect((await ask(there, { origin: "null" })).status).toBe(403);
    expect((await ask(there, {}, "POST")).status).toBe(405);
  }
  expect((await ask(new URL(`/../../etc/passwd${url.search}`, url))).status).toBe(404);
  expect(await end()).toBe(0);
  await expect(ask(url)).rejects.toThrow("ECONNREFUSED");
});

test("a path that is none of a URL is one at which nothing is, and ends nothing", async () => {
  const { url, end } = await runView(["--all"], { HOME: folder() });
  for (const path of [`//${url.search}`, `http://[${url.search}`]) {
    const status = new Promise((resolve, reject) => {
      const request = get(url, { path, agent: false }, (response) => resolve(response.resume().statusCode));
      request.on("error", reject);
    });
    expect([path, await status]).toEqual([path, 404]);
  }
  expect(await end()).toBe(0);
});

test("the page may run its own script alone, ask its own server alone, and be read by no other page", async () => {
  const { home } = homeWithSessions();
  const { url } = await runView([], { HOME: home });
  const { headers } = await ask(url);
  const policy = String(headers["content-security-policy"]);
  for (const rule of ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "trusted-types 'none'"]) {
    expect(policy).toContain(rule);
  }
  expect(policy).not.toContain("unsafe");
  expect(headers["access-control-allow-origin"]).toBeUndefined();
  expect(headers["referrer-policy"]).toBe("no-referrer");
  expect(headers["cache-control"]).toBe("no-store");
});

test("only the loopback address is listened on", async () => {
  const { url } = await runView([], { HOME: folder() });
  const others = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.filter(({ internal, family }) => !internal && family === "IPv4").map(({ address }) => address),
  );
  for (const host of ["127.0.0.2", ...others]) {
    const reached = await new Promise<boolean>((resolve) => {
      const socket = connect({ host, port: Number(url.port) });
      socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
      onTestFinished(() => void socket.destroy());
    });
    expect(reached, host).toBe(false);
  }
});

test("the sessions of all clients are listed, and looking at them writes nothing", async () => {
  const { home, claude, pi } = homeWithSessions();
  const before = contentOf(home);
  const { url } = await runView(["--all"], { HOME: home });
  const rows = new Map<string, ListNews["rows"][number]>();
  await listen(url, "/sessions").until("sessions", (value) => {
    const news = value as ListNews;
    for (const row of news.rows) rows.set(row.where, row);
    return news.isWhole;
  });
  expect(rows.get(claude)).toMatchObject({ title: "Claude Code", progress: { done: 4, total: 5 } });
  expect(rows.get(pi)).toMatchObject({ title: "pi" });
  for (const { key } of rows.values()) {
    const session = listen(url, "/session", { key });
    expect((await session.until("report")) as ReportData).toHaveProperty("history");
    expect((await session.until("about")) as ReportData).toMatchObject({ verification: { ok: true } });
  }
  expect(contentOf(home)).toEqual(before);
});

test("what somebody writes is told as it happens: in the list, and event by event in the session", async () => {
  const file = path.join(folder(), "session.jsonl");
  const journal = await openJournal(file);
  onTestFinished(() => journal.close());
  await journal.plan.set("- [>] Look\n- [ ] Leap");
  const { url } = await runView([file], { HOME: folder() });
  const list = listen(url, "/sessions");
  const { rows } = (await list.until("sessions", (value) => (value as ListNews).rows.length > 0)) as ListNews;
  expect(rows).toMatchObject([{ where: file, version: 1, progress: { done: 0, total: 2 } }]);
  const session = listen(url, "/session", { key: rows[0]?.key ?? "" });
  expect(unpackHistory(((await session.next()).value as ReportData).history)).toMatchObject([{ version: 1 }]);

  await journal.notes.set("seen");
  const [noted] = unpackHistory((await session.until("grown")) as PackedHistory);
  expect(noted).toMatchObject({ version: 2, actor: "agent", event: { type: "notes.set", text: "seen" } });
  await journal.plan.set("- [x] Look\n- [ ] Leap");
  await list.until("sessions", (value) => (value as ListNews).rows[0]?.progress?.done === 1);

  const compaction = { type: "compaction", id: "c1", parentId: null, timestamp: new Date(0).toISOString() };
  fs.appendFileSync(file, `${JSON.stringify({ ...compaction, tokensBefore: 7 })}\n`);
  const about = await session.until("about", (value) => (value as ReportData).marks.length > 0);
  expect((about as ReportData).marks).toContainEqual(expect.objectContaining({ marker: "compaction" }));

  fs.copyFileSync(fixture, `${file}.new`);
  fs.renameSync(`${file}.new`, file);
  await session.until("report", (value) => (value as ReportData).session !== undefined);
});

test("what is no key of the list opens nothing, above all no path", async () => {
  const { home, claude } = homeWithSessions();
  const { url } = await runView(["--all"], { HOME: home });
  for (const key of [claude, "../../etc/passwd", "__proto__", ""]) {
    expect(await listen(url, "/session", { key }).next()).toMatchObject({ name: "failed" });
  }
});

test("a folder shows the journals in it, and one that is made later", async () => {
  const place = folder();
  fs.mkdirSync(path.join(place, "a"));
  const first = await openJournal(path.join(place, "a", "one.jsonl"));
  onTestFinished(() => first.close());
  await first.notes.set("one");
  const { url } = await runView([place], { HOME: folder() });
  const list = listen(url, "/sessions");
  await list.until("sessions", (value) => (value as ListNews).isWhole);
  const second = await openJournal(path.join(place, "two.jsonl"));
  onTestFinished(() => second.close());
  await second.notes.set("two");
  await list.until("sessions", (value) => (value as ListNews).rows.some(({ where }) => where.endsWith("two.jsonl")));
});

test("a folder shows the sessions of other clients whose files lie in it, as ls does, and opens them", async () => {
  const place = folder();
  fs.mkdirSync(path.join(place, "handed-over"));
  const file = path.join(place, "handed-over", "claude-code.jsonl");
  fs.copyFileSync(path.join(root, "fixtures/sessions/claude-code/2.1.39-tasks-compaction.jsonl"), file);
  fs.copyFileSync(fixture, path.join(place, "pi.jsonl"));
  const { url } = await runView([place], { HOME: folder() });
  const rows = new Map<string, ListNews["rows"][number]>();
  await listen(url, "/sessions").until("sessions", (value) => {
    for (const row of (value as ListNews).rows) rows.set(row.where, row);
    return (value as ListNews).isWhole;
  });
  expect([...rows.values()].map(({ where, turns }) => [path.relative(place, where), turns]).sort()).toEqual([
    [path.join("handed-over", "claude-code.jsonl"), 1],
    ["pi.jsonl", 9],
  ]);
  const { name } = await listen(url, "/session", { key: rows.get(file)?.key ?? "" }).next();
  expect(name).not.toBe("failed");
});

test.each([
  [["nowhere.jsonl"], "nowhere.jsonl"],
  [["--port", "99999"], "--port"],
  [[root, "--all"], "leave out --all"],
])("%j is refused before a page is served", async (words, reason) => {
  await expect(runView(words, { HOME: folder() })).rejects.toThrow(reason);
});
