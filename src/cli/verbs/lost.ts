import type { Loss } from "../../audit/lost.ts";
import { unreadText } from "../../audit/unread-text.ts";
import type { Journal } from "../../journal/public.ts";
import type { Output } from "../output.ts";
import { isFrom, sourceOf, sourceOption } from "../source.ts";
import type { Span } from "../span.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";
import { counted, whoAndWhen } from "../words.ts";

export const lost: Verb = {
  about: "show what was cut off, refused, overwritten, dropped or left unfinished",
  endsByItself: true,
  takesNewest: true,
  options: {
    all: { about: "also list what authors replaced or removed themselves" },
    ...sourceOption,
    restore: { value: "VERSION", about: "print the whole text that was taken away there" },
  },
  notes: [
    "replaced, removed: somebody other than its author wrote over it, cleared it or deleted it.",
    "dropped: a step left the plan before it was completed. unfinished: a step is open at the end.",
    "Nothing is written; send a text again with apply.",
  ],
  example: "session-journal lost session.jsonl --restore v19",
  async run({ options, output, open }) {
    const version = options.count("restore", "v");
    const journal = await open("read");
    const all = lossesFrom(sourceOf(options), journal.losses({ all: options.flag("all") }));
    if (version === undefined) await printLosses(all, options.flag("json"), output);
    else printTaken(await takenAt(version, all, journal), options.flag("json"), output);
    return 0;
  },
};

async function* lossesFrom(source: string | undefined, losses: AsyncIterable<Loss>): AsyncGenerator<Loss, undefined> {
  for await (const loss of losses) if (isFrom(loss.source, source)) yield loss;
}

/** A dropped step stands in what took its line, where that is a loss, too; an unfinished one still stands in the plan. */
async function takenAt(version: number, all: AsyncIterable<Loss>, journal: Journal): Promise<readonly Loss[]> {
  const listed: Loss[] = [];
  for await (const loss of all) if (loss.version === version) listed.push(loss);
  if (listed.length === 0) {
    // Which throws where there is no such version.
    await journal.at(version);
    throw new UsageError(`nothing was taken away at v${version}: without --restore, lost lists where something was`);
  }
  const taken = listed.filter(({ reason }) => reason !== "unfinished");
  const texts = taken.filter(({ reason }) => reason !== "dropped");
  return [texts, taken, listed].find(({ length }) => length > 0) ?? listed;
}

function printTaken(taken: readonly Loss[], asJson: boolean, output: Output): void {
  if (asJson) for (const loss of taken) output.json(loss);
  else output.exact(taken.map(({ text }) => text).join("\n"));
}

async function printLosses(losses: AsyncIterable<Loss>, asJson: boolean, output: Output): Promise<void> {
  if (asJson) {
    await output.each(losses, (loss) => output.json(loss));
    return;
  }
  let count = 0;
  await output.pages(losses, (page, table) => {
    count += page.length;
    const isOfOthers = page.some(({ author, actor }) => author !== undefined && author !== actor);
    table(page.map((loss) => row(loss, isOfOthers)));
  });
  if (count === 0) output.line({ text: "nothing was taken away", style: "dim" });
}

function row(loss: Loss, withAuthor: boolean): Span[] {
  const { actor, author, source, reason, space, key, text } = loss;
  return [
    ...whoAndWhen(loss),
    source === undefined ? reason : `${reason} (${source})`,
    ...(withAuthor ? [author === undefined || author === actor ? "-" : `of ${author}`] : []),
    key === undefined ? space : `${space} ${key}`,
    { text: counted(text.length, "char"), style: "dim" },
    unreadText(loss) ?? text.replaceAll("\n", " ↵ "),
  ];
}
