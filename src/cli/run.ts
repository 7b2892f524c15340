/** One run of the command line: from words to an exit code. */
import type { Readable } from "node:stream";
import { visible } from "../audit/visible.ts";
import { isJournalError, withoutPassword } from "../errors.ts";
import { own } from "../state/own.ts";
import { didYouMean } from "./near.ts";
import { firstWord, globalOptions, helpAsOption, type Options, parseCommandLine } from "./options.ts";
import { type colourChoices, type Environment, Output, type OutputStream, type Pager, pagerCommand } from "./output.ts";
import { withJournals } from "./session.ts";
import { UsageError } from "./usage.ts";
import { type Call, type ExitCode, usageOf, type Verb } from "./verb.ts";
import { verbs } from "./verbs.ts";
import { packageVersion } from "./version.ts";
import { type MessageStream, Progress } from "./waiting.ts";
import { withSession } from "./where.ts";
import { messageOf } from "./wording.ts";

export interface CliProcess {
  /** Without the program's own name. */
  readonly argv: readonly string[];
  /** This is called once input is read: making it takes time. */
  readonly stdin: () => Readable;
  readonly stdout: OutputStream;
  readonly stderr: MessageStream;
  readonly env: Environment;
  /** Left out: there is none. */
  readonly openPager?: (command: string, env: Environment) => Promise<Pager>;
  /** See `Call`. */
  readonly interruption: () => AbortSignal;
}

/**
 * 0: done. 1: a refusal, a version conflict, or damage found by `verify`. 2: usage, unreadable input, or any other
 * error: one line on standard error says why and what to do.
 */
export async function runCli({
  argv,
  stdin,
  stdout,
  stderr,
  env,
  interruption,
  openPager,
}: CliProcess): Promise<0 | 1 | 2> {
  const output = new Output(stdout, env);
  const warn = (line: string) => void stderr.write(`session-journal: ${visible(line)}\n`);
  try {
    const words = helpAsOption(argv);
    const isHelpVerb = words !== argv;
    const code = await run(words, { input: stdin, output, interruption, env, warn, stderr, openPager, isHelpVerb });
    await output.flush();
    return code;
  } catch (error) {
    await output.flush().catch(() => undefined);
    warn(messageOf(error));
    return isJournalError(error, "version_conflict") ? 1 : 2;
  }
}

interface Surroundings extends Pick<Call, "input" | "output" | "interruption" | "env" | "warn"> {
  readonly stderr: MessageStream;
  readonly openPager: CliProcess["openPager"];
  /** With true, the verb was help. */
  readonly isHelpVerb: boolean;
}

async function run(
  argv: readonly string[],
  { stderr, openPager, isHelpVerb, ...surroundings }: Surroundings,
): Promise<ExitCode> {
  const { output, env, warn } = surroundings;
  const name = firstWord(argv);
  const loaded = name === undefined ? undefined : await verbNamed(name);
  const { words, options } = parseCommandLine(argv, { ...globalOptions, ...loaded?.options }, name);
  const verb = loaded && asUsed(loaded, options);
  const endsByItself = verb?.endsByItself === true || options.flag("help");
  output.colour((options.text("color") ?? "auto") as (typeof colourChoices)[number]);
  const progress = new Progress(stderr);
  if (endsByItself && !options.flag("no-pager")) pageThrough(openPager, env, output, progress);
  if (options.flag("version")) {
    printVersion(output, options.flag("json"));
    return 0;
  }
  if (options.flag("help")) {
    if (isHelpVerb && words.length > 1)
      throw new UsageError(`${JSON.stringify(words[1])} is one argument too many: session-journal help [VERB]`);
    await printHelpFor(name, verb, output);
    return 0;
  }
  if (name === undefined || verb === undefined) {
    throw new UsageError("name a verb and a session: session-journal show session.jsonl (--help lists the verbs)");
  }
  mustBeNamed(words.slice(1), verb);
  const [where = verb.isWhereOptional ? "" : undefined, ...parameters] = await withSession(
    whereFirst(words.slice(1), verb),
    verb,
    env,
    warn,
  );
  mustFit(name, verb, where, parameters);
  const work = () =>
    withJournals(where, options, env, warn, (open) =>
      verb.run({ where, parameters, options, open, verbs, ...surroundings }),
    );
  return endsByItself ? progress.during(where, work) : work();
}

