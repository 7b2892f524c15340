import type { Space } from "../../action/actions.ts";
import { spaces } from "../../action/measures.ts";
import type { BlamedLine } from "../../audit/blame.ts";
import { longTextUnits } from "../../audit/long-text-units.ts";
import { longTextNotice } from "../../audit/long-texts.ts";
import { actorAndSource, isFrom, sourceOption } from "../source.ts";
import type { Span } from "../span.ts";
import type { Verb } from "../verb.ts";
import { shortTime } from "../words.ts";

export const blame: Verb = {
  about: "show who wrote each line",
  endsByItself: true,
  takesNewest: true,
  options: { space: { value: "SPACE", choices: spaces, about: "the lines of one space" }, ...sourceOption },
  example: "session-journal blame session.jsonl --space notes",
  async run({ options, output, open }) {
    const journal = await open("read");
    const all = await journal.blame(options.text("space") as Space | undefined);
    const lines = all.filter(({ source }) => isFrom(source, options.text("source")));
    if (options.flag("json")) for (const line of lines) output.json(line);
    else output.table(lines.map(row));
    return 0;
  },
};

function row({ space, key, line, text, version, turn, actor, at, source }: BlamedLine): Span[] {
  const isLong = text.length > longTextUnits;
  return [
    { text: `v${version}`, style: "yellow" },
    { text: shortTime(at), style: "dim" },
    { text: `t${turn}`, style: "dim" },
    { text: actorAndSource(actor, source), style: "cyan" },
    { text: `${key === undefined ? space : `${space} ${key}`}:${line}`, style: "dim" },
    isLong ? longTextNotice(text, `version ${version}`) : text,
  ];
}
