/** What a verb of the command line is. A new one is a file in `verbs/` and a line in `verbs.ts`. */
import type { Readable } from "node:stream";
import type { Journal } from "../journal/public.ts";
import type { OpenOptions } from "../open/open-options.ts";
import type { OptionSpecs, Options } from "./options.ts";
import type { Environment, Output } from "./output.ts";

/** By name; each is loaded when it is run. */
export type VerbTable = Readonly<Record<string, () => Promise<Verb>>>;

export interface Verb {
  readonly about: string;
  /** This names what `<where>` is. The default is "session". */
  readonly where?: string;
  /** It reads a session: without one, the newest of this folder. */
  readonly takesNewest?: true;
  /** With this option the verb writes, and so it does not choose the session. */
  readonly writesWith?: string;
  /** Whether a first word that is the path of nothing is a parameter, and the session was left out. */
  isParameter?(word: string): boolean;
  /** These are all the words that can stand first, where they are known: a shell completes them. */
  readonly firstWords?: readonly string[];
  /** `<where>` may be left out, and is "" then. */
  readonly isWhereOptional?: true;
  /** `<where>` stands behind the parameters. */
  readonly isWhereLast?: true;
  /** It prints what it found and is done: long texts go to a pager, long work shows its progress. */
  readonly endsByItself?: true;
  /** These stand after `<where>`: "POINT", or "[FROM [TO]]" if they may be left out. */
  readonly parameters?: readonly string[];
  readonly options?: OptionSpecs;
  /** The notes say what else to know, a line each. */
  readonly notes?: readonly string[];
  readonly example: string;
  run(call: Call): Promise<ExitCode>;
}

/** The result shows how a verb is written, without its options. */
export function usageOf(name: string, verb: Verb): string {
  const { parameters = [], isWhereLast, isWhereOptional, takesNewest } = verb;
  const named = `<${verb.where ?? "session"}>`;
  const where = isWhereOptional || takesNewest ? `[${named}]` : named;
  return ["session-journal", name, ...(isWhereLast ? [...parameters, where] : [where, ...parameters])].join(" ");
}

/** 0: done. 1: refused, or damage found. Whatever is thrown is 2, a version conflict 1. */
export type ExitCode = 0 | 1;

/**
 * "check" reads, and has what does not fit the seal as findings. "preview" reads, too, and where "create" would make a file it has
 * an empty journal in memory. "verify" is "check", and "page" is "read", for who first of all verifies, which reads everything. "serve" creates for long: whoever asked for it is told of damage at once, and else once it is done.
 */
export type Access = "read" | "check" | "verify" | "page" | "preview" | "write" | "create" | "serve";

/** One run of a verb. */
export interface Call {
  readonly where: string;
  /** There are as many as the verb has parameters. A parameter that was left out is undefined. */
  readonly parameters: readonly (string | undefined)[];
  readonly options: Options;
  readonly output: Output;
  readonly env: Environment;
  readonly verbs: VerbTable;
  /** Prints a line on standard error. */
  warn(line: string): void;
  /** Opens a journal, by default that at `where`, as the global options say, and where they are silent `options`, and closes it when the verb is done. */
  open(access: Access, where?: string, options?: Pick<OpenOptions, "limits" | "mirror" | "dedupe">): Promise<Journal>;
  /** This is standard input. */
  input(): Readable;
  /** The signal aborts when somebody asks the program to stop. If nobody has called this, the program just ends then. */
  interruption(): AbortSignal;
}
