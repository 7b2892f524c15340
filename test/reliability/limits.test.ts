/**
 * Disks that are full, small, read-only or guarded, and processes that may open or write no more: nothing is acknowledged
 * that is not there, nothing is thrown that is not documented, and once there is room the next append works.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hasTool, run } from "./loop-images.ts";
import { OrderedWriter, type Report } from "./ordered-writer.ts";
import { isFull, recordResult } from "./results.ts";

const suite = "reliability/limits.test.ts";
const commands = Array.from({ length: isFull ? 48 : 6 }, (_, index) => `c${index + 10}`);
const timeMs = 600_000;

let folder = "";
let undo: (() => void)[] = [];
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
  undo = [() => fs.rmSync(folder, { recursive: true, force: true })];
});
afterEach(() => {
  for (const each of undo.reverse()) each();
});

interface Limit {
  readonly name: string;
  /** What it cannot do without: "root" or a program. */
  readonly needs: readonly string[];
  /** Makes a place for the session. */
  readonly place?: () => void;
  readonly ulimit?: string;
  readonly set: (file: string, writer: OrderedWriter) => unknown;
  readonly lift: (file: string, writer: OrderedWriter) => unknown;
  /** False: everything works in spite of it. */
  readonly fails?: boolean;
  /** In full only. */
  readonly slow?: boolean;
}

function mounted(...options: readonly string[]): void {
  run("mount", ...options, folder);
  undo.push(() => run("umount", folder));
}

function smallImage(): void {
  const image = `${folder}.img`;
  fs.writeFileSync(image, "");
  undo.push(() => fs.rmSync(image));
  fs.truncateSync(image, 4 << 20);
  run("mkfs.ext4", "-q", "-F", "-O", "^has_journal", image);
  mounted("-o", "loop", image);
}

const ballast = (): string => path.join(folder, "ballast");

/** Leaves room for little. */
function fill(): void {
  const descriptor = fs.openSync(ballast(), "w");
  try {
    for (;;) fs.writeSync(descriptor, Buffer.alloc(4096, 1));
  } catch (error) {
    expect(error).toMatchObject({ code: "ENOSPC" });
  } finally {
    fs.closeSync(descriptor);
  }
  fs.truncateSync(ballast(), fs.statSync(ballast()).size - 3 * 4096);
}

const empty = (): void => fs.rmSync(ballast());

const limits: readonly Limit[] = [
  {
    name: "a memory disk that is full",
    needs: ["root", "mount"],
    place: () => mounted("-t", "tmpfs", "-o", "size=2m", "tmpfs"),
    set: fill,
    lift: empty,
  },
  {
    name: "a small disk that is full",
    needs: ["root", "mkfs.ext4"],
    place: smallImage,
    set: fill,
    lift: empty,
    slow: true,
  },
  {
    name: "a disk that is read-only",
    needs: ["root", "mkfs.ext4"],
    place: smallImage,
    set: async (_, writer) => {
      await writer.order({ do: "close" });
      run("mount", "-o", "remount,ro", folder);
    },
    lift: () => run("mount", "-o", "remount,rw", folder),
    slow: true,
  },
  {
    name: "a file that may only grow",
    needs: ["root", "chattr", "mkfs.ext4"],
    place: smallImage,
    set: (file) => run("chattr", "+a", file),
    lift: (file) => run("chattr", "-a", file),
    fails: false,
    slow: true,
  },
  {
    name: "a file that may not be changed",
    needs: ["root", "chattr", "mkfs.ext4"],
    place: smallImage,
    set: async (file, writer) => {
      await writer.order({ do: "close" });
      run("chattr", "+i", file);
    },
    lift: (file) => run("chattr", "-i", file),
    slow: true,
  },
  {
    name: "a limit of a file's size",
    needs: ["bash", "prlimit"],
    ulimit: "-S -f 16",
    set: () => undefined,
    lift: (_, writer) => run("prlimit", "--pid", String(writer.pid), "--fsize=unlimited"),
  },
  ...[0, 1, 2, 3, 4].map((but) => ({
    name: `no descriptor left but ${but}`,
    needs: ["bash"],
    ulimit: "-n 400",
    set: async (_: string, writer: OrderedWriter) => {
      await writer.order({ do: "close" });
      await writer.order({ do: "hoard", but });
    },
    lift: (_: string, writer: OrderedWriter) => writer.order({ do: "release" }),
    fails: but < 3,
    slow: but > 0,
  })),
];

async function underLimit({ place, ulimit, set, lift }: Limit): Promise<Report> {
  place?.();
  const file = path.join(folder, "session.jsonl");
  const writer = new OrderedWriter(file, ulimit);
  try {
    await writer.write("c0");
    await set(file, writer);
    await writer.write(...commands);
    await writer.order({ do: "snapshot" });
    await writer.order({ do: "refresh" });
    await lift(file, writer);
    return await writer.recover(["c0", ...commands]);
  } finally {
    await writer.end();
  }
}

function isMissing(need: string): boolean {
  return need === "root" ? process.getuid?.() !== 0 : !hasTool(need);
}

for (const limit of limits) {
  const missing = limit.needs.filter(isMissing);
  const { name, fails = true, slow = false } = limit;
  if (missing.length > 0) {
    test(`not tried, for want of ${missing.join(" and ")}: ${name}`, () => {
      expect(limit.needs.filter(isMissing)).toEqual(missing);
    });
  } else if (isFull || !slow) {
    test(
      `${name} costs nothing that was acknowledged`,
      async () => {
        const { failures, violations, fates } = await underLimit(limit);
        expect(violations).toEqual([]);
        expect(Object.values(fates).every((fate) => fate === "acknowledged")).toBe(true);
        expect(failures > 0).toBe(fails);
        recordResult({
          suite,
          claim: `${name} costs nothing that was acknowledged`,
          size: `${commands.length} commits under it`,
          outcome: `${failures} failures told, 0 violations, everything written once it was gone`,
        });
      },
      timeMs,
    );
  }
}
