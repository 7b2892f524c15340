import { spaceOf } from "../../action/actions.ts";
import { type Comparison, compareRead, type ReadSession } from "../../audit/compare.ts";
import { diffStates } from "../../audit/diff.ts";
import { type MergePlan, planMergeOf } from "../../audit/merge.ts";
import { withoutPassword } from "../../errors.ts";
import type { Journal } from "../../journal/public.ts";
import { given } from "../../options.ts";
import type { Output } from "../output.ts";
import { limitsOf } from "../session.ts";
import { diffOptions, printDiffs } from "../unified.ts";
import type { Verb } from "../verb.ts";
import { counted } from "../words.ts";

export const compare: Verb = {
  about: "show what two sessions share, and where they parted",
  endsByItself: true,
  parameters: ["OTHER"],
  options: diffOptions,
  notes: ["If the sessions have something in common, it also says what merge would bring from OTHER."],
  example: "session-journal compare session.jsonl child.jsonl",
  async run({ where, parameters: [other = ""], options, output, open }) {
    const [a, b] = [await sessionOf(await open("read")), await sessionOf(await open("read", other))];
    const read = await compareRead(a, b);
    const { states, ...comparison } = read;
    const limits = limitsOf(options);
    const isMergeable = comparison.kinship !== "unrelated" && comparison.kinship !== "imported";
    const merge = isMergeable ? await planMergeOf(a, b, read, limits === undefined ? {} : { limits }) : undefined;
    // Copies have one id: then only the letters tell which is which.
    const names = a.session === b.session ? { before: "a", after: "b" } : { before: a.session, after: b.session };
    if (options.flag("json")) {
      const diff = diffStates(states.a, states.b, names);
      output.json({ ...comparison, diff, ...given({ merge }) });
      return 0;
    }
    printComparison(where, other, { ...comparison, session: a.session }, output);
    if (merge !== undefined) output.line(`merge would bring: ${broughtBy(merge)}`);
    output.line();
    const between = { before: states.a, after: states.b, names };
    if (!printDiffs(between, options, output)) output.line({ text: "both states are the same", style: "dim" });
    return 0;
  },
};

async function sessionOf(journal: Journal): Promise<ReadSession> {
  return { session: await journal.sessionId(), read: () => journal.history() };
}

/** The result says it in few words. */
function broughtBy({ steps, conflicts, overBudget, left }: MergePlan): string {
  const changed = [...new Set(steps.map(({ action }) => spaceOf(action.action)))].join(", ");
  return [
    steps.length === 0 ? "nothing new" : `${counted(steps.length, "change")} to ${changed}`,
    ...(conflicts.length > 0 ? [counted(conflicts.length, "conflict")] : []),
    ...(overBudget === undefined ? [] : [`${overBudget.space} would be over budget`]),
    ...(left.length > 0 ? [`not ${left.join(", ")}`] : []),
  ].join("; ");
}

/** The id of a is its `session`. */
type PartingOf = Omit<Comparison, "diff"> & { readonly session: string };

function printComparison(a: string, b: string, comparison: PartingOf, output: Output): void {
  const { shared, parted, since } = comparison;
  output.line({ text: kinship(comparison), style: "bold" });
  if (shared !== undefined) output.line(`shared: up to v${shared.version} of session ${shared.session}`);
  output.table([
    [`a: ${withoutPassword(a)}`, `parted after v${parted.a}`, `${counted(since.a, "event")} since`],
    [`b: ${withoutPassword(b)}`, `parted after v${parted.b}`, `${counted(since.b, "event")} since`],
  ]);
}

function kinship({ kinship: kind, shared, parted, session }: PartingOf): string {
  switch (kind) {
    case "same":
      return "the same history";
    case "copied":
      return "both begin with the same commits";
    case "forked":
      return shared?.session === session ? "b was forked from a" : "a was forked from b";
    case "imported":
      // A copy has the id of its source, and one version more for each import.
      if (parted.a === parted.b) return "one was copied from the other";
      return parted.a < parted.b ? "b was copied from a" : "a was copied from b";
    case "siblings":
      return "both were forked from the same session";
    case "unrelated":
      return "nothing in common";
  }
}
