import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { type CliProcess, runCli } from "../../src/cli/run.ts";

export const root = resolve(import.meta.dirname, "../..");

/** Written by a real client; no line in it is ours. */
export const fixture = join(root, "fixtures", "sessions", "pi-0.87.1.jsonl");

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  /** What stands on standard input, chunk by chunk. */
  readonly stdin?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Columns of the terminal; without, the output is no terminal. */
  readonly columns?: number;
  readonly rows?: number;
  readonly openPager?: CliProcess["openPager"];
}

/** What a machine that is slow today says besides: a test shows it where it is meant. */
export function withoutProgress(stderr: string): string {
  return stderr.replace(/^session-journal: at work.*\n/gm, "");
}

/** One run inside this process. */
export async function cli(
  argv: readonly string[],
  { stdin = [], env = {}, columns, rows, openPager }: Surroundings = {},
): Promise<Outcome> {
  let out = "";
  let err = "";
  const stdout = {
    write: (text: string, done: () => void) => {
      out += text;
      done();
    },
    on: () => undefined,
    ...(columns === undefined ? {} : { isTTY: true, columns }),
    ...(rows === undefined ? {} : { rows }),
  };
  const stderr = { write: (text: string) => (err += text) };
  const interruption = () => new AbortController().signal;
  const own = { HOME: join(root, "no-home"), ...env };
  const streams = { stdin: () => Readable.from(stdin), stdout, stderr };
  const code = await runCli({ argv, ...streams, env: own, interruption, ...(openPager && { openPager }) });
  return { code, stdout: out, stderr: withoutProgress(err) };
}

/** The values of a run with `--json`. */
export async function json(...argv: readonly string[]): Promise<unknown[]> {
  const { stdout, stderr } = await cli([...argv, "--json"]);
  if (stderr !== "") throw new Error(stderr);
  return values(stdout);
}

export function values(stdout: string): unknown[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "session-journal-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Nothing is there yet. */
export function newSession(): string {
  return join(temporaryFolder(), "session.jsonl");
}

export function bytesOf(file: string): string {
  return readFileSync(file, "utf8");
}

/** Carries out actions, each in a run of its own; throws where one is refused. */
export async function applied(file: string, ...actions: readonly object[]): Promise<string> {
  for (const action of actions) {
    const { code, stdout, stderr } = await cli(["apply", file, JSON.stringify(action)]);
    if (code !== 0) throw new Error(stdout + stderr);
  }
  return file;
}
