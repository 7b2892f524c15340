/** What must not be kept, as options of the command line say it. */

import { choiceOfWord, type RedactionChoice } from "../audit/redact/wish.ts";
import type { Journal } from "../journal/public.ts";
import type { Redacted } from "../open/copy-without.ts";
import { given } from "../options.ts";
import type { OptionSpecs, Options } from "./options.ts";
import type { Environment } from "./output.ts";
import { sealOf } from "./session.ts";
import { UsageError } from "./usage.ts";
import { counted } from "./words.ts";

export const redactOption = {
  redact: {
    value: "WHAT",
    isList: true,
    about: "leave out WHAT: secrets (keys and tokens of common kinds), /REGEX/ or a text; may be given several times",
  },
} as const satisfies OptionSpecs;

/** The result is undefined if nothing is to go. */
export function redactionOf(options: Options): RedactionChoice | undefined {
  const choices = options.list("redact").map(choiceNamed);
  if (choices.length === 0) return undefined;
  return {
    text: choices.flatMap(({ text = [] }) => text),
    pattern: choices.flatMap(({ pattern = [] }) => pattern),
    secrets: choices.some(({ secrets }) => secrets === true),
  };
}

function choiceNamed(word: string): RedactionChoice {
  try {
    return choiceOfWord(word);
  } catch (cause) {
    throw new UsageError(`--redact: ${(cause as Error).message}`);
  }
}

/** The result says what other lines than those of events lost, in parts of a sentence. */
export function textsBesides({ hostTexts, uncounted }: Redacted): string[] {
  return [
    ...(hostTexts > 0 ? [`${counted(hostTexts, "text")} of the host`] : []),
    ...(uncounted > 0 ? [`${counted(uncounted, "text")} of lines that do not count`] : []),
  ];
}

/** The result is what else its user must know of a redacted copy, in lines. It does not repeat the text. */
export function remarksOn({ key, hostKept, leftOut }: Redacted): string[] {
  const places = counted(hostKept, "place");
  return [
    ...(key === undefined ? [] : [`key of the digests, to prove later what was removed: ${key}`]),
    ...(hostKept === 0
      ? []
      : [
          `left ${places} in the names of fields, ids, types and numbers of the host's lines: without them the host could not read the copy`,
        ]),
    ...(leftOut === 0 ? [] : [`left out ${counted(leftOut, "line")} that cannot be read, and so not searched`]),
  ];
}

/** Calls `task` with a copy in memory, which is gone afterwards, of the journal at `where`. */
export async function withRedacted<Result>(
  where: string,
  choice: RedactionChoice,
  options: Options,
  env: Environment,
  task: (journal: Journal) => Promise<Result>,
): Promise<Result> {
  const { openJournal } = await import("../open/open-journal.ts");
  const { redactJournal } = await import("../open/redact-journal.ts");
  const { MemoryLog } = await import("../store/memory.ts");
  const { streamStore } = await import("../stream/stream-store.ts");
  const seal = given({ seal: await sealOf(options, env) });
  const namespace = options.text("namespace");
  const source = await openJournal(where, { readonly: true, ...seal });
  const session = await source.sessionId().finally(() => source.close());
  const store = streamStore(new MemoryLog(session), seal);
  await redactJournal(where, store, { ...choice, ...seal, ...given({ namespace }) });
  const journal = await openJournal(store, { readonly: true });
  return task(journal).finally(() => journal.close());
}
