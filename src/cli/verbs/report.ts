import { parseLimits } from "../../action/limits.ts";
import { type ReportOptions, renderReport } from "../../audit/report/render.ts";
import type { Verification } from "../../audit/verify/finding.ts";
import { withoutPassword } from "../../errors.ts";
import type { Journal } from "../../journal/public.ts";
import { given } from "../../options.ts";
import { requireBeginning } from "../beginning.ts";
import { readForPage } from "../page-reading.ts";
import { redactionOf, redactOption, withRedacted } from "../redaction.ts";
import { limitsOf } from "../session.ts";
import { sourceOf } from "../source.ts";
import { mustBeReplaceable, writeOver } from "../target-file.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";
import { placeNamed } from "../where.ts";
import { counted } from "../words.ts";

export const report: Verb = {
  about: "write an audit report: one HTML file that loads nothing",
  endsByItself: true,
  takesNewest: true,
  options: {
    output: {
      short: "o",
      value: "FILE",
      about: "the file to write, - is standard output; an older report there is replaced",
    },
    ...redactOption,
    source: {
      value: "SOURCE",
      about: "the report opens with the events whose text came from there: model, user, tool, imported",
    },
    number: { short: "n", value: "N", about: "the newest N events in full (default: 20000, or 6 MB of their texts)" },
    "no-prompts": { about: "leave out what the user asked, which is otherwise the title of each turn" },
  },
  example: "session-journal report session.jsonl -o audit.html",
  async run({ where, options, output, open, env }) {
    const target = options.text("output");
    if (target === undefined)
      throw new UsageError("-o FILE is missing: session-journal report <session> -o audit.html");
    const isPrinted = target === "-";
    if (isPrinted && options.flag("json")) throw new UsageError("-o - prints the page itself: leave out --json");
    const redaction = redactionOf(options);
    const source = sourceOf(options);
    const journal = await open(redaction === undefined ? "page" : "read");
    const ofReport = {
      number: options.count("number"),
      title: withoutPassword(where),
      session: await journal.sessionId(),
      limits: parseLimits(limitsOf(options)),
      ...(source === undefined ? {} : { search: `source:${source}` }),
    };
    const { html, events } =
      redaction === undefined
        ? await pageOf(journal, ofReport, { withPrompts: !options.flag("no-prompts") })
        : await withRedacted(await placeNamed(where, "read", env), redaction, options, env, async (copy) =>
            pageOf(copy, ofReport, { source: await journal.verify() }),
          );
    if (events < journal.version) await requireBeginning(journal, where, whyNone);
    if (isPrinted) {
      output.exact(html);
      return 0;
    }
    await mustBeReplaceable(target, "report", isOurs);
    await writeOver(target, html);
    if (options.flag("json")) output.json({ file: target });
    else output.line(`${target}: ${counted(events, "event")}`);
    return 0;
  },
};

const whyNone =
  "a report would show states that never were; fork it, which keeps the state, and report the fork; log lists the events that are left";

/** `source`: of what a redacted copy was made. Nothing says what of its prompts is to be redacted, so it shows none. */
async function pageOf(
  journal: Journal,
  {
    number,
    ...ofReport
  }: Pick<ReportOptions, "title" | "session" | "limits" | "search"> & { readonly number?: number | undefined },
  { withPrompts = false, source }: { readonly withPrompts?: boolean; readonly source?: Verification },
): Promise<{ readonly html: string; readonly events: number }> {
  const { all, verification, ...shown } = await readForPage(journal, { number, withPrompts });
  const html = renderReport({
    ...ofReport,
    ...shown,
    verification: source === undefined ? verification : ofCopy(source, verification),
    generatedAt: new Date().toISOString(),
  });
  return { html, events: all };
}

/** The result has what is wrong with the source, and what was taken out of the copy. */
function ofCopy({ ok, findings, unlisted }: Verification, copy: Verification): Verification {
  const taken = copy.findings.filter(({ kind }) => kind === "redacted").map((each) => ({ ...each, line: 0 }));
  const damage = findings.filter(({ kind }) => kind !== "redacted");
  return { ok: ok && copy.ok, findings: [...damage, ...taken], ...given({ unlisted }), head: copy.head };
}

function isOurs(beginning: string): boolean {
  return beginning === "" || beginning.toLowerCase().startsWith("<!doctype html>");
}
