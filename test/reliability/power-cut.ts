/** A writer on a file system in a file, whose power is cut at random moments. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { openJournal } from "../../src/open/open-journal.ts";
import type { FileSystem, LoopImages, Mounted } from "./loop-images.ts";
import type { Random } from "./random.ts";

interface Ack {
  readonly session: string;
  readonly command: string;
}

export interface Loss {
  readonly cut: number;
  readonly lost: readonly string[];
}

export interface Cuts {
  /** So many were made. */
  readonly cuts: number;
  readonly acknowledged: number;
  readonly losses: readonly Loss[];
  /** Losses that are more than the newest of a session. */
  readonly holes: readonly string[];
  /** Sessions whose name leads to nothing, or to the file that it led to before. */
  readonly unnamed: readonly string[];
}

class Writer {
  readonly acks: Ack[] = [];
  readonly #child: ChildProcess;
  #rest = "";
  #said = "";

  constructor(command: readonly string[], folder: string, ...args: readonly string[]) {
    const program = path.join(import.meta.dirname, "write-until-cut.mjs");
    const [name = "", ...before] = [...command, process.execPath];
    const child = spawn(name, [...before, program, folder, ...args]);
    child.stdout.setEncoding("utf8").on("data", (text: string) => this.#take(text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#said += text));
    this.#child = child;
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const [session = "", command = ""] = line.split(" ");
      this.acks.push({ session, command });
    }
  }

  /** Until `count` more were acknowledged. */
  async goOn(count: number): Promise<void> {
    const end = this.acks.length + count;
    this.#child.kill("SIGCONT");
    while (this.acks.length < end) {
      if (this.#hasEnded) throw new Error(`the writer ended: ${this.#said}`);
      await sleep(1);
    }
  }

  rest(): void {
    this.#child.kill("SIGSTOP");
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async end(): Promise<void> {
    if (this.#hasEnded) return;
    const closed = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await closed;
  }
}

/** By session. Then the next append works there, unless not even the header was kept. */
async function commandsIn(folder: string, session: string): Promise<string[]> {
  const file = path.join(folder, session);
  if (!fs.existsSync(file) || !startsAsSession(file)) return [];
  const journal = await openJournal(file, { create: false });
  const found: string[] = [];
  for await (const { command } of journal.history()) if (command !== undefined) found.push(command);
  const { ok, message } = await journal.apply({ action: "set_plan", content: "after the cut" });
  if (!ok) throw new Error(`${session} takes no more: ${message}`);
  const verification = await journal.verify();
  if (!verification.ok) throw new Error(`${session} is damaged: ${JSON.stringify(verification.findings)}`);
  await journal.close();
  return found;
}

/** What was not synced may be there as zeros. */
function startsAsSession(file: string): boolean {
  return fs.readFileSync(file, "utf8").startsWith('{"type":"session"');
}

type Found = Record<"lost" | "holes" | "unnamed", string[]>;

async function lossesIn(folder: string, acks: readonly Ack[]): Promise<Found> {
  const lost: string[] = [];
  const holes: string[] = [];
  const unnamed: string[] = [];
  for (const session of new Set(acks.map((ack) => ack.session))) {
    const commands = acks.filter((ack) => ack.session === session).map(({ command }) => command);
    const found = await commandsIn(folder, session);
    const gone = commands.filter((command) => !found.includes(command));
    lost.push(...gone);
    const file = path.join(folder, session);
    if (found.length === 0 && (!fs.existsSync(file) || startsAsSession(file))) unnamed.push(session);
    if (gone.join() !== commands.slice(commands.length - gone.length).join()) holes.push(`${session}: ${gone}`);
  }
  return { lost, holes, unnamed };
}

export interface Run {
  readonly kind: FileSystem;
  /** At most. */
  readonly cuts: number;
  /** Ends the run, asked after each cut. */
  readonly isEnough?: (found: Pick<Cuts, "losses" | "unnamed">) => boolean;
  readonly durability: "fsync" | "os";
  readonly perSession?: number;
  readonly flags?: readonly string[];
  /** Runs the writer. */
  readonly under?: readonly string[];
}

export async function cutPower(disks: LoopImages, random: Random, run: Run): Promise<Cuts> {
  const { kind, cuts, durability, perSession = 6, flags = [], under = [] } = run;
  const disk = disks.make(kind);
  const writer = new Writer(under, disk.folder, durability, String(perSession), ...flags);
  const losses: Loss[] = [];
  const holes: string[] = [];
  const unnamed: string[] = [];
  try {
    let from = 0;
    let cut = 0;
    while (cut < cuts && run.isEnough?.({ losses, unnamed }) !== true) {
      await writer.goOn(1 + random.below(40));
      // Somebody else's sync makes part of what was written durable, at any moment.
      const synced =
        durability === "os" && cut % 2 === 1 ? promisify(execFile)("sync", ["-f", disk.folder]) : undefined;
      await sleep(random.below(12));
      const acks = writer.acks.slice(from);
      const found = await afterCut(disks, disk, kind, acks);
      writer.rest();
      await synced;
      if (found.lost.length > 0) losses.push({ cut, lost: found.lost });
      holes.push(...found.holes);
      unnamed.push(...found.unnamed);
      from = Math.max(0, writer.acks.length - 3 * perSession);
      cut += 1;
    }
    return { cuts: cut, acknowledged: writer.acks.length, losses, holes, unnamed };
  } finally {
    await writer.end();
    disks.remove(disk);
  }
}

async function afterCut(disks: LoopImages, disk: Mounted, kind: FileSystem, acks: readonly Ack[]) {
  const copy = disks.cut(disk, kind);
  try {
    return await lossesIn(copy.folder, acks);
  } finally {
    disks.remove(copy);
  }
}
