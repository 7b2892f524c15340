import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { findDriver } from "../../../src/store/sqlite/drivers.ts";
import { program } from "../process/spawn.ts";

const hosts = path.resolve(import.meta.dirname, "../../hosts");
const clients = JSON.parse(fs.readFileSync(path.join(hosts, "clients.json"), "utf8")) as { node: string | null }[];

afterEach(() => {
  vi.restoreAllMocks();
  vi.doUnmock("libsql");
});

test("where Node brings SQLite, journals keep every promise with it", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-drivers-"));
  const conform = await program("conform.ts");
  onTestFinished(() => {
    conform.remove();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  const newer = clients.find(({ node }) => node !== null)?.node ?? "";
  const { driver, inDatabase } = JSON.parse(await conform.runIn(path.join(hosts, newer), folder));
  expect([driver, inDatabase > 20]).toEqual(["node:sqlite", true]);
});

/** This runtime, with these modules built in and no others of SQLite's. */
function withBuiltins(modules: Readonly<Record<string, () => object>>): void {
  vi.spyOn(process, "getBuiltinModule").mockImplementation(((name: string) => modules[name]?.()) as never);
}

class Connection {
  prepare = () => undefined;
  exec = () => undefined;
  close = () => undefined;
}

class WithoutUris extends Connection {
  constructor() {
    super();
    throw new Error("unable to open database file");
  }
}

class WithoutSearch extends Connection {
  override exec = () => {
    throw new Error("no such module: fts5");
  };
}

test.each([
  [
    "bun:sqlite",
    { "bun:sqlite": () => ({ Database: Connection }), "node:sqlite": () => ({ DatabaseSync: Connection }) },
  ],
  ["node:sqlite", { "node:sqlite": () => ({ DatabaseSync: Connection }) }],
  ["libsql", { "node:sqlite": () => ({ DatabaseSync: WithoutUris }) }],
  ["libsql", { "node:sqlite": () => ({ DatabaseSync: WithoutSearch }) }],
  ["libsql", {}],
] as const)("%s is taken where it is the first that has what a journal needs", async (name, modules) => {
  withBuiltins(modules);
  expect((await findDriver()).name).toBe(name);
});

test("nobody is warned that Node calls its SQLite experimental, and everybody of all else", async () => {
  const emitted = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  withBuiltins({
    "node:sqlite": () => {
      process.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning");
      return { DatabaseSync: Connection };
    },
  });
  await findDriver();
  expect(emitted).not.toHaveBeenCalled();
  process.emitWarning("something else");
  expect(emitted).toHaveBeenCalledOnce();
});

test("who has no SQLite at all is told the ways to get one", async () => {
  withBuiltins({});
  vi.doMock("libsql", () => {
    throw new Error("not installed");
  });
  await expect(findDriver()).rejects.toThrow(/npm install libsql`, with --global if .*Node 22\.16/);
});
