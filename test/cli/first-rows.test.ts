/** Rows are told soon, and nothing is read for somebody who has left. */
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { Output } from "../../src/cli/output.ts";
import { runCli } from "../../src/cli/run.ts";
import { openJournal } from "../../src/open/open-journal.ts";

test("rows are sent before more of them are made than a screen shows, and none is lost", async () => {
  let made = 0;
  let madeAtFirst: number | undefined;
  let text = "";
  function* rows() {
    for (; made < 700; made++) yield made;
  }
  const write = (part: string | Uint8Array, done: () => void) => {
    madeAtFirst ??= made;
    text += part;
    done();
  };
  const output = new Output({ write, on: () => undefined }, {});
  await output.each(rows(), (row) => output.line(`${row}`));
  await output.flush();
  expect(madeAtFirst).toBeLessThanOrEqual(64);
  expect(text).toBe(Array.from({ length: 700 }, (_, row) => `${row}\n`).join(""));
});

test("ls looks for no sessions of other clients where nobody reads any more", async () => {
  const folder = fs.mkdtempSync(join(tmpdir(), "session-journal-first-rows-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  const journal = await openJournal(join(folder, "session.jsonl"));
  await journal.plan.set("- [ ] One");
  await journal.close();
  const looked = vi.spyOn(fs, "opendirSync");
  onTestFinished(() => looked.mockRestore());
  const timesLooked = async (error?: Error) => {
    looked.mockClear();
    const write = (_: string | Uint8Array, done: (error?: Error) => void) => done(error);
    const code = await runCli({
      argv: ["ls", folder],
      stdin: () => Readable.from([]),
      stdout: { write, on: () => undefined },
      stderr: { write: () => true },
      env: { HOME: folder },
      interruption: () => new AbortController().signal,
    });
    return [code, looked.mock.calls.filter(([place]) => place === folder || place === `${folder}/`).length];
  };
  expect(await timesLooked()).toEqual([0, 2]);
  expect(await timesLooked(Object.assign(new Error("broken pipe"), { code: "EPIPE" }))).toEqual([0, 1]);
});

test("an export waits for a slow reader instead of holding what he has not taken", async () => {
  const folder = fs.mkdtempSync(join(tmpdir(), "session-journal-first-rows-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "session.jsonl");
  const journal = await openJournal(file, { durability: "os" });
  await journal.applyAll(Array.from({ length: 3000 }, (_, at) => ({ action: "set_notes", content: `note ${at}` })));
  await journal.close();
  let [untaken, untakenMost, lines] = [0, 0, 0];
  const write = (part: string | Uint8Array, done: () => void) => {
    lines += String(part).split("\n").length - 1;
    untakenMost = Math.max(untakenMost, ++untaken);
    setTimeout(() => {
      untaken -= 1;
      done();
    }, 20);
  };
  await runCli({
    argv: ["export", file, "--format", "cloudevents"],
    stdin: () => Readable.from([]),
    stdout: { write, on: () => undefined },
    stderr: { write: () => true },
    env: { HOME: folder },
    interruption: () => new AbortController().signal,
  });
  expect(lines).toBe(3000);
  expect(untakenMost).toBe(1);
});
