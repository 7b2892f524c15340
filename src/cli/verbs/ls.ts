import path from "node:path";
import { isJournalError } from "../../errors.ts";
import { type Journals, openJournals } from "../../open-journals.ts";
import { idInAddress } from "../../store/session-id.ts";
import type { SessionSummary } from "../../store/store.ts";
import type { Span } from "../output.ts";
import { progressOf, progressText } from "../progress.ts";
import type { Verb } from "../verb.ts";
import { shortTime } from "../words.ts";

export const ls: Verb = {
  about: "the sessions of a folder, a database or a broker: version, last change, who",
  where: "folder",
  notes: [
    "A folder with the folders in it, sqlite:journals.db, or nats://host/prefix.",
    "Sessions without a scratchpad are left out.",
  ],
  example: "session-journal ls ~/.pi/agent/sessions",
  async run({ where, options, output }) {
    const namespace = options.text("namespace");
    const journals = await openJournals(where, { readonly: true, ...(namespace === undefined ? {} : { namespace }) });
    const rows: Span[][] = [];
    try {
      for await (const summary of journals.list()) {
        if (summary.version === 0) continue;
        const place = placeOf(summary.session, journals.where);
        const plan = await planOf(journals, summary.session);
        if (options.flag("json")) output.json({ where: place, ...summary, ...progressOf(plan) });
        else rows.push(row(summary, place, progressText(plan)));
      }
    } finally {
      await journals.close();
    }
    if (rows.length > 0) output.table(rows);
    return 0;
  },
};

/** "" also where the session cannot be folded: what is wrong with it, other verbs say. */
async function planOf(journals: Journals, session: string): Promise<string> {
  try {
    const journal = await journals.open(session);
    const { plan } = journal.state;
    await journal.close();
    return plan;
  } catch (error) {
    if (isJournalError(error)) return "";
    throw error;
  }
}

/** What the other verbs take as `<where>`. */
function placeOf(session: string, shelf: string): string {
  return /^(sqlite|nats):/.test(shelf) ? `${shelf}#${idInAddress(session)}` : path.join(shelf, session);
}

function row({ version, at = "", turn, actor = "" }: SessionSummary, place: string, progress: string): Span[] {
  return [
    { text: `v${version}`, style: "yellow" },
    { text: shortTime(at), style: "dim" },
    turn === undefined ? "" : `t${turn}`,
    { text: actor, style: "cyan" },
    place,
    ...(progress === "" ? [] : [{ text: progress, style: "dim" as const }]),
  ];
}
