/** A session file is made, and its folder is looked at as it is before each call that changes something: so a kill would have left it. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { ways } from "./ways-to-a-file.ts";

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-killed-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const changing = ["openSync", "writeSync", "writeFileSync", "linkSync", "renameSync", "rmSync", "mkdirSync"] as const;

/** The result has the folders that kills would have left of `place`, in order; those that are the same as the one before are left out. */
async function killedAtEachCall(place: string, task: () => Promise<unknown>): Promise<string[]> {
  const real = Object.fromEntries(changing.map((name) => [name, fs[name]]));
  const left: string[] = [];
  let last = "";
  const look = (): void => {
    Object.assign(fs, real);
    const now = JSON.stringify(filesOf(place).map(({ name, ino, bytes }) => [name, ino, bytes.length]));
    if (now !== last) left.push(cloned(place, path.join(folder, `${left.length}`)));
    last = now;
    Object.assign(fs, watched);
  };
  const watched = Object.fromEntries(
    changing.map((name) => {
      const call = (...values: unknown[]): unknown => {
        look();
        return (real[name] as (...values: unknown[]) => unknown)(...values);
      };
      return [name, call];
    }),
  );
  try {
    Object.assign(fs, watched);
    syncBuiltinESMExports();
    await task();
  } finally {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  }
  return left;
}

function filesOf(place: string): { name: string; ino: number; bytes: Buffer }[] {
  const names = fs.readdirSync(place, { recursive: true, encoding: "utf8" }).sort();
  return names
    .map((name) => ({ name, at: path.join(place, name) }))
    .filter(({ at }) => fs.statSync(at).isFile())
    .map(({ name, at }) => ({ name, ino: fs.statSync(at).ino, bytes: fs.readFileSync(at) }));
}

/** Names of one file are names of one file again. */
function cloned(place: string, to: string): string {
  const met = new Map<number, string>();
  for (const { name, ino, bytes } of filesOf(place)) {
    const at = path.join(to, name);
    fs.mkdirSync(path.dirname(at), { recursive: true });
    const same = met.get(ino);
    if (same === undefined) fs.writeFileSync(at, bytes);
    else fs.linkSync(same, at);
    met.set(ino, at);
  }
  return to;
}

const hidden = (place: string): string[] =>
  fs.readdirSync(place, { recursive: true, encoding: "utf8" }).filter((name) => name.includes(".unfinished"));

test.each(Object.keys(ways))(
  "whenever %s is killed, what it leaves is no session or a whole one, and is made again or opened",
  async (way) => {
    const make = ways[way] as (from: string, to: string) => Promise<unknown>;
    const place = path.join(folder, "place");
    fs.mkdirSync(place);
    const journal = await openJournal(path.join(place, "from.jsonl"));
    for (let count = 0; count < 15; count++)
      await journal.applyAll(
        Array.from({ length: 20 }, (_, each) => ({
          action: "set_notes",
          content: `secret ${count} ${each} ${"x".repeat(1500)}`,
        })),
      );
    await journal.close();
    const left = await killedAtEachCall(place, () =>
      make(path.join(place, "from.jsonl"), path.join(place, "to.jsonl")),
    );
    let named = 0;
    for (const each of left) {
      const [from, to] = [path.join(each, "from.jsonl"), path.join(each, "to.jsonl")];
      const before = hidden(each);
      const isMade = fs.existsSync(to);
      if (isMade) named += 1;
      else await make(from, to);
      const reader = await openJournal(to, { readonly: true, create: false });
      expect((await reader.verify()).ok).toBe(true);
      await reader.close();
      expect(hidden(each)).toEqual(before);
      await using made = await openJournal(to, { create: false });
      expect(await made.notes.append("goes on")).toMatchObject({ ok: true });
      if (isMade) expect(fs.statSync(to).nlink).toBe(1);
    }
    expect(named).toBeGreaterThan(0);
    expect(left.some((each) => hidden(each).length > 0)).toBe(true);
  },
);
