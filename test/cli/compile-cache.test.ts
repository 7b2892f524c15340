import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import nodeModule from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compiledFolder } from "../../src/cli/compile-cache.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { fixture, root, temporaryFolder, withoutProgress } from "./cli.ts";

const command = join(root, "dist", "command", "cli.cjs");

function show(caches: string) {
  const env = { ...process.env, XDG_CACHE_HOME: caches, NODE_COMPILE_CACHE: undefined };
  const options = { encoding: "utf8", env, timeout: 20_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, "show", fixture], options);
  return { status, stdout, stderr: withoutProgress(stderr) };
}

test("compiled code lands in a folder that others can write", () => {
  expect(compiledFolder({ HOME: "/home/a" }, "linux")).toBe("/home/a/.cache/session-journal/compiled");
  expect(compiledFolder({ HOME: "/home/a", XDG_CACHE_HOME: "/c" }, "linux")).toBe("/c/session-journal/compiled");
  expect(compiledFolder({ LOCALAPPDATA: "C:\\local" }, "win32")).toBe("C:\\local/session-journal/compiled");
  expect(compiledFolder({}, "linux")).toBeUndefined();
  expect(compiledFolder({ XDG_CACHE_HOME: "relative" }, "linux")).toBeUndefined();
});

test("a folder that cannot be written breaks the command", () => {
  const file = join(temporaryFolder(), "no-folder");
  writeFileSync(file, "");
  expect(show(file)).toMatchObject({ status: 0, stderr: "", stdout: expect.stringContaining("v13 · turn 9") });
});

test("a folder in which the system makes nothing hangs the command", () => {
  // As in some homes that are mounted on demand. On other systems it is a folder that is not there.
  expect(show("/proc/session-journal-none")).toMatchObject({ status: 0, stderr: "" });
});

test("nothing compiled is kept where Node can keep it", () => {
  const caches = temporaryFolder();
  expect(show(caches)).toMatchObject({ status: 0, stderr: "" });
  const folder = join(caches, "session-journal", "compiled");
  const kept = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
  expect(kept.length > 0).toBe("enableCompileCache" in nodeModule);
});

test("showing a session that has its snapshot loads what computes digests, which takes as long as all of the rest", async () => {
  const file = join(temporaryFolder(), "session.jsonl");
  const journal = await openJournal(file);
  await journal.notes.set("kept");
  await journal.snapshot();
  await journal.close();
  const tell = "data:text/javascript,process.on('exit', () => console.error(process.moduleLoadList.join()))";
  const { stdout, stderr } = spawnSync(process.execPath, ["--import", tell, command, "show", file], {
    encoding: "utf8",
  });
  expect(stdout).toContain("kept");
  expect(stderr).toContain("NativeModule diagnostics_channel,");
  expect(stderr.split(",")).not.toContain("NativeModule crypto");
});

test("showing a session loads the code that only writers need", () => {
  const tell =
    "data:text/javascript,import m from 'node:module';process.on('exit', () => console.error(Object.keys(m._cache).join('\\n')))";
  const loadedBy = (...words: string[]) =>
    spawnSync(process.execPath, ["--import", tell, command, ...words], { encoding: "utf8" }).stderr;
  const file = join(temporaryFolder(), "session.jsonl");
  expect(loadedBy("apply", file, '{"action":"set_notes","content":"kept"}')).toMatch(/[\\/]writing-[^\\/]*\.cjs$/m);
  const loaded = loadedBy("show", file);
  expect(loaded).toMatch(/[\\/]core-[^\\/]*\.cjs$/m);
  expect(loaded).not.toMatch(/[\\/]writing-[^\\/]*\.cjs$/m);
});
