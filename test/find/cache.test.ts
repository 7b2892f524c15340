import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { findSessions } from "../../src/find/find-sessions.ts";
import { claudeSession, Home } from "./home.ts";

const folder = ".claude/projects/-a";

function withCache() {
  const home = new Home();
  const cache = path.join(home.path, "cache", "session-journal", "sessions.json");
  const clock = () => new Date(Date.now() + 60_000);
  const options = home.options({ all: true, clock, env: { XDG_CACHE_HOME: path.join(home.path, "cache") } });
  return { home, cache, options };
}

async function messages(options: Parameters<typeof findSessions>[0]): Promise<(string | undefined)[]> {
  return (await findSessions(options)).map(({ firstMessage }) => firstMessage);
}

test("what is remembered is for the user alone, and is what a second look shows", async () => {
  const { home, cache, options } = withCache();
  home.put(`${folder}/s1.jsonl`, claudeSession("s1", "/a", "Before"));
  expect(await messages(options)).toEqual(["Before"]);
  expect(fs.statSync(cache).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(path.dirname(cache))).toEqual(["sessions.json"]);
  fs.writeFileSync(cache, fs.readFileSync(cache, "utf8").replace("Before", "Kept"));
  expect(await messages(options)).toEqual(["Kept"]);
  expect(await messages({ ...options, cache: false })).toEqual(["Before"]);
});

test("a file that was changed, replaced or taken away is not remembered as it was", async () => {
  const { home, cache, options } = withCache();
  const file = home.put(`${folder}/s1.jsonl`, claudeSession("s1", "/a", "Before"));
  const { mtime } = fs.statSync(file);
  await findSessions(options);
  fs.rmSync(file);
  fs.writeFileSync(path.join(home.path, "other"), "");
  fs.writeFileSync(file, claudeSession("s1", "/a", "Behind"));
  fs.utimesSync(file, mtime, mtime);
  expect(fs.statSync(file).size).toBe(claudeSession("s1", "/a", "Before").length);
  expect(await messages(options)).toEqual(["Behind"]);
  fs.rmSync(file);
  home.put(`${folder}/s2.jsonl`, claudeSession("s2", "/a", "Other"));
  expect(await messages(options)).toEqual(["Other"]);
  expect(Object.keys(JSON.parse(fs.readFileSync(cache, "utf8")).files)).toHaveLength(1);
});

test("a file that was changed a moment ago is not remembered: it may change again without a new time", async () => {
  const { home, cache, options } = withCache();
  const file = home.put(`${folder}/s1.jsonl`, claudeSession("s1", "/a", "Before"));
  const { ctimeMs } = fs.statSync(file);
  await findSessions({ ...options, clock: () => new Date(ctimeMs + 500) });
  expect(JSON.parse(fs.readFileSync(cache, "utf8")).files).toEqual({});
});

test.each([
  ["its first lines", 0],
  ["the whole of it", 1],
])("a session that could not be read for once, %s, is not taken for none from then on", async (_, readable) => {
  const { home, options } = withCache();
  const file = home.put(`${folder}/s1.jsonl`, claudeSession("s1", "/a", "Here"));
  const { openSync } = fs;
  let opened = 0;
  const failing = vi.spyOn(fs, "openSync").mockImplementation((where, ...rest) => {
    if (where === file && opened++ >= readable) throw Object.assign(new Error("EMFILE"), { code: "EMFILE" });
    return openSync(where, ...rest);
  });
  onTestFinished(() => failing.mockRestore());
  expect(await messages(options)).toEqual([]);
  expect(opened).toBeGreaterThan(readable);
  failing.mockRestore();
  expect(await messages(options)).toEqual(["Here"]);
});

test.each([
  ["nothing", ""],
  ["half of it", '{"form":5,"files":{"/a":{"si'],
  [
    "what an older version read",
    '{"form":4,"files":{"FILE":{"size":SIZE,"mtimeMs":TIME,"ctimeMs":CHANGE,"ino":INO,"head":{"session":"s1","cwd":"/a"},"summary":{"version":1,"turns":1,"firstMessage":"Of old"}}}}',
  ],
  ["no object", "[1]"],
  [
    "wrong types",
    '{"form":5,"files":{"FILE":{"size":SIZE,"mtimeMs":TIME,"ctimeMs":CHANGE,"ino":INO,"head":{"session":1},"summary":7}}}',
  ],
  [
    "wrong types within",
    '{"form":5,"files":{"FILE":{"size":SIZE,"mtimeMs":TIME,"ctimeMs":CHANGE,"ino":INO,"head":{"session":"s"},"summary":{"version":1,"turns":1,"progress":{"done":"x"}}}}}',
  ],
])("a cache that holds %s is passed over", async (_, text) => {
  const { home, cache, options } = withCache();
  const file = home.put(`${folder}/s1.jsonl`, claudeSession("s1", "/a", "Before"));
  const { size, mtimeMs, ctimeMs, ino } = fs.statSync(file);
  fs.mkdirSync(path.dirname(cache), { recursive: true });
  const written = text
    .replace("FILE", file)
    .replace("SIZE", `${size}`)
    .replace("TIME", `${mtimeMs}`)
    .replace("CHANGE", `${ctimeMs}`)
    .replace("INO", `${ino}`);
  fs.writeFileSync(cache, written);
  expect(await messages(options)).toEqual(["Before"]);
});

test("a cache folder that cannot be made is done without", async () => {
  const { home, options } = withCache();
  home.put(`${folder}/s1.jsonl`, claudeSession("s1", "/a", "Before"));
  home.put("cache", "a file stands in the way");
  expect(await messages(options)).toEqual(["Before"]);
});

test("sessions are found where the system lets nobody make a cache folder, as in /proc", async () => {
  const { home, options } = withCache();
  home.put(`${folder}/s1.jsonl`, claudeSession("s1", "/a", "Before"));
  const makes = vi.spyOn(fs, "mkdirSync").mockImplementation((where) => {
    throw Object.assign(new Error(`ENOENT: no such file or directory, mkdir '${where}'`), { code: "ENOENT" });
  });
  onTestFinished(() => makes.mockRestore());
  expect(await messages(options)).toEqual(["Before"]);
  // Node's recursive way never ends there.
  expect(makes.mock.calls).toEqual([[path.join(home.path, "cache"), { mode: 0o700 }]]);
});
