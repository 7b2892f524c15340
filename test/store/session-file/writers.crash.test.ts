/** Writers are killed at any moment: what was acknowledged is there, and nothing is there twice. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Program, program } from "../process/spawn.ts";
import { pathOf, useFolder, valuesIn } from "./folder.ts";
import { verifyFile } from "./verify-file.ts";

const folder = useFolder();
const killsMax = process.env["SESSION_JOURNAL_FULL"] ? 120 : 12;
let writer: Program;

beforeAll(async () => {
  writer = await program("acknowledge.ts");
});
afterAll(() => writer.remove());

interface Life {
  readonly child: ChildProcess;
  readonly acknowledged: () => string[];
}

function start(file: string, name: string, from: number, mode: string): Life {
  const child = spawn(process.execPath, [writer.file, file, name, String(from), "100000", mode]);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  return { child, acknowledged: () => text.split("\n").slice(0, -1) };
}

/** Writes until it is killed, a random while after its first acknowledgement, and starts again where it was. */
async function live(file: string, name: string, mode: string, kills: number): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let life = 0; life < kills; life++) {
    const { child, acknowledged: now } = start(file, name, acknowledged.length, mode);
    const closed = once(child, "close");
    while (now().length === 0) await sleep(2);
    await sleep(Math.random() * 60);
    child.kill("SIGKILL");
    await closed;
    acknowledged.push(...now());
  }
  return acknowledged;
}

describe.each(["always", "off"])("lock mode %s", (mode) => {
  test("0 acknowledged commands are lost and 0 are there twice", async () => {
    const session = folder.session();
    const hostLeaf = session.user("hello");
    const names = ["w0", "w1"];
    const acknowledged = await Promise.all(
      names.map((name) => live(session.file, name, mode, killsMax / names.length)),
    );

    const reader = folder.reader(session.file);
    await reader.append({ event: { type: "plan.set", text: "after the crashes" }, actor: "survivor" });
    const found = reader.events.map(({ command }) => command).filter((command) => command !== undefined);
    expect(found.filter((command, index) => found.indexOf(command) !== index)).toEqual([]);
    expect(acknowledged.flat().filter((command) => !found.includes(command))).toEqual([]);
    expect(acknowledged.every((commands) => commands.length > 0)).toBe(true);

    expect(fs.readFileSync(session.file, "utf8").endsWith("\n")).toBe(true);
    expect(valuesIn(session.file)).toMatchObject({ notes: reader.state.notes, plan: "after the crashes" });
    expect(pathOf(session.file)).toContain(hostLeaf);
    expect(await verifyFile(session.file)).toMatchObject({ ok: true });
  }, 900_000);
});
