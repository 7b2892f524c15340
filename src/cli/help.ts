/** This file prints help, for the whole command and for each verb. */
import { globalOptions, type OptionSpecs } from "./options.ts";
import type { Output } from "./output.ts";
import type { Span } from "./span.ts";
import { usageOf, type Verb } from "./verb.ts";
import { verbs } from "./verbs.ts";

export async function printHelp(output: Output): Promise<void> {
  paragraph(
    "session-journal shows how the plan of an agent changed during a session, and keeps a scratchpad for agents.",
    output,
  );
  output.line();
  output.line(bold("usage"), "  session-journal <verb> <session> [arguments] [options]");
  output.line();
  output.line(bold("verbs"));
  const rows: Span[][] = [];
  for (const [name, load] of Object.entries(verbs)) {
    const verb = await load();
    rows.push([`  ${[name, ...ownWhere(verb), ...(verb.parameters ?? [])].join(" ")}`, verb.about]);
  }
  output.table(rows, "wrapped");
  output.line();
  output.line("  session-journal <verb> --help says more about one verb, with an example.");
  output.line();
  printOptions("options of every verb", globalOptions, output);
  output.line();
  output.table(words, "wrapped");
}

/** The result is the word that the verb needs in the place of a session. */
function ownWhere({ where, isWhereOptional, isWhereLast }: Verb): string[] {
  return where === undefined || isWhereOptional || isWhereLast ? [] : [where.toUpperCase()];
}

/** These rows stand at the end of help and in the manual. A row is a word, which is empty if it is the one above, and a line about it. */
export const words: readonly (readonly [string, string])[] = [
  ["<session>", "the path of a session file, sqlite:FILE#SESSION, nats://HOST/PREFIX#SESSION,"],
  ["", "postgres://HOST/DATABASE#SESSION, or the beginning of an id"],
  ["", "If you name none, a verb that only reads takes the newest session of this folder. It reads any session file,"],
  ["", "even one that was written before session-journal was installed, and changes nothing."],
  ["POINT", "v12 or 12 (a version), t4 (the end of turn 4), #entryId, 2026-03-09T13:18:36Z, head,"],
  ["", 'or a time in UTC, as you would say it: yesterday, "2 hours ago", "2026-03-09 13:10"'],
  ["exit code", "0: done. 1: refused, a version conflict, or damage found. 2: anything else, and one line says why"],
];

export function printVerbHelp(name: string, verb: Verb, output: Output): void {
  const { options = {}, notes = [] } = verb;
  output.line(`${verb.about[0]?.toUpperCase()}${verb.about.slice(1)}.`);
  output.line();
  output.line(bold("usage"), `    ${usageOf(name, verb)} [options]`);
  output.line(bold("example"), `  ${verb.example}`);
  output.line();
  if (notes.length > 0) {
    for (const note of notes) paragraph(note, output);
    output.line();
  }
  if (Object.keys(options).length > 0) {
    printOptions("options", options, output);
    output.line();
  }
  const others = Object.entries(globalOptions).filter(([option]) => !Object.hasOwn(options, option));
  printOptions("options of every verb", Object.fromEntries(others), output);
}

function printOptions(title: string, specs: OptionSpecs, output: Output): void {
  output.line(bold(title));
  output.table(
    Object.entries(specs).map(([name, { short, value, about }]) => [
      `  ${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
      about,
    ]),
    "wrapped",
  );
}

function paragraph(text: string, output: Output): void {
  output.table([[text]], "wrapped");
}

function bold(text: string): Span {
  return { text, style: "bold" };
}
