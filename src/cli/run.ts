/** One run of the command line: from words to an exit code. */
import type { Readable } from "node:stream";
import { nearest } from "../action/nearest.ts";
import { visible } from "../audit/visible.ts";
import { isJournalError } from "../errors.ts";
import { firstWord, globalOptions, helpAsOption, parseCommandLine } from "./options.ts";
import { type Environment, Output, type OutputStream } from "./output.ts";
import { withJournals } from "./session.ts";
import { UsageError } from "./usage.ts";
import type { Call, ExitCode, Verb } from "./verb.ts";
import { verbs } from "./verbs.ts";
import { packageVersion } from "./version.ts";
import { withSession } from "./where.ts";
import { inWordsOfOptions } from "./wording.ts";

export interface CliProcess {
  /** Without the program's own name. */
  readonly argv: readonly string[];
  /** Called once it is read: making it takes time. */
  readonly stdin: () => Readable;
  readonly stdout: OutputStream;
  readonly stderr: { write(text: string): unknown };
  readonly env: Environment;
  /** See `Call`. */
  readonly interruption: () => AbortSignal;
}

/**
 * 0: done. 1: a refusal, a version conflict, or damage found by `verify`. 2: usage, unreadable input, or any other
 * error: one line on standard error says why and what to do.
 */
export async function runCli({ argv, stdin, stdout, stderr, env, interruption }: CliProcess): Promise<0 | 1 | 2> {
  const output = new Output(stdout, env);
  const warn = (line: string) => void stderr.write(`session-journal: ${visible(line)}\n`);
  try {
    const code = await run(helpAsOption(argv), { input: stdin, output, interruption, env, warn });
    await output.flush();
    return code;
  } catch (error) {
    await output.flush().catch(() => undefined);
    warn(inWordsOfOptions(messageOf(error)));
    return isJournalError(error, "version_conflict") ? 1 : 2;
  }
}

type Surroundings = Pick<Call, "input" | "output" | "interruption" | "env" | "warn">;

async function run(argv: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { output, env, warn } = surroundings;
  const name = firstWord(argv);
  const verb = name === undefined ? undefined : await verbNamed(name);
  const { words, options } = parseCommandLine(argv, { ...globalOptions, ...verb?.options });
  if (options.flag("version")) {
    output.line(packageVersion());
    return 0;
  }
  if (options.flag("help")) {
    const { printHelp, printVerbHelp } = await import("./help.ts");
    if (name === undefined || verb === undefined) await printHelp(output);
    else printVerbHelp(name, verb, output);
    return 0;
  }
  if (name === undefined || verb === undefined) {
    throw new UsageError("name a verb and a session: session-journal show session.jsonl (--help lists the verbs)");
  }
  const [where = verb.isWhereOptional ? "" : undefined, ...parameters] = await withSession(
    words.slice(1),
    verb,
    env,
    warn,
  );
  mustFit(name, verb, where, parameters);
  return withJournals(where, options, env, warn, (open) =>
    verb.run({ where, parameters, options, open, ...surroundings }),
  );
}

async function verbNamed(name: string): Promise<Verb> {
  const load = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (load !== undefined) return load();
  const meant = nearest(name, Object.keys(verbs));
  throw new UsageError(`unknown verb ${JSON.stringify(name)}: did you mean ${meant}? (--help lists all)`);
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
  if (where === undefined || (where === "" && !verb.isWhereOptional)) {
    const found =
      verb.takesNewest === true ? "; none of this folder was found (session-journal ls --all lists all)" : "";
    throw new UsageError(`name the ${verb.where ?? "session"}: ${usage}${found}`);
  }
  if (given.length < required.length) throw new UsageError(`${required[given.length]} is missing: ${usage}`);
  if (given.length > parameters.length) {
    throw new UsageError(`${JSON.stringify(given[parameters.length])} is one word too many: ${usage}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
