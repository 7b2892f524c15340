import { parsePoint } from "../../audit/points.ts";
import { type SpaceChange, statBetween } from "../../audit/stat.ts";
import { visibleJson } from "../../audit/visible.ts";
import type { Diff } from "../../journal/past.ts";
import type { Journal } from "../../journal/public.ts";
import type { Options } from "../options.ts";
import type { Output, Span } from "../output.ts";
import { diffOptions, printDiffs } from "../unified.ts";
import type { Verb } from "../verb.ts";

export const diff: Verb = {
  about: "what changed between two points",
  endsByItself: true,
  takesNewest: true,
  isParameter: isPoint,
  parameters: ["[FROM]", "[TO]"],
  options: {
    patch: { about: "as a JSON patch (RFC 6902)" },
    ...diffOptions,
    stat: { about: "only how many lines each space gained and lost" },
  },
  notes: [
    "Without points: the last turn. With a turn alone (t4): that turn. With another point alone: from there to head.",
    "FROM..TO is the same as FROM TO. Each space that changed has a diff of its own.",
  ],
  example: "session-journal diff session.jsonl t3 t5",
  async run({ parameters: [first, second], options, output, open }) {
    const journal = await open("read");
    const changes = await diffOf(journal, first, second);
    if (options.flag("stat")) printStat(await statOf(journal, changes), options.flag("json"), output);
    else if (options.flag("patch")) printPatch(changes, options.flag("json"), output);
    else if (options.flag("json")) output.json(changes);
    else await printChanges(journal, changes, options, output);
    return 0;
  },
};

function isPoint(word: string): boolean {
  return word.split("..").every((part) => /^(?:|v?\d+|t\d+|head|#.+|\d{4}-\d\d-\d\dT.+)$/.test(part));
}

function diffOf(journal: Journal, first: string | undefined, second: string | undefined): Promise<Diff> {
  if (first === undefined) return journal.diff();
  if (second !== undefined) return journal.diff(parsePoint(first), parsePoint(second));
  const range = /^(.*?)\.\.(.*)$/s.exec(first);
  if (range !== null) return journal.diff(parsePoint(range[1] ?? ""), parsePoint(range[2] ?? ""));
  const turn = /^t(\d{1,15})$/.exec(first)?.[1];
  if (turn === undefined) return journal.diff(parsePoint(first));
  return journal.diff(Number(turn) === 0 ? 0 : `t${Number(turn) - 1}`, parsePoint(first));
}

async function statOf(journal: Journal, { from, to }: Diff): Promise<SpaceChange[]> {
  const [before, after] = [await journal.at(from), await journal.at(to)];
  return statBetween(before.state, after.state);
}

/** As many signs as lines, up to this many; then they show the share of each. */
const signsMax = 40;

function printStat(changes: readonly SpaceChange[], asJson: boolean, output: Output): void {
  if (asJson) for (const change of changes) output.json(change);
  else if (changes.length === 0) output.line({ text: "nothing changed", style: "dim" });
  else output.table(changes.map(statRow));
}

function statRow({ space, key, added, removed }: SpaceChange): Span[] {
  const scale = Math.min(1, signsMax / (added + removed));
  const signs = (sign: string, lines: number): string => sign.repeat(Math.ceil(lines * scale));
  return [
    key === undefined ? space : `${space} ${key}`,
    { text: `+${added}`, style: "green" },
    { text: `-${removed}`, style: "red" },
    { text: signs("+", added) + signs("-", removed), style: "dim" },
  ];
}

function printPatch({ patch }: Diff, asJson: boolean, output: Output): void {
  if (asJson || patch.length === 0) {
    output.json(patch);
    return;
  }
  const last = patch.length - 1;
  patch.forEach((operation, index) => {
    output.line(`${index === 0 ? "[" : " "}${visibleJson(JSON.stringify(operation))}${index === last ? "]" : ","}`);
  });
}

async function printChanges(journal: Journal, { from, to }: Diff, options: Options, output: Output): Promise<void> {
  const [before, after] = [await journal.at(from), await journal.at(to)];
  const names = { before: `v${from}`, after: `v${to}` };
  const isPrinted = printDiffs({ before: before.state, after: after.state, names }, options, output);
  if (!isPrinted) output.line({ text: `v${from} and v${to} are the same`, style: "dim" });
}
