/** Has a real client do things to a session file, in a process of its own, under its own Node. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { HostClient } from "./clients.ts";

export interface Seen {
  /** What its model would read. */
  readonly context: { readonly messages: readonly unknown[] };
  /** The newest entry on its branch that is not ours. */
  readonly leaf: string | null;
}

/** The steps of drive.mjs with their answers. */
interface Steps {
  look(step: {
    readonly file: string;
  }): Seen & { readonly name: string | null; readonly listing: readonly { readonly firstMessage: string }[] };
  say(step: { readonly file: string; readonly role?: "user" | "assistant"; readonly text: string }): Seen & {
    readonly chained: boolean;
  };
  sayAt(step: { readonly file: string; readonly entryId: string; readonly text: string }): string;
  addLines(step: { readonly file: string; readonly count: number }): string;
  cutEverywhere(step: {
    readonly file: string;
    readonly from: number;
    readonly to: number;
  }): readonly { readonly context: Seen; readonly count: number }[];
  load(step: { readonly file: string }): { readonly notes: string; readonly plan: string; readonly refs: string[] };
  write(step: {
    readonly file: string;
    readonly key: "notes" | "plan" | "refs" | "single";
    readonly text: string;
  }): string;
  create(step: { readonly folder: string }): string;
  copyBranch(step: { readonly file: string; readonly leafId: string }): string;
  fork(step: { readonly file: string; readonly folder: string }): string;
  leaf(step: { readonly file: string }): string;
}

type Step<Name extends keyof Steps> = Parameters<Steps[Name]>[0];
type Answer<Name extends keyof Steps> = ReturnType<Steps[Name]>;

const script = resolve(import.meta.dirname, "drive.mjs");

interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly answers: AsyncIterator<string>;
}

const running = new Map<string, Running>();

/** One process for each client, which serves one step after the other, and ends when this process closes its input. */
function runningOf({ name, node, sessionManager }: HostClient): Running {
  const before = running.get(name);
  if (before !== undefined) return before;
  const child = spawn(node, [script, sessionManager]);
  child.stderr.pipe(process.stderr);
  const started = { child, answers: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  running.set(name, started);
  return started;
}

/** Steps of one client are awaited one after the other. */
export async function drive<Name extends keyof Steps>(client: HostClient, name: Name, step: Step<Name>) {
  const { child, answers } = runningOf(client);
  child.stdin.write(`${JSON.stringify([name, step])}\n`);
  const { value, done } = await answers.next();
  if (done === true) throw new Error(`${client.name} ended at ${name}`);
  return JSON.parse(value) as Answer<Name>;
}

/** As `drive`, in a process of its own, while this one stands still. */
export function driveSync<Name extends keyof Steps>(client: HostClient, name: Name, step: Step<Name>) {
  const words = [script, client.sessionManager, name, JSON.stringify(step)];
  return JSON.parse(execFileSync(client.node, words, { encoding: "utf8" })) as Answer<Name>;
}

/** It is removed when the running test ends: a hook of this module's own would serve only the first file that loads it. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "session-journal-client-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A copy of the session that this client wrote. */
export function fixtureOf(client: HostClient): string {
  const file = join(newFolder(), "session.jsonl");
  copyFileSync(resolve(import.meta.dirname, "../../fixtures/sessions", `${client.name}.jsonl`), file);
  return file;
}
