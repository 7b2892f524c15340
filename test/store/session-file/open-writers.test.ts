/** Who has a session open for writing, as others see it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { openJournal } from "../../../src/index.ts";
import { cli, json, newSession, root } from "../../cli/cli.ts";

const onLinux = test.runIf(process.platform === "linux");

onLinux(
  "a writer is seen from its first write until it is closed, a reader never, and nothing lies beside",
  async () => {
    const file = newSession();
    const journal = await openJournal(file);
    await journal.plan.set("a");
    const reader = await openJournal(file, { readonly: true });
    const { open, advice } = await reader.diagnose();
    expect(open).toEqual({
      writers: [{ pid: process.pid, host: os.hostname(), since: expect.any(String), program: expect.any(String) }],
    });
    expect(Math.abs(Date.parse(open?.writers[0]?.since ?? "") - Date.now())).toBeLessThan(3_600_000);
    expect(advice).toEqual(["nothing"]);
    expect(fs.readdirSync(path.join(path.dirname(file), ".session-journal"))).toEqual([]);
    await journal.close();
    expect(await reader.diagnose()).not.toHaveProperty("open");
    await reader.close();
  },
);

onLinux("doctor and ls name another process, and nobody once it was killed", async () => {
  const file = newSession();
  const program = `import { openJournal } from ${JSON.stringify(path.join(root, "dist", "index.js"))};
    const journal = await openJournal(${JSON.stringify(file)});
    await journal.plan.set("a");
    console.log("written");
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const { stdout } = await cli(["doctor", file]);
  expect(stdout).toMatch(new RegExp(`open for writing\\n  process ${child.pid} \\(node.*\\) +on .* alive since 20`));
  expect(await json("ls", path.dirname(file))).toMatchObject([{ writers: [{ pid: child.pid, host: os.hostname() }] }]);
  expect((await cli(["ls", path.dirname(file)])).stdout).toContain(`open: process ${child.pid} on ${os.hostname()}`);
  child.kill("SIGKILL");
  await once(child, "close");
  expect((await cli(["doctor", file])).stdout).not.toContain("open for writing");
});

test("a stale lock is explained, a fresh one is only shown", async () => {
  const file = newSession();
  await using journal = await openJournal(file);
  await journal.plan.set("a");
  const lock = path.join(path.dirname(file), ".session-journal", "session.jsonl.lock");
  fs.mkdirSync(lock);
  const fresh = await journal.diagnose();
  expect([fresh.open?.lock?.isStale, fresh.advice]).toEqual([false, ["nothing"]]);
  fs.utimesSync(lock, new Date(0), new Date(0));
  const { stdout } = await cli(["doctor", file]);
  expect(stdout).toContain("lock stale, last sign of life 1970-01-01 00:00:00Z");
  expect(stdout).toContain("the lock is stale: its holder was killed or sleeps");
});
