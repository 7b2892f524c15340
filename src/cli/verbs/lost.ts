import type { Loss } from "../../audit/lost.ts";
import type { Output, Span } from "../output.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";
import { shortTime } from "../words.ts";

export const lost: Verb = {
  about: "what budgets, refusals and other writers took away",
  options: { restore: { value: "VERSION", about: "print what was taken away there, whole" } },
  notes: ["What an action itself removed is not lost: see diff. Nothing is written; send a text again with apply."],
  example: "session-journal lost session.jsonl --restore v19",
  async run({ options, output, open }) {
    const version = options.count("restore", "v");
    const journal = await open("read");
    const losses = (await journal.lost()).filter((loss) => version === undefined || loss.version === version);
    if (version !== undefined && losses.length === 0) {
      throw new UsageError(`nothing was taken away at v${version}: without --restore, lost lists where something was`);
    }
    if (options.flag("json")) for (const loss of losses) output.json(loss);
    else if (version !== undefined) output.exact(losses.map(({ text }) => text).join("\n"));
    else printLosses(losses, output);
    return 0;
  },
};

function printLosses(losses: readonly Loss[], output: Output): void {
  if (losses.length === 0) output.line({ text: "nothing was taken away", style: "dim" });
  else output.table(losses.map(row));
}

function row({ version, turn, at, actor, reason, space, text }: Loss): Span[] {
  return [
    { text: `v${version}`, style: "yellow" },
    { text: shortTime(at), style: "dim" },
    `t${turn}`,
    { text: actor, style: "cyan" },
    reason,
    space,
    `${text.length} chars`,
    { text: text.replaceAll("\n", " ↵ "), style: "dim" },
  ];
}
