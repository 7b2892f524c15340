import type { Loss } from "../../audit/lost.ts";
import type { Output, Span } from "../output.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";
import { shortTime } from "../words.ts";

export const lost: Verb = {
  about: "what budgets, refusals and others than its author took away; steps dropped or unfinished",
  endsByItself: true,
  takesNewest: true,
  options: {
    all: { about: "also what authors replaced or removed themselves" },
    restore: { value: "VERSION", about: "print what was taken away there, whole" },
  },
  notes: [
    "replaced, removed: another actor than its author wrote over it, cleared or deleted it.",
    "dropped: a step that left the plan without having been completed; unfinished: one that is open at the end.",
    "Nothing is written; send a text again with apply.",
  ],
  example: "session-journal lost session.jsonl --restore v19",
  async run({ options, output, open }) {
    const version = options.count("restore", "v");
    const journal = await open("read");
    const all = await journal.lost({ all: options.flag("all") });
    const losses = version === undefined ? all : takenAt(version, all);
    if (version !== undefined && losses.length === 0) {
      throw new UsageError(`nothing was taken away at v${version}: without --restore, lost lists where something was`);
    }
    if (options.flag("json")) for (const loss of losses) output.json(loss);
    else if (version !== undefined) output.exact(losses.map(({ text }) => text).join("\n"));
    else printLosses(losses, output);
    return 0;
  },
};

/** An unfinished step still stands; a dropped one stands in what took its line, where that is a loss, too. */
function takenAt(version: number, all: readonly Loss[]): readonly Loss[] {
  const taken = all.filter((loss) => loss.version === version && loss.reason !== "unfinished");
  const texts = taken.filter(({ reason }) => reason !== "dropped");
  return texts.length > 0 ? texts : taken;
}

function printLosses(losses: readonly Loss[], output: Output): void {
  if (losses.length === 0) output.line({ text: "nothing was taken away", style: "dim" });
  else {
    const isOfOthers = losses.some(({ author, actor }) => author !== undefined && author !== actor);
    output.table(losses.map((loss) => row(loss, isOfOthers)));
  }
}

function row({ version, turn, at, actor, author, reason, space, key, text }: Loss, withAuthor: boolean): Span[] {
  return [
    { text: `v${version}`, style: "yellow" },
    { text: shortTime(at), style: "dim" },
    { text: `t${turn}`, style: "dim" },
    { text: actor, style: "cyan" },
    reason,
    ...(withAuthor ? [author === undefined || author === actor ? "-" : `of ${author}`] : []),
    key === undefined ? space : `${space} ${key}`,
    { text: `${text.length} chars`, style: "dim" },
    text.replaceAll("\n", " ↵ "),
  ];
}
