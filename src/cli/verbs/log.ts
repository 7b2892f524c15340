import { defaultLimits, type Limits } from "../../action/limits.ts";
import { spaces } from "../../action/measures.ts";
import { diffStates, hasLongText, type StateDiff } from "../../audit/diff.ts";
import { longTextUnits } from "../../audit/long-text-units.ts";
import { withoutLongTexts } from "../../audit/long-texts.ts";
import { Newest } from "../../audit/newest.ts";
import type { RecordedEvent } from "../../event/event.ts";
import type { Journal } from "../../journal/public.ts";
import { given } from "../../options.ts";
import { goneBeginning } from "../beginning.ts";
import { type HistoryFilter, type Step, selected } from "../history-filter.ts";
import { isMarker, type LogRow, progressAfter, rowsIn, useAround } from "../log-rows.ts";
import { printShown } from "../log-shown.ts";
import { type TableFormat, tableFormats, tableHead, tableLine } from "../log-table.ts";
import { type LogColumns, logSpans, shortSpans } from "../log-text.ts";
import { boundOf } from "../moments.ts";
import type { Options } from "../options.ts";
import type { Output } from "../output.ts";
import { sourceOf, sourceOption } from "../source.ts";
import { diffOptions, printDiffs } from "../unified.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";
import { counted } from "../words.ts";

/** On a terminal with fewer columns, the text of an event matters more than the budget. */
const useColumnsMin = 100;

export const log: Verb = {
  about: "show the history, a line for each event",
  endsByItself: true,
  takesNewest: true,
  options: {
    diffs: { short: "p", about: "with what each event changed" },
    ...diffOptions,
    space: { value: "SPACE", choices: spaces, about: `events about one space: ${spaces.join(", ")}` },
    actor: { value: "NAME", about: "events of one actor" },
    ...sourceOption,
    turn: { value: "K", about: "events of one turn" },
    type: { value: "TYPE", about: "events of one type, such as notes.set" },
    grep: { value: "TEXT", about: "events that contain TEXT" },
    pickaxe: { short: "S", value: "TEXT", about: "events that added or removed TEXT" },
    since: { value: "TIME", about: 'events from then on: yesterday, "2 hours ago", 2026-03-09, "2026-03-09 13:10"' },
    until: { value: "TIME", about: "events up to then" },
    number: { short: "n", value: "N", about: "only the newest N" },
    reverse: { about: "newest first" },
    oneline: { about: "only the version, what happened, and what is new" },
    format: { value: "FORMAT", choices: tableFormats, about: "as a table with all columns: csv, markdown" },
    shown: { about: "what the model was shown, if that was recorded, and what it did next; with -p also the blocks" },
    markers: { about: "with --json or --format, too: what the host did in between" },
  },
  notes: [
    "The oldest event comes first; --reverse shows the newest first. With several filters, an event must pass all of them.",
    "Without a filter, the host's compactions, rewinds and changes of model appear between the events.",
    "Before and after each event, the use of the budget is shown in the units of show; -p --json contains it as well.",
  ],
  example: 'session-journal log session.jsonl -p -S "root cause"',
  async run({ where, options, output, open, warn }) {
    const journal = await open("read");
    const gone = await goneBeginning(journal, where);
    if (gone !== undefined) {
      requireOfEvents(options, gone);
      warn(`${gone}: this is what is left of the history, without the use of the budgets`);
    }
    if (options.flag("shown")) {
      const asked = { asJson: options.flag("json"), withBlocks: options.flag("diffs"), filter: filterOf(options) };
      await printShown(journal.history(), asked, output);
      return 0;
    }
    const format = formatOf(options);
    let isAny = false;
    const rows = noting(rowsOf(journal, options), () => {
      isAny = true;
    });
    const foreign = await journal.foreign();
    // Another client has no budgets, and how full a space was is not known without what was dropped.
    const limits = foreign === undefined && gone === undefined ? journal.limits : undefined;
    const withUse = limits !== undefined && output.columns >= useColumnsMin;
    if (format !== undefined) await printTable(rows, limits, format, output);
    else if (options.flag("diffs")) await output.each(rows, (row) => printWithDiff(row, limits, options, output));
    else if (options.flag("json")) await output.each(rows, (row) => printJson(row, output));
    else {
      const columns = columnsIn(output, withUse);
      const spansOf = (row: LogRow) =>
        options.flag("oneline") ? shortSpans(row) : logSpans(row, journal.limits, columns);
      await output.pages(rows, (page, table) => table(page.map(spansOf)));
    }
    const isForPeople = format === undefined && !options.flag("json");
    if (isForPeople && journal.version === 0) {
      warn(foreign?.noChecklist ?? "nothing was written to a scratchpad in this session yet");
    } else if (isForPeople && !isAny && options.count("number") !== 0) {
      warn(`none of the ${counted(journal.version, "event")} passes the filters (session-journal log --help)`);
    }
    return 0;
  },
};

