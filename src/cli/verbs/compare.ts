import { type ComparedSession, type Comparison, compare as compareSessions } from "../../audit/compare.ts";
import type { RecordedEvent } from "../../event/event.ts";
import type { Journal } from "../../journal/public.ts";
import { fold } from "../../state/fold.ts";
import type { Options } from "../options.ts";
import type { Output } from "../output.ts";
import { diffOptions, printDiffs } from "../unified.ts";
import type { Verb } from "../verb.ts";
import { counted } from "../words.ts";

export const compare: Verb = {
  about: "what two sessions share, and where they parted",
  endsByItself: true,
  parameters: ["OTHER"],
  options: diffOptions,
  example: "session-journal compare session.jsonl child.jsonl",
  async run({ where, parameters: [other = ""], options, output, open }) {
    const sessions: Sessions = {
      a: await sessionOf(await open("read")),
      b: await sessionOf(await open("read", other)),
    };
    const comparison = compareSessions(sessions.a, sessions.b);
    if (options.flag("json")) {
      output.json(comparison);
      return 0;
    }
    printComparison(where, other, comparison, output);
    printDifference(sessions, options, output);
    return 0;
  },
};

async function sessionOf(journal: Journal): Promise<ComparedSession> {
  const events: RecordedEvent[] = [];
  for await (const recorded of journal.history()) events.push(recorded);
  return { session: await journal.sessionId(), events };
}

interface Sessions {
  readonly a: ComparedSession;
  readonly b: ComparedSession;
}

function printDifference({ a, b }: Sessions, options: Options, output: Output): void {
  output.line();
  const states = { before: fold(a.events), after: fold(b.events) };
  const isPrinted = printDiffs({ ...states, names: { before: a.session, after: b.session } }, options, output);
  if (!isPrinted) output.line({ text: "both states are the same", style: "dim" });
}

function printComparison(a: string, b: string, comparison: Comparison, output: Output): void {
  const { shared, parted, since } = comparison;
  output.line({ text: kinship(comparison), style: "bold" });
  if (shared !== undefined) output.line(`shared: up to v${shared.version} of session ${shared.session}`);
  output.table([
    [`a: ${a}`, `parted after v${parted.a}`, `${counted(since.a, "event")} since`],
    [`b: ${b}`, `parted after v${parted.b}`, `${counted(since.b, "event")} since`],
  ]);
}

function kinship({ kinship: kind, shared, parted }: Comparison): string {
  switch (kind) {
    case "same":
      return "the same history";
    case "copied":
      return "both begin with the same commits";
    case "forked":
      return shared?.version === parted.a ? "b was forked from a" : "a was forked from b";
    case "siblings":
      return "both were forked from the same session";
    case "unrelated":
      return "nothing in common";
  }
}
