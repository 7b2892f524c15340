import type { Space } from "../../action/actions.ts";
import { spaces } from "../../action/measures.ts";
import type { BlamedLine } from "../../audit/blame.ts";
import { longTextUnits } from "../../audit/long-text-units.ts";
import { longTextNotice } from "../../audit/long-texts.ts";
import { actorAndSource, isFrom, sourceOf, sourceOption } from "../source.ts";
import type { Span } from "../span.ts";
import type { Verb } from "../verb.ts";
import { whoAndWhen } from "../words.ts";

export const blame: Verb = {
  about: "show who wrote each line",
  endsByItself: true,
  takesNewest: true,
  options: {
    space: { value: "SPACE", choices: spaces, about: `the lines of one space: ${spaces.join(", ")}` },
    ...sourceOption,
  },
  example: "session-journal blame session.jsonl --space notes",
  async run({ options, output, open, warn }) {
    const [space, from] = [options.text("space"), sourceOf(options)];
    const journal = await open("read");
    const all = await journal.blame(space as Space | undefined);
    const lines = all.filter(({ source }) => isFrom(source, from));
    if (options.flag("json")) for (const line of lines) output.json(line);
    else if (lines.length > 0) output.table(lines.map(row));
    else warn(all.length > 0 ? `no line is from ${from}` : `${space ?? "the scratchpad"} is empty: it has no line`);
    return 0;
  },
};

function row(blamed: BlamedLine): Span[] {
  const { space, key, line, text, version, actor, source } = blamed;
  const isLong = text.length > longTextUnits;
  return [
    ...whoAndWhen(blamed, actorAndSource(actor, source)),
    { text: `${key === undefined ? space : `${space} ${key}`}:${line}`, style: "dim" },
    isLong ? longTextNotice(text, `version ${version}`) : text,
  ];
}