/** Throws a {@link UsageError} for what takes the states before and after each event. */
function requireOfEvents(options: Options, gone: string): void {
  if (options.flag("diffs")) throw new UsageError(`${gone}, so nobody knows what each event changed: leave out -p`);
  if (options.text("pickaxe") === undefined) return;
  throw new UsageError(
    `${gone}, so nobody knows which events added or removed a text: --grep finds those that contain it`,
  );
}

async function* noting(rows: AsyncIterable<LogRow>, note: () => void): AsyncGenerator<LogRow, undefined> {
  for await (const row of rows) {
    note();
    yield row;
  }
}

/** On a terminal, a name of an actor has at most so many columns. */
const actorColumns = 20;

function columnsIn(output: Output, withUse: boolean): LogColumns {
  return { withUse, actorMax: output.isTerminal ? actorColumns : Number.POSITIVE_INFINITY };
}

/** Markers stand in a history that nothing was filtered out of; a program gets them where it asks for them. */
function rowsOf(journal: Journal, options: Options): AsyncIterable<LogRow> {
  const filter = filterOf(options);
  const isForProgram = options.flag("json") || options.text("format") !== undefined;
  const isWhole = Object.values(filter).every((part) => part === undefined);
  const withMarkers = isWhole && (options.flag("markers") || !isForProgram);
  const rows = withMarkers ? rowsIn(journal.historyWithHost()) : selected(journal.history(), filter);
  return newestIn(rows, options);
}

async function* newestIn(rows: AsyncIterable<LogRow>, options: Options): AsyncGenerator<LogRow> {
  const count = options.count("number") ?? Number.POSITIVE_INFINITY;
  const isReversed = options.flag("reverse");
  if (count === Number.POSITIVE_INFINITY && !isReversed) {
    yield* rows;
    return;
  }
  const newest = new Newest<LogRow>(count, Number.POSITIVE_INFINITY);
  for await (const row of rows) newest.add(row, 0);
  if (count > 0) yield* isReversed ? newest.items.reverse() : newest.items;
}

function printJson(row: LogRow, output: Output): void {
  output.json(isMarker(row) ? row : { ...row.recorded, ...progressAfter(row) });
}

function filterOf(options: Options): HistoryFilter {
  const text = {
    space: options.text("space"),
    actor: options.text("actor"),
    source: sourceOf(options),
    type: options.text("type"),
  };
  const turn = options.count("turn", "t");
  const [since, until] = [boundOf("since", options.text("since")), boundOf("until", options.text("until"))];
  return { ...text, turn, since, until, grep: options.text("grep"), pickaxe: options.text("pickaxe") };
}

function formatOf(options: Options): TableFormat | undefined {
  const format = options.text("format") as TableFormat | undefined;
  if (options.flag("word-diff") && !options.flag("diffs")) throw new UsageError("--word-diff is for diffs: add -p");
  if (format === undefined || !["json", "diffs", "oneline"].some((name) => options.flag(name))) return format;
  throw new UsageError("--format is a table with all columns: leave out --json, -p and --oneline");
}

/** CSV is for programs, byte for byte; Markdown is for people. */
async function printTable(
  rows: AsyncIterable<LogRow>,
  limits: Limits | undefined,
  format: TableFormat,
  output: Output,
): Promise<void> {
  const print = (line: string): void => (format === "csv" ? output.exact(`${line}\n`) : output.text(line));
  tableHead(format).forEach(print);
  await output.each(rows, (row) => print(tableLine(row, limits, format)));
}

/** Without `limits`, it shows no budgets. */
function printWithDiff(row: LogRow, limits: Limits | undefined, options: Options, output: Output): void {
  if (options.flag("json")) {
    const use = isMarker(row) || limits === undefined ? undefined : useAround(row, limits);
    output.json({
      ...(isMarker(row) ? row : { ...row.recorded, ...progressAfter(row) }),
      ...given({ use }),
      ...(isMarker(row) ? undefined : diffIn(row)),
    });
    return;
  }
  const shown = isMarker(row) ? row : { ...row, recorded: withoutLongTexts(row.recorded) };
  output.table([logSpans(shown, limits ?? defaultLimits, columnsIn(output, limits !== undefined))]);
  if (!isMarker(row)) printDiffs({ ...row, names: namesOf(row.recorded) }, options, output);
  output.line();
}

/** Where a diff would repeat a text that is as long as many, the event alone has it. */
function diffIn({ before, after, recorded }: Step): Partial<StateDiff> & { readonly noDiff?: string } {
  if (before !== after && (hasLongText(before) || hasLongText(after)))
    return { noDiff: `a text has more than ${longTextUnits} characters` };
  return diffStates(before, after, namesOf(recorded));
}

function namesOf({ version }: RecordedEvent) {
  return { before: `v${version - 1}`, after: `v${version}` };
}