/** Nobody writes to the newest session by leaving out a name. */
function asUsed(verb: Verb, options: Options): Verb {
  const { takesNewest: _, ...named } = verb;
  return verb.writesWith !== undefined && options.flag(verb.writesWith) ? named : verb;
}

async function printHelpFor(name: string | undefined, verb: Verb | undefined, output: Output): Promise<void> {
  const { printHelp, printVerbHelp } = await import("./help.ts");
  if (name === undefined || verb === undefined) await printHelp(output);
  else printVerbHelp(name, verb, output);
}

function printVersion(output: Output, asJson: boolean): void {
  const version = packageVersion();
  if (asJson) output.json({ version });
  else output.line(version);
}

/** What stands before a session that is named last is a name or a pattern, too. */
function mustBeNamed(words: readonly string[], { where = "session", parameters = [], isWhereLast }: Verb): void {
  const named = isWhereLast === true ? [...parameters, `the name of the ${where}`] : [`the name of the ${where}`];
  const empty = named.find((_, index) => words[index] === "");
  if (empty === undefined) return;
  throw new UsageError(`${empty} is empty: a variable of your shell that is not set, perhaps`);
}

function pageThrough(openPager: CliProcess["openPager"], env: Environment, output: Output, progress: Progress): void {
  const command = pagerCommand(env);
  if (openPager === undefined || command === undefined) return;
  output.page(() => {
    progress.end();
    return openPager(command, env);
  });
}

/** The result has the session first, also for a verb that takes it last. It is "" there if it was left out. */
function whereFirst(words: readonly string[], { isWhereLast, parameters = [] }: Verb): readonly string[] {
  if (isWhereLast !== true || words.length === 0) return words;
  return [words[parameters.length] ?? "", ...words.toSpliced(parameters.length, 1)];
}

async function verbNamed(name: string): Promise<Verb> {
  const load = own(verbs, name);
  if (load !== undefined) return load();
  // Who names a session alone, or first, wants to see it.
  const meant = /[./\\#]/.test(name)
    ? `; the verb comes first: session-journal show ${withoutPassword(name)}`
    : didYouMean(name, Object.keys(verbs));
  throw new UsageError(`unknown verb ${JSON.stringify(withoutPassword(name))}${meant} (--help lists all)`);
}

function missing(parameter: string | undefined, usage: string): string {
  return `${parameter} is missing: ${usage}`;
}

function mustFit(
  name: string,
  verb: Verb,
  where: string | undefined,
  given: readonly string[],
): asserts where is string {
  const { parameters = [] } = verb;
  const required = parameters.filter((parameter) => !parameter.startsWith("["));
  const usage = usageOf(name, verb);
  const isMissing = given.length < required.length;
  // Where the session comes last, what is missing before it is named first.
  if (isMissing && verb.isWhereLast && where !== undefined)
    throw new UsageError(missing(required[given.length], usage));
  if (where === undefined || (where === "" && !verb.isWhereOptional)) {
    const found =
      verb.takesNewest === true
        ? "; no session of this folder was found (session-journal ls --all lists all sessions, session-journal demo brings some to try)"
        : `, to ${verb.about}`;
    const known = verb.firstWords === undefined || verb.isWhereLast ? "" : ` (${verb.firstWords.join(", ")})`;
    throw new UsageError(`name the ${verb.where ?? "session"}${known}: ${usage}${found}`);
  }
  if (isMissing) throw new UsageError(missing(required[given.length], usage));
  if (given.length > parameters.length) {
    throw new UsageError(`${JSON.stringify(given[parameters.length])} is one argument too many: ${usage}`);
  }
}
