import type { Limits } from "../../action/limits.ts";
import type { Change } from "../../journal/change.ts";
import { stepOf } from "../../journal/compared.ts";
import { given } from "../../options.ts";
import { logSpans } from "../log-text.ts";
import type { Output } from "../output.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";

export const follow: Verb = {
  about: "print changes as they happen, until interrupted",
  takesNewest: true,
  options: {
    from: { value: "VERSION", about: "begin with everything after this version (default: only new changes)" },
  },
  notes: [
    "A line of JSON has the version, turn, actor, time and event, the state after it, and a JSON patch that leads there.",
  ],
  example: "session-journal follow session.jsonl --from 0",
  async run({ options, output, open, interruption }) {
    const from = options.count("from", "v");
    const journal = await open("read");
    if (from !== undefined && from > journal.version) {
      const newest = `the newest version is ${journal.version}`;
      throw new UsageError(`v${from} is beyond the end: ${newest}; without --from, only new changes are printed`);
    }
    const signal = AbortSignal.any([interruption(), output.closed]);
    const isForPeople = output.isTerminal && !options.flag("json");
    for await (const change of journal.changes({ signal, ...given({ from }) })) {
      if (isForPeople) printRow(change, journal.limits, output);
      else output.json(withProvenance(change));
      await output.written();
    }
    return 0;
  },
};

/** The result names who made the change, and when, between what it is and what it led to. */
function withProvenance(change: Change): object {
  const step = stepOf(change);
  if (step === undefined || change.type === "reset") return change;
  const { type, version, event, state, patch } = change;
  const { event: _, version: __, offset: ___, ...provenance } = step.recorded;
  return { type, version, ...provenance, event, state, patch };
}

/** A name of an actor has at most so many columns. */
const actorMax = 20;

function printRow(change: Change, limits: Limits, output: Output): void {
  const step = stepOf(change);
  if (step !== undefined)
    output.table([logSpans({ ...step, after: change.state }, limits, { withUse: false, actorMax })]);
  else
    output.line({
      text: `v${change.version}: the history was replaced by another one, so what was shown before is no longer valid`,
      style: "yellow",
    });
}
