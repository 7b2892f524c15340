import type { Answer } from "../../action/answer.ts";
import type { Dedupe } from "../../action/ref-form.ts";
import type { TextSource } from "../../event/event.ts";
import { type ApplyOptions, parseApplyOptions } from "../../journal/options.ts";
import type { Journal } from "../../journal/public.ts";
import { given } from "../../options.ts";
import { readJsonLines } from "../ndjson.ts";
import { isUnmadeFile } from "../session.ts";
import { sourceOf } from "../source.ts";
import { UsageError } from "../usage.ts";
import type { Access, Call, ExitCode, Verb } from "../verb.ts";
import { placeNamed } from "../where.ts";
import { fieldMessageOf, messageOf } from "../wording.ts";

export const apply: Verb = {
  about: "carry out one action, or with - one action on each line of standard input",
  parameters: ["JSON|-"],
  options: {
    command: { value: "KEY", about: "carry the action out only once, even if it is sent again" },
    source: { value: "SOURCE", about: "where the text came from: model, user, tool, imported, or as tool:read_file" },
    dedupe: {
      value: "WHICH",
      choices: ["exact", "normalised"],
      about: "add no ref that is there already: the same text (exact), or the same URL or path (normalised)",
    },
    expect: { value: "VERSION", about: "only if the journal is at this version" },
  },
  notes: [
    'An action may name its own "command", "actor" and "source". Answers are lines of JSON.',
    "From standard input, each line is a commit of its own: a refusal does not stop it, malformed JSON does.",
    "If the session file does not exist, it is created: from standard input, when the first line comes that has an answer.",
  ],
  example: `session-journal apply session.jsonl '{"action":"set_plan","content":"1. Fix the bug"}'`,
  run(call) {
    return call.parameters[0] === "-" ? applyInput(call) : applyOne(call);
  },
};

async function applyOne(call: Call): Promise<ExitCode> {
  const {
    where,
    parameters: [text = ""],
    options,
    output,
  } = call;
  const value = parseAction(text, where);
  const command = options.text("command");
  mustAgree(value, command);
  const expectedVersion = options.count("expect", "v");
  const asked = given({ command, source: sourceOf(options) as TextSource | undefined, expectedVersion });
  // Before a session is made.
  const [action, how] = withItsOwn(value, asked);
  const answer = await (await openFor(call)).applyUnknown(action, how);
  output.json(answer);
  return answer.ok ? 0 : 1;
}

function openFor({ options, open }: Call, access: Access = "create"): Promise<Journal> {
  const dedupe = options.text("dedupe") as Dedupe | undefined;
  return open(access, undefined, given({ dedupe }));
}

async function applyInput(call: Call): Promise<ExitCode> {
  const { where, options, input, output, env } = call;
  for (const name of ["command", "expect"]) {
    if (options.flag(name)) throw new UsageError(`--${name} is for one action: with - put "command" into each line`);
  }
  const source = sourceOf(options) as TextSource | undefined;
  // Where there is nothing to read, no session is made.
  const actions = readJsonLines(input());
  let isUnmade = isUnmadeFile(await placeNamed(where, "create", env));
  // What cannot be opened, and an option that is wrong, is told at once, however long the first line takes.
  let opened = await openFor(call, isUnmade ? "preview" : "create");
  const applied = async (value: unknown): Promise<Answer> => {
    const asked = withItsOwn(value, given({ source }));
    if (isUnmade) opened = await openFor(call);
    isUnmade = false;
    return opened.applyUnknown(...asked);
  };
  let code: ExitCode = 0;
  for await (const { line, value } of actions) {
    const answer = await applied(value).catch((error: unknown) => {
      if (error instanceof TypeError) throw new UsageError(`line ${line}: ${messageOf(error)}`);
      throw error;
    });
    output.json(answer);
    if (!answer.ok) code = 1;
  }
  return code;
}

/** What an action names itself counts, as with its actor. */
function withItsOwn(value: unknown, options: ApplyOptions): [action: unknown, options: ApplyOptions] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [value, options];
  const { command, actor, source = options.source, ...action } = value as Record<string, unknown>;
  try {
    return [action, parseApplyOptions({ command, actor, ...options, source })];
  } catch (error) {
    const said = error instanceof TypeError ? fieldMessageOf(error, value) : undefined;
    throw said === undefined ? error : new TypeError(said, { cause: error });
  }
}

/** Checked before a session is made. */
function mustAgree(action: unknown, command: string | undefined): void {
  const own = (action as { readonly command?: unknown } | null)?.command;
  if (command === undefined || own === undefined || own === command) return;
  const both = `${JSON.stringify(own)} in the action and ${JSON.stringify(command)} after --command`;
  throw new UsageError(`two keys for one action, ${both}: leave one out`);
}

function parseAction(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (where.startsWith("{"))
      throw new UsageError("the action stands where the session belongs: session-journal apply <session> JSON|-");
    throw new UsageError(
      `the action is not JSON: quote it for the shell, such as '{"action":"set_plan","content":"1. Fix the bug"}'`,
    );
  }
}
