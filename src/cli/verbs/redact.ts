import { text as textOf } from "node:stream/consumers";
import type { Redacted } from "../../open/copy-without.ts";
import { redactJournal } from "../../open/redact-journal.ts";
import { given } from "../../options.ts";
import { keyBytesAt } from "../read-file.ts";
import { redactionOf, redactOption, remarksOn, textsBesides } from "../redaction.ts";
import { sealOf } from "../session.ts";
import { UsageError } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";
import { placeNamed } from "../where.ts";
import { messageOf } from "../wording.ts";
import { counted } from "../words.ts";

export const redact: Verb = {
  about: "copy a session without a secret or another text that must not be kept",
  options: {
    text: {
      value: "TEXT",
      isList: true,
      about:
        "this text, wherever it occurs; - reads it from standard input, because other users can read the words of a command line",
    },
    pattern: { value: "REGEX", isList: true, about: "what this regular expression matches" },
    version: { value: "V", isList: true, about: "every text of this version, wherever it occurs" },
    ...redactOption,
    output: {
      short: "o",
      value: "TARGET",
      about: "where the copy goes: a path or an address at which nothing exists yet",
    },
    reason: { value: "TEXT", about: "the reason, for the event that records the redaction" },
    "key-file": { value: "FILE", about: "holds the key of the digests (default: a new one, which is printed)" },
  },
  notes: [
    "Every match becomes [redacted N characters]: in events, mirrors, and from file to file in the host's messages, too.",
    "Commits that were not redacted can still be verified. verify lists each redacted commit as a note.",
    "The source is not touched: when you have looked at the copy, put it in the place of the source yourself.",
  ],
  example: "session-journal redact session.jsonl --redact secrets -o clean.jsonl",
  async run(call) {
    const { options, output, env } = call;
    const target = options.text("output");
    if (target === undefined) throw new UsageError("-o TARGET is missing: say where the copy goes");
    const choice = await choiceOf(call);
    const where = await placeNamed(call.where, "read", env);
    const seal = await sealOf(options, env);
    const keyFile = options.text("key-file");
    const key = keyFile === undefined ? undefined : await keyBytesAt(keyFile, "the key", "after --key-file");
    const done = await redactJournal(where, target, {
      ...choice,
      ...given({ reason: options.text("reason"), actor: options.text("actor"), namespace: options.text("namespace") }),
      ...given({ seal, key }),
      requireMatch: true,
    });
    if (options.flag("json")) {
      output.json(done);
      return 0;
    }
    output.line(`redacted ${redactedTexts(done)} in ${done.to}: v${done.version}, head ${done.hash}`);
    for (const line of remarksOn(done)) output.line(line);
    return 0;
  },
};

function redactedTexts(done: Redacted): string {
  const { texts, versions } = done;
  const of = versions.length > 12 ? counted(versions.length, "version") : named(versions);
  const ofEvents = texts > 0 ? [`${counted(texts, "text")} of ${of}`] : [];
  return [...ofEvents, ...textsBesides(done)].join(" and ");
}

function named(versions: readonly number[]): string {
  return versions.map((version) => `v${version}`).join(", ");
}

async function choiceOf({ options, input }: Pick<Call, "options" | "input">) {
  const { text = [], pattern = [], secrets = false } = redactionOf(options) ?? {};
  const texts: string[] = [];
  for (const each of options.list("text")) texts.push(each === "-" ? await inputText(input()) : each);
  const versions = options.list("version").map((each) => {
    if (/^v?[1-9]\d{0,14}$/.test(each)) return Number(each.replace("v", ""));
    throw new UsageError(`--version takes a version, such as 12, not ${JSON.stringify(each)}`);
  });
  for (const each of options.list("pattern")) mustBePattern(each);
  const choice = {
    text: [...texts, ...[text].flat()],
    pattern: [...options.list("pattern"), ...[pattern].flat()],
    version: versions,
    secrets,
  };
  if (choice.text.length + choice.pattern.length + versions.length > 0 || secrets) return choice;
  throw new UsageError("say what to remove: --text TEXT, --pattern REGEX, --version V or --redact secrets");
}

function mustBePattern(text: string): void {
  try {
    new RegExp(text);
  } catch (error) {
    throw new UsageError(`--pattern: ${messageOf(error)}; --text takes a text as it stands`);
  }
}

async function inputText(input: ReturnType<Call["input"]>): Promise<string> {
  const text = (await textOf(input)).replace(/\r?\n$/, "");
  if (text === "") throw new UsageError("standard input is empty: --text - takes the text from it");
  return text;
}
