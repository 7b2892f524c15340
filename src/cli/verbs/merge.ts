import type { MergePlan } from "../../audit/merge.ts";
import { type MergedSpace, mergedSpaces } from "../../audit/merge-base.ts";
import type { MergeSide } from "../../audit/merge-lines.ts";
import type { MergeConflict } from "../../audit/merge-spaces.ts";
import { given } from "../../options.ts";
import type { Options } from "../options.ts";
import type { Output } from "../output.ts";
import type { Verb } from "../verb.ts";

export const merge: Verb = {
  about: "bring what a child, a fork or a copy has found into the session",
  endsByItself: true,
  parameters: ["CHILD"],
  options: {
    space: {
      value: "SPACE",
      isList: true,
      choices: mergedSpaces,
      about: `${mergedSpaces.join(", ")}: merge only this space; may be given several times (default: notes, refs and entries)`,
    },
    conflicts: {
      value: "SIDE",
      choices: ["ours", "theirs", "both"],
      about:
        "what to keep if both changed the same text: the session's (ours), the child's (theirs), or one after the other (both)",
    },
    "dry-run": { about: "say what would be merged, and write nothing" },
  },
  notes: [
    "What both had in common is known from the fork, or from the last merge. All changes of either side since then are merged.",
    "If both changed the same text, or a budget has no room, nothing is written. It exits with 1 and shows what each side has.",
    "Each change is recorded under its author in the child, with the beginning of the child's id. blame shows these names.",
  ],
  example: "session-journal merge session.jsonl child.jsonl --dry-run",
  async run({ parameters: [other = ""], options, output, open }) {
    const isDry = options.flag("dry-run");
    const journal = await open(isDry ? "read" : "write");
    const conflicts = options.text("conflicts") as MergeSide | undefined;
    const actor = options.text("actor");
    const merged = await journal.merge(await open("read", other), {
      ...spacesIn(options),
      ...given({ conflicts, actor }),
      dryRun: isDry,
    });
    if (options.flag("json")) output.json(merged);
    else {
      output.line({ text: merged.message, style: "bold" });
      printPlan(merged, output);
    }
    return merged.ok ? 0 : 1;
  },
};

function spacesIn(options: Options): { readonly spaces?: readonly MergedSpace[] } {
  const spaces = options.list("space");
  return spaces.length === 0 ? {} : { spaces: spaces as readonly MergedSpace[] };
}

/** This prints each side's actions, the conflicts with the texts of both, and what is left behind. */
function printPlan({ steps, conflicts, left, text }: MergePlan, output: Output): void {
  const named = new Set(steps.map(({ actor }) => actor));
  if (named.size > 0) output.line(`by ${[...named].join(", ")}`);
  for (const line of text.replace(/\n$/, "").split("\n")) {
    if (text !== "") output.line(styled(line));
  }
  for (const conflict of conflicts) printConflict(conflict, output);
  if (left.length > 0)
    output.line({ text: `not merged: ${left.join(", ")}, which the child changed, too`, style: "dim" });
}

function styled(line: string) {
  const isAdded = line.startsWith("+");
  return isAdded || line.startsWith("-") ? ({ text: line, style: isAdded ? "green" : "red" } as const) : line;
}

function printConflict({ space, key, base, ours, theirs }: MergeConflict, output: Output): void {
  output.line();
  output.line({ text: `conflict in ${key === undefined ? space : `entry ${key}`}`, style: "red" });
  for (const [name, text] of Object.entries({ before: base, session: ours, child: theirs })) {
    const lines = text === undefined ? ["(not there)"] : text.split("\n");
    for (const [index, line] of lines.entries()) output.line(`${index === 0 ? `${name}: ` : ""}`.padEnd(9), line);
  }
}
