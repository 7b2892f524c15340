import { diffSpaces, diffStates, hasLongText, patchBetween, type StateDiff } from "../../audit/diff.ts";
import type { Point } from "../../audit/points.ts";
import { describe } from "../../audit/report/describe.ts";
import { type SpaceChange, statBetween } from "../../audit/stat.ts";
import { visibleJson } from "../../audit/visible.ts";
import type { Journal } from "../../journal/public.ts";
import { changeIn, type HistorySpan } from "../../journal/span.ts";
import { requireBeginning } from "../beginning.ts";
import { everything, selected } from "../history-filter.ts";
import { isSpokenTime, pointOf } from "../moments.ts";
import type { Options } from "../options.ts";
import type { Output } from "../output.ts";
import { actorAndSource, sourceOf, sourceOption } from "../source.ts";
import type { Span } from "../span.ts";
import { diffOptions, printDiffs } from "../unified.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";

export const diff: Verb = {
  about: "show what changed between two points",
  endsByItself: true,
  takesNewest: true,
  isParameter: isPoint,
  parameters: ["[FROM]", "[TO]"],
  options: {
    patch: { about: "as a JSON patch (RFC 6902)" },
    ...diffOptions,
    stat: { about: "only how many lines each space gained and lost" },
    ...sourceOption,
  },
  notes: [
    "Without points, it shows the last turn. With one turn (t4), it shows that turn. With any other single point, it shows everything from there to head.",
    "With --source, it shows what each event changed whose text came from there, one after the other.",
    "FROM..TO is the same as FROM TO. Each space that changed has a diff of its own.",
  ],
  example: "session-journal diff session.jsonl t3 t5",
  async run({ where, parameters: [first, second], options, output, open }) {
    mustBeOneShape(options);
    const journal = await open("read");
    const points = pointsOf(first, second);
    const isJson = options.flag("json");
    const source = sourceOf(options);
    if (source !== undefined) {
      await requireBeginning(journal, where, "nobody knows what each event changed; leave out --source");
      await printFrom(source, journal, await journal.span(...points), options, output);
      return 0;
    }
    const span = await journal.span(...points);
    if (options.flag("stat")) printStat(statBetween(span.from.state, span.to.state), isJson, output);
    else if (options.flag("patch")) printPatch(patchBetween(span.from.state, span.to.state), isJson, output);
    else if (isJson) await printJson(span, journal, output);
    else printChanges(span, options, output);
    return 0;
  },
};

function isPoint(word: string): boolean {
  if (isSpokenTime(word)) return true;
  return word.split("..").every((part) => /^(?:|v?\d+|t\d+|head|#.+|\d{4}-\d\d-\d\dT.+)$/.test(part));
}

function pointsOf(first: string | undefined, second: string | undefined): [Point?, Point?] {
  if (first === undefined) return [];
  const [, from, to] = /^(.*?)\.\.(.*)$/s.exec(first) ?? [];
  if (from === undefined || to === undefined)
    return second === undefined ? [pointOf(first)] : [pointOf(first), pointOf(second)];
  if (second !== undefined)
    throw new UsageError(`${JSON.stringify(second)} is one point too many: ${first} are two already`);
  if (from === "" || to === "")
    throw new UsageError(`${first} has one point, and FROM..TO takes two: ${from || "v0"}..${to || "head"}`);
  return [pointOf(from), pointOf(to)];
}

/** Throws a {@link UsageError} for two of the shapes that a diff can have. */
function mustBeOneShape(options: Options): void {
  const [shape, other] = [options.flag("word-diff") ? "word-diff" : "patch", "stat"].filter((name) =>
    options.flag(name),
  );
  if (other !== undefined) throw new UsageError(`--${shape} and --${other} exclude each other: leave one out`);
}

/** Up to so many lines there is a sign for each; more lines have signs that show the share of each kind. */
const signsMax = 40;

/** A text that is as long as many is in the patch alone: the diff of lines tells what it is known by. */
function jsonChange(span: HistorySpan): StateDiff {
  const [before, after] = [span.from.state, span.to.state];
  if (!hasLongText(before) && !hasLongText(after)) return changeIn(span);
  const names = { before: `v${span.from.version}`, after: `v${span.to.version}` };
  const text = diffSpaces(before, after, names).map((each) => each.text);
  return { patch: patchBetween(before, after), text: text.join("") };
}

/** This prints what `journal.diff` answers, event by event. */
async function printJson(span: HistorySpan, journal: Journal, output: Output): Promise<void> {
  const [from, to] = [span.from.version, span.to.version];
  const between = span.events ?? journal.history({ from: Math.min(from, to), to: Math.max(from, to) });
  await output.jsonWithList({ from, to, ...jsonChange(span) }, "events", between);
}

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

function printPatch(patch: StateDiff["patch"], asJson: boolean, output: Output): void {
  if (asJson || patch.length === 0) {
    output.json(patch);
    return;
  }
  const last = patch.length - 1;
  patch.forEach((operation, index) => {
    output.line(`${index === 0 ? "[" : " "}${visibleJson(JSON.stringify(operation))}${index === last ? "]" : ","}`);
  });
}

async function printFrom(
  source: string,
  journal: Journal,
  { from, to }: HistorySpan,
  options: Options,
  output: Output,
): Promise<void> {
  for (const name of ["patch", "stat"]) {
    if (options.flag(name)) throw new UsageError(`--${name} is of all that changed: leave out --source`);
  }
  const [after, upTo] = [Math.min(from.version, to.version), Math.max(from.version, to.version)];
  let count = 0;
  for await (const { recorded, before, after: state } of selected(journal.history(), { ...everything, source })) {
    const { version, turn, actor } = recorded;
    if (version <= after || version > upTo) continue;
    count += 1;
    const names = { before: `v${version - 1}`, after: `v${version}` };
    if (options.flag("json")) {
      output.json({ ...recorded, ...diffStates(before, state, names) });
      continue;
    }
    const who = `t${turn}  ${actorAndSource(actor, recorded.source)}  ${describe(recorded.event).title}`;
    output.line({ text: `v${version}`, style: "yellow" }, `  ${who}`);
    printDiffs({ before, after: state, names }, options, output);
    output.line();
  }
  const none = `nothing from ${source} between v${after} and v${upTo}`;
  if (count === 0 && !options.flag("json")) output.line({ text: none, style: "dim" });
}

function printChanges({ from, to, sources }: HistorySpan, options: Options, output: Output): void {
  const [first, last] = [`v${from.version}`, `v${to.version}`];
  const names = { before: first, after: last };
  const isPrinted = printDiffs({ before: from.state, after: to.state, names }, options, output);
  const texts = sources.map(({ source, versions }) => `${source} (${versionsText(versions)})`);
  if (texts.length > 0) output.line({ text: `sources: ${texts.join(", ")}`, style: "dim" });
  if (!isPrinted) output.line({ text: sameText(first, last), style: "dim" });
}

function sameText(first: string, last: string): string {
  return first === last
    ? `nothing changed: there is no event in this span, which begins and ends at ${first}`
    : `nothing changed between ${first} and ${last}`;
}

const namedVersionsMax = 3;

function versionsText(versions: readonly number[]): string {
  const named = versions.slice(0, namedVersionsMax).map((version) => `v${version}`);
  const more = versions.length - named.length;
  return [...named, ...(more === 0 ? [] : [`${more} more`])].join(", ");
}
