import { restoredBy } from "../../action/replay.ts";
import { Replaying, type Turnaround } from "../../audit/replay.ts";
import type { RecordedEvent, Version } from "../../event/event.ts";
import { given } from "../../options.ts";
import { evolve } from "../../state/evolve.ts";
import { initialState } from "../../state/state.ts";
import type { Output, Span } from "../output.ts";
import { limitsOf } from "../session.ts";
import { diffOptions, printDiffs } from "../unified.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";
import { counted, shortTime } from "../words.ts";

export const replay: Verb = {
  about: "show what would have been without some events, or under other budgets",
  endsByItself: true,
  takesNewest: true,
  options: {
    skip: {
      value: "VERSION",
      isList: true,
      about: "as if it had not happened, such as v7 or v7..v9; may be given several times",
    },
    ...diffOptions,
  },
  notes: [
    "Every action is decided again, under --limits, else under the budgets that were recorded with it, else under the defaults.",
    "Values of other runtimes stay as they were.",
    "Nothing is written.",
  ],
  example: `session-journal replay session.jsonl --skip v7 --limits '{"notes":2000}'`,
  async run({ options, output, open }) {
    const journal = await open("read");
    const skip = options.list("skip").flatMap(versionsIn);
    const beyond = skip.find((version) => version > journal.version || version < 1);
    if (beyond !== undefined) throw new UsageError(`there is no v${beyond}: the newest version is ${journal.version}`);
    const limits = limitsOf(options);
    const replaying = new Replaying({ skip, ...given({ limits }) }, await restoredIn(journal.history()));
    const differences: Turnaround[] = [];
    let recordedState = initialState;
    for await (const recorded of journal.history()) {
      recordedState = evolve(recordedState, recorded.event);
      for (const difference of replaying.take(recorded)) differences.push(difference);
    }
    const { state, decided } = replaying;
    if (options.flag("json")) {
      output.json({ state, decided, differences });
      return 0;
    }
    output.line(`${counted(decided, "action")} decided again, ${differences.length} with another outcome`);
    printDifferences(differences, output);
    output.line();
    const between = { before: recordedState, after: state, names: { before: "recorded", after: "replayed" } };
    if (!printDiffs(between, options, output)) output.line({ text: "the state would be the same", style: "dim" });
    return 0;
  },
};

/** To which versions the history comes back: only their states have to be kept. */
async function restoredIn(history: AsyncIterable<RecordedEvent>): Promise<ReadonlySet<Version>> {
  const versions = new Set<Version>();
  for await (const { event } of history) {
    const to = restoredBy(event);
    if (to !== undefined) versions.add(to);
  }
  return versions;
}

/** A range is as long as a history may be at most. */
const versionsMax = 1_000_000;

function versionsIn(text: string): Version[] {
  const [, from, to = from] = /^v?(\d{1,9})(?:\.\.v?(\d{1,9}))?$/.exec(text) ?? [];
  const [first, last] = [Number(from), Number(to)];
  if (from === undefined || last < first || last - first > versionsMax) {
    throw new UsageError(`--skip takes a version such as v7, or several such as v7..v9, not ${JSON.stringify(text)}`);
  }
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function printDifferences(differences: readonly Turnaround[], output: Output): void {
  if (differences.length > 0) output.table(differences.map(row));
}

function row({ version, turn, at, actor, was, now, message }: Turnaround): Span[] {
  return [
    { text: `v${version}`, style: "yellow" },
    { text: shortTime(at), style: "dim" },
    { text: `t${turn}`, style: "dim" },
    { text: actor, style: "cyan" },
    `${was} → ${now}`,
    message,
  ];
}
