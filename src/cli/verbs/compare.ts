import { type ComparedSession, type Comparison, compare as compareSessions } from "../../audit/compare.ts";
import type { RecordedEvent } from "../../event/event.ts";
import type { Journal } from "../../journal/public.ts";
import type { Output } from "../output.ts";
import { printUnified } from "../unified.ts";
import type { Verb } from "../verb.ts";
import { counted } from "../words.ts";

export const compare: Verb = {
  about: "what two sessions share, and where they parted",
  parameters: ["OTHER"],
  example: "session-journal compare session.jsonl child.jsonl",
  async run({ where, parameters: [other = ""], options, output, open }) {
    const comparison = compareSessions(await sessionOf(await open("read")), await sessionOf(await open("read", other)));
    if (options.flag("json")) output.json(comparison);
    else printComparison(where, other, comparison, output);
    return 0;
  },
};

async function sessionOf(journal: Journal): Promise<ComparedSession> {
  const events: RecordedEvent[] = [];
  for await (const recorded of journal.history()) events.push(recorded);
  return { session: await journal.sessionId(), events };
}

function printComparison(a: string, b: string, comparison: Comparison, output: Output): void {
  const { shared, parted, since, diff } = comparison;
  output.line({ text: kinship(comparison), style: "bold" });
  if (shared !== undefined) output.line(`shared: up to v${shared.version} of session ${shared.session}`);
  output.table([
    [`a: ${a}`, `parted after v${parted.a}`, `${counted(since.a, "event")} since`],
    [`b: ${b}`, `parted after v${parted.b}`, `${counted(since.b, "event")} since`],
  ]);
  output.line();
  if (diff.text === "") output.line({ text: "both states are the same", style: "dim" });
  else printUnified(diff.text, output);
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
