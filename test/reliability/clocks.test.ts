/** Clocks that differ, step back and forth, or show the same time after a rewrite: no promise hangs on one. */
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { sidePaths } from "../../src/store/session-file/session-path.ts";
import { type Program, program } from "../store/process/spawn.ts";
import { linesOf, useFolder, valuesIn } from "../store/session-file/folder.ts";
import { verifyFile } from "../store/session-file/verify-file.ts";
import { isFull, recordResult } from "./results.ts";

const folder = useFolder();
const suite = "reliability/clocks.test.ts";
const event = { event: { type: "notes.set", text: "mine" }, actor: "agent" } as const;
const hangsMs = 20_000;

let writer: Program;
beforeAll(async () => {
  writer = await program("acknowledge.ts");
});
afterAll(() => writer.remove());

afterEach(() => {
  vi.restoreAllMocks();
});

const writers = ["w0", "w1", "w2", "w3"];
const appendsEach = isFull ? 500 : 15;

describe.each(["always", "off"])("lock %s", (mode) => {
  test("writers whose clocks are days apart and step during every hold lose nothing and repeat nothing", async () => {
    const { file, user } = withUser();
    user();
    const skewed = path.join(import.meta.dirname, "skewed-clock.mjs");
    const printed = await Promise.all(
      writers.map(async (name) => {
        const given = ["--import", skewed, writer.file, file, name, "0", String(appendsEach), mode];
        return (await promisify(execFile)(process.execPath, given)).stdout;
      }),
    );
    const reader = folder.reader(file, { readonly: true });
    await reader.catchUp();
    expect(reader.events.map(({ version }) => version)).toEqual(reader.events.map((_, index) => index + 1));
    for (const [index, name] of writers.entries()) {
      const commands = reader.events.flatMap(({ actor, command }) => (actor === name ? (command ?? []) : []));
      expect(commands).toEqual(printed[index]?.trimEnd().split("\n"));
      expect(commands).toHaveLength(appendsEach);
    }
    const days = new Set(reader.events.map(({ at }) => at.slice(0, 10)));
    expect(days.size).toBeGreaterThan(1);
    expect(valuesIn(file)).toMatchObject({ notes: reader.state.notes });
    expect(await verifyFile(file)).toMatchObject({ ok: true });
    recordResult({
      suite,
      claim: `clocks up to a day apart that step every 10 ms, also while the lock is held (lock ${mode === "off" ? "off" : "on"})`,
      size: `${writers.length} writers, ${appendsEach} appends each`,
      outcome: `0 lost, 0 twice, order kept; times of ${days.size} days in one history`,
    });
  }, 600_000);
});

function withUser() {
  const session = folder.session();
  return { file: session.file, user: () => session.user("hello") };
}

/** Each look at it shows an earlier time, an hour back in all at the tenth. */
function stepBack(): void {
  const real = Date.now;
  let looks = 0;
  vi.spyOn(Date, "now").mockImplementation(() => {
    looks += 1;
    return real() - looks * 6 * 60 * 1000;
  });
}

describe("a clock that steps back while somebody waits", () => {
  test("for a lock that its holder left behind: the writer goes on without", { timeout: hangsMs }, async () => {
    const { file } = folder.session();
    const { lock } = sidePaths(file);
    fs.mkdirSync(lock, { recursive: true });
    stepBack();
    const reader = folder.reader(file);
    await reader.append(event);
    expect(reader.state.notes).toBe("mine");
  });

  test("for the lock file of an older host: the writer goes on without", { timeout: hangsMs }, async () => {
    const { file } = folder.session();
    fs.writeFileSync(sidePaths(file).hostLock, JSON.stringify({ pid: process.pid }));
    stepBack();
    const reader = folder.reader(file);
    await reader.append(event);
    expect(reader.state.notes).toBe("mine");
  });

  test("for the header of a file that is still empty: it is made", { timeout: hangsMs }, async () => {
    const file = folder.path("empty.jsonl");
    fs.writeFileSync(file, "");
    stepBack();
    const reader = folder.reader(file);
    await reader.append(event);
    expect(linesOf(file)[0]).toMatchObject({ type: "session" });
  });

  test("for a history that got shorter: it is believed in the end", { timeout: hangsMs }, async () => {
    const { file } = folder.session();
    const header = fs.readFileSync(file);
    await folder.reader(file).append(event, event);
    const reader = folder.reader(file, { readonly: true });
    await reader.catchUp();
    fs.writeFileSync(file, header);
    stepBack();
    await reader.catchUp();
    expect([reader.events.length, reader.resets]).toEqual([0, 1]);
  });
});

describe("a rewrite that leaves size and times as they were", () => {
  async function rewritten() {
    const { file } = folder.session();
    const writer = await openJournal(file, { durability: "os" });
    await writer.notes.set("before the rewrite");
    await writer.snapshot();
    await writer.close();
    const other = path.join(path.dirname(file), "other.jsonl");
    fs.writeFileSync(other, fs.readFileSync(file, "utf8").split("\n")[0] as string);
    fs.appendFileSync(other, "\n");
    const elsewhere = await openJournal(other, { durability: "os" });
    await elsewhere.notes.set("behind the rewrite");
    await elsewhere.close();
    const rewrite = (): void => {
      const { size, atime, mtime } = fs.statSync(file);
      const text = fs.readFileSync(other);
      expect(text.length).toBe(size);
      fs.writeFileSync(file, text);
      fs.utimesSync(file, atime, mtime);
      expect(fs.statSync(file)).toMatchObject({ size, mtime });
    };
    return { file, rewrite };
  }

  test("is seen by who reads on", async () => {
    const { file, rewrite } = await rewritten();
    const reader = await openJournal(file, { readonly: true });
    rewrite();
    await reader.refresh();
    expect(reader.state.notes).toBe("behind the rewrite");
    await reader.close();
  });

  test("is seen by who follows", async () => {
    const { file, rewrite } = await rewritten();
    const reader = await openJournal(file, { readonly: true, follow: true });
    rewrite();
    await vi.waitFor(() => expect(reader.state.notes).toBe("behind the rewrite"), { timeout: 30_000 });
    await reader.close();
  });

  test("is seen by who resumes from a snapshot of before", async () => {
    const { file, rewrite } = await rewritten();
    rewrite();
    const reader = await openJournal(file, { readonly: true });
    expect(reader.state.notes).toBe("behind the rewrite");
    await reader.close();
  });
});
