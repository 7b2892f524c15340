import { writeFile } from "node:fs/promises";
import { parseLimits } from "../../action/limits.ts";
import { Newest } from "../../audit/newest.ts";
import { type NewestEvents, newestEvents, omissions } from "../../audit/report/newest-events.ts";
import { type ReportOptions, renderReport } from "../../audit/report/render.ts";
import type { Verification } from "../../audit/verify/finding.ts";
import type { TurnPrompt } from "../../event/foreign.ts";
import { type HostMarker, isBehind } from "../../event/marker.ts";
import type { Journal } from "../../journal/public.ts";
import { notWritten } from "../../workspace/whole-file.ts";
import { redactionOf, redactOption, withRedacted } from "../redaction.ts";
import { limitsOf } from "../session.ts";
import { mustBeReplaceable } from "../target-file.ts";
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
    const journal = await open("read");
    const redaction = redactionOf(options);
    const source = options.text("source");
    const ofReport = {
      number: options.count("number"),
      title: where,
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
    if (isPrinted) {
      output.exact(html);
      return 0;
    }
    await mustBeReplaceable(target, "report", isOurs);
    await writeFile(target, html).catch((cause: unknown) => {
      throw notWritten(target, cause);
    });
    if (options.flag("json")) output.json({ file: target });
    else output.line(`${target}: ${counted(events, "event")}`);
    return 0;
  },
};

/** `source`: of what a redacted copy was made. Nothing says what of its prompts is to be redacted, so it shows none. */
async function pageOf(
  journal: Journal,
  {
    number,
    ...ofReport
  }: Pick<ReportOptions, "title" | "session" | "limits" | "search"> & { readonly number?: number | undefined },
  { withPrompts = false, source }: { readonly withPrompts?: boolean; readonly source?: Verification },
): Promise<{ readonly html: string; readonly events: number }> {
  let newest: NewestEvents = { events: [], leftOut: 0, shortened: 0, all: 0 };
  let markers = new Newest<HostMarker>(markersMax, Number.POSITIVE_INFINITY);
  let prompts: readonly TurnPrompt[] | undefined;
  const verification = await journal.verify({
    history: async (all) => {
      newest = await newestEvents(all, number);
    },
    markers: async (all) => {
      markers = await newestOf(all, markersMax);
    },
    ...(withPrompts && {
      prompts: async (all) => {
        prompts = (await newestOf(all, promptsMax)).items;
      },
    }),
  });
  const { events, leftOut } = newest;
  const turns = new Set(events.map(({ turn }) => turn));
  const [first] = events;
  const foreign = await journal.foreign({ whole: true });
  // What stands first stands for all that was left out.
  const calls = leftOut === 0 ? foreign?.calls : foreign?.calls.slice(leftOut - 1);
  const kept = markers.items;
  const shown = leftOut === 0 || first === undefined ? kept : kept.filter((marker) => isBehind(marker, first));
  // Older ones than the first event that is shown are not missed.
  const all = shown.length + (shown.length === kept.length ? markers.leftOut : 0);
  const html = renderReport({
    ...ofReport,
    events,
    verification: source === undefined ? verification : ofCopy(source, verification),
    prompts: prompts?.filter(({ turn }) => turns.has(turn)),
    turns: journal.turn,
    markers: shown,
    omitted: omissions(newest, { shown: shown.length, all }),
    ...(foreign === undefined || calls === undefined ? {} : { foreign: { ...foreign, calls } }),
    generatedAt: new Date().toISOString(),
  });
  return { html, events: newest.all };
}

const markersMax = 10_000;

/** As many turns may have events that are shown. */
const promptsMax = 20_000;

async function newestOf<Item>(items: AsyncIterable<Item>, itemsMax: number): Promise<Newest<Item>> {
  const newest = new Newest<Item>(itemsMax, Number.POSITIVE_INFINITY);
  for await (const item of items) newest.add(item, 0);
  return newest;
}

/** What is wrong with the source, and what was taken out of the copy. */
function ofCopy({ ok, findings }: Verification, copy: Verification): Verification {
  const taken = copy.findings.filter(({ kind }) => kind === "redacted").map((each) => ({ ...each, line: 0 }));
  const damage = findings.filter(({ kind }) => kind !== "redacted");
  return { ok: ok && copy.ok, findings: [...damage, ...taken], head: copy.head };
}

function isOurs(beginning: string): boolean {
  return beginning === "" || beginning.toLowerCase().startsWith("<!doctype html>");
}
