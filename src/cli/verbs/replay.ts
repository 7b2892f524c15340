import { restoredBy } from "../../action/replay.ts";
import { type Replay, Replaying, type ReplayOptions, type Turnaround } from "../../audit/replay.ts";
import type { RecordedEvent, Version } from "../../event/event.ts";
import { given } from "../../options.ts";
import { evolve } from "../../state/evolve.ts";
import { initialState, type ScratchpadState } from "../../state/state.ts";
import { requireBeginning } from "../beginning.ts";
import type { Output } from "../output.ts";
import { limitsOf } from "../session.ts";
import type { Span } from "../span.ts";
import { diffOptions, printDiffs } from "../unified.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";
import { counted, whoAndWhen } from "../words.ts";

export const replay: Verb = {
  about: "show what would have been without some events, or under other budgets",
  endsByItself: true,
  takesNewest: true,
  options: {
    skip: {
      value: "VERSION",
      isList: true,
      about: "leave out this event, such as v7, or these, such as v7..v9; may be given several times",
    },
    ...diffOptions,
  },
  notes: [
    "Every action is decided again: under --limits if given, or else under the budgets that were recorded with it, or else under the defaults.",
    "Values of other runtimes stay as they were.",
    "Nothing is written.",
  ],
  example: `session-journal replay session.jsonl --skip v7 --limits '{"notes":2000}'`,
  async run({ where, options, output, open }) {
    const journal = await open("read");
    await requireBeginning(journal, where, "what is left cannot be decided again from the first state");
    const skip = options.list("skip").flatMap(versionsIn);
    const beyond = skip.find((version) => version > journal.version || version < 1);
    if (beyond !== undefined) throw new UsageError(`there is no v${beyond}: the newest version is ${journal.version}`);
    const limits = limitsOf(options);
    const asked = { skip, ...given({ limits }) };
    const { state, decided, differences, recordedState } = await replayed(() => journal.history(), asked);
    if (options.flag("json")) {
      output.json({ state, decided, differences });
      return 0;
    }
    output.line(`${counted(decided, "action")} decided again, ${differences.length} with a different outcome`);
    printDifferences(differences, output);
    output.line();
    const between = { before: recordedState, after: state, names: { before: "recorded", after: "replayed" } };
    if (!printDiffs(between, options, output)) output.line({ text: "the state would be the same", style: "dim" });
    return 0;
  },
};

interface Replayed extends Replay {
  /** The history itself adds up to this state. */
  readonly recordedState: ScratchpadState;
}

/** `read` is read again where the history comes back to earlier versions: only their states are kept. */
async function replayed(read: () => AsyncIterable<RecordedEvent>, options: ReplayOptions): Promise<Replayed> {
  const once = async (kept: ReadonlySet<Version>) => {
    const replaying = new Replaying(options, kept);
    const restored = new Set<Version>();
    const differences: Turnaround[] = [];
    let recordedState = initialState;
    for await (const recorded of read()) {
      const to = restoredBy(recorded.event);
      if (to !== undefined) restored.add(to);
      recordedState = evolve(recordedState, recorded.event);
      for (const difference of replaying.take(recorded)) differences.push(difference);
    }
    const { state, decided } = replaying;
    return { restored, state, decided, differences, recordedState };
  };
  const first = await once(new Set());
  return first.restored.size === 0 ? first : once(first.restored);
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

function row(turnaround: Turnaround): Span[] {
  const { was, now, message } = turnaround;
  return [...whoAndWhen(turnaround), `${was} → ${now}`, message];
}
