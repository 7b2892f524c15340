import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeFolders } from "../src/make-folders.ts";
import { temporaryFolder } from "./cli/cli.ts";

test("the topmost folder that was missing is named, and none where all were there", () => {
  const folder = temporaryFolder();
  const wanted = path.join(folder, "a", "b", "c");
  expect(makeFolders(wanted, 0o700)).toBe(path.join(folder, "a"));
  expect(fs.statSync(wanted).mode & 0o777).toBe(0o700);
  expect(makeFolders(wanted)).toBeUndefined();
});

test("a file in a folder's place is an error", () => {
  const file = path.join(temporaryFolder(), "file");
  fs.writeFileSync(file, "");
  expect(() => makeFolders(file)).toThrow("EEXIST");
  expect(() => makeFolders(path.join(file, "a"))).toThrow(/ENOTDIR|EEXIST/);
});

test("a folder in which the system finds no place for another ends in an error, and not never", () => {
  const folder = temporaryFolder();
  // Node's recursive way would ask for ever, and cannot be interrupted.
  const asked = vi.spyOn(fs, "mkdirSync").mockImplementation((where) => {
    throw Object.assign(new Error(`ENOENT: no such file or directory, mkdir '${where}'`), { code: "ENOENT" });
  });
  onTestFinished(() => asked.mockRestore());
  expect(() => makeFolders(path.join(folder, "a", "b"))).toThrow("ENOENT");
  expect(asked.mock.calls).toEqual([[path.join(folder, "a"), {}]]);
});
