/** One run of the command line: from words to an exit code. */
import type { Readable } from "node:stream";
import { nearest } from "../action/nearest.ts";
import { isJournalError } from "../errors.ts";
import { firstWord, globalOptions, parseCommandLine } from "./options.ts";
import { type Environment, Output, type OutputStream } from "./output.ts";
import { UsageError } from "./usage.ts";
import type { Verb } from "./verb.ts";
import { verbs } from "./verbs.ts";
import { packageVersion } from "./version.ts";
import { visible } from "./visible.ts";

export interface CliProcess {
  /** Without the program's own name. */
  readonly argv: readonly string[];
  readonly stdin: Readable;
  readonly stdout: OutputStream;
  readonly stderr: { write(text: string): unknown };
  readonly env: Environment;
}

/**
 * 0: done. 1: a refusal, a version conflict, or damage found by `verify`. 2: usage, unreadable input, or any other
 * error: one line on standard error says why and what to do.
 */
export async function runCli({ argv, stdin, stdout, stderr, env }: CliProcess): Promise<0 | 1 | 2> {
  const output = new Output(stdout, env);
  try {
    const code = await dispatch(argv, stdin, output);
    await output.flush();
    return code;
  } catch (error) {
    await output.flush().catch(() => undefined);
    stderr.write(`session-journal: ${visible(messageOf(error))}\n`);
    return isJournalError(error, "version_conflict") ? 1 : 2;
  }
}

async function dispatch(argv: readonly string[], input: Readable, output: Output): Promise<0 | 1> {
  const name = firstWord(argv);
  if (name !== undefined) return runVerb(name, await verbNamed(name), argv, input, output);
  const { options } = parseCommandLine(argv, globalOptions);
  if (options.flag("version")) output.line(packageVersion());
  else if (options.flag("help")) await (await import("./help.ts")).printHelp(output);
  else throw new UsageError("name a verb and a session: session-journal show session.jsonl (--help lists the verbs)");
  return 0;
}

async function verbNamed(name: string): Promise<Verb> {
  const load = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (load !== undefined) return load();
  const meant = nearest(name, Object.keys(verbs));
  throw new UsageError(`unknown verb ${JSON.stringify(name)}: did you mean ${meant}? (--help lists all)`);
}

async function runVerb(
  name: string,
  verb: Verb,
  argv: readonly string[],
  input: Readable,
  output: Output,
): Promise<0 | 1> {
  const { words, options } = parseCommandLine(argv, { ...globalOptions, ...verb.options });
  if (options.flag("help")) {
    (await import("./help.ts")).printVerbHelp(name, verb, output);
    return 0;
  }
  const [, where, ...parameters] = words;
  mustFit(name, verb, where, parameters);
  const { withJournal } = await import("./session.ts");
  return withJournal(where, options, (open) => verb.run({ where, parameters, options, input, output, open }));
}

function mustFit(
  name: string,
  verb: Verb,
  where: string | undefined,
  given: readonly string[],
): asserts where is string {
  const { parameters = [] } = verb;
  const required = parameters.filter((parameter) => !parameter.startsWith("["));
  const usage = ["session-journal", name, `<${verb.where ?? "session"}>`, ...parameters].join(" ");
  if (where === undefined || where === "") throw new UsageError(`name the ${verb.where ?? "session"}: ${usage}`);
  if (given.length < required.length) throw new UsageError(`${required[given.length]} is missing: ${usage}`);
  if (given.length > parameters.length) {
    throw new UsageError(`${JSON.stringify(given[parameters.length])} is one word too many: ${usage}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
