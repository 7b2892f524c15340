/** The log that docs/writing-a-log.md builds, as printed there, keeps every promise of the port. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Log } from "../../src/stream/log.ts";
import { testLog } from "../../src/testing/log-conformance.ts";

const root = path.resolve(import.meta.dirname, "../..");
const page = fs.readFileSync(path.join(root, "docs", "writing-a-log.md"), "utf8");
const [, printed = ""] = /```ts\n(import \{ type Log[\s\S]*?)```/.exec(page) ?? [];
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-log-"));
const linesMax = 80;

type MapLog = new (sessions: Map<string, string[]>, id: string) => Log;
let Printed: MapLog;

beforeAll(async () => {
  const file = path.join(folder, "log.ts");
  const from = JSON.stringify(pathToFileURL(path.join(root, "src", "index.ts")).href);
  fs.writeFileSync(file, `${printed.replace('"session-journal"', from)}\nexport { MapLog };\n`);
  ({ MapLog: Printed } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { MapLog: MapLog });
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test("it takes no more lines than it says", () => {
  expect(printed.split("\n").length).toBeGreaterThan(20);
  expect(printed.split("\n").length).toBeLessThanOrEqual(linesMax);
});

let count = 0;
describe("unshared", () => {
  testLog({ test, createLog: () => new Printed(new Map(), `s${++count}`) });
});

describe("shared", () => {
  const sessions = new Map<string, string[]>();
  const idOf = (log: Log): string => log.where.slice("map:".length);
  testLog({
    test,
    createLog: () => new Printed(sessions, `s${++count}`),
    openAgain: (log) => new Printed(sessions, idOf(log)),
  });
});
