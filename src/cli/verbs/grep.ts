import { statSync } from "node:fs";
import { describe } from "../../audit/report/describe.ts";
import type { RecordedEvent, Version } from "../../event/event.ts";
import type { Journal } from "../../journal/public.ts";
import { parseAddress } from "../../open/addresses.ts";
import { openJournals } from "../../open/open-journals.ts";
import type { Hit } from "../../store/records/record-texts.ts";
import { textsOf } from "../history-filter.ts";
import type { Options } from "../options.ts";
import type { Span } from "../output.ts";
import { damageIn } from "../session.ts";
import { UsageError } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";
import { placeOf } from "../where.ts";
import { shortTime } from "../words.ts";

export const grep: Verb = {
  about: "search what was ever written, in one session or in many",
  endsByItself: true,
  where: "session, folder or database",
  parameters: ["PATTERN"],
  isWhereLast: true,
  isWhereOptional: true,
  options: {
    "ignore-case": { short: "i", about: "upper and lower case are the same" },
    "fixed-strings": { short: "F", about: "PATTERN is the text itself" },
    all: { about: "without a place: the sessions of every folder" },
    "full-text": { about: "PATTERN is a full-text query, in a database; the best hits first" },
  },
  notes: [
    "PATTERN is a regular expression of JavaScript. A line counts once for each session: where it was first written.",
    "Without a place, the sessions of this folder are searched, of all clients.",
    'A full-text query of SQLite: words, "a phrase", prefix*, AND, OR, NOT. Of PostgreSQL: words, "a phrase", or, -without.',
  ],
  example: "session-journal grep 'root cause' session.jsonl",
  async run(call) {
    const { where, options, output } = call;
    if (options.flag("full-text")) return printFullText(call);
    const pattern = patternOf(call.parameters[0] ?? "", options);
    const rows: Span[][] = [];
    const search = async (place: string, journal: Journal, isOne: boolean): Promise<void> => {
      for await (const hit of hitsIn(place, journal.history(), pattern)) {
        if (options.flag("json")) output.json(hit);
        else rows.push([...(isOne ? [] : [{ text: place, style: "dim" } as const]), ...row(hit)]);
      }
    };
    if (where === "") await searchFound(call, search);
    else if (isOfMany(where)) await searchPlace(call, search);
    else await search(where, await call.open("read"), true);
    if (rows.length > 0) output.table(rows);
    return 0;
  },
};

interface LineHit {
  readonly where: string;
  readonly version: Version;
  readonly turn: number;
  readonly at: string;
  readonly actor: string;
  readonly type: string;
  readonly space?: string;
  readonly text: string;
}

type Search = (place: string, journal: Journal, isOne: boolean) => Promise<void>;

function patternOf(text: string, options: Options): RegExp {
  const source = options.flag("fixed-strings") ? text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : text;
  try {
    return new RegExp(source, options.flag("ignore-case") ? "iu" : "u");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${why}: with -F the pattern is taken as it stands`);
  }
}

async function searchFound({ options, env, open, warn }: Call, search: Search): Promise<void> {
  const { findSessions } = await import("../../find/find-sessions.ts");
  const found = await findSessions({ env, all: options.flag("all") });
  if (found.length === 0) warn("no session was found to search: name one, or look in every folder with --all");
  for (const { where } of found) await search(where, await open("read", where), false);
}

/** A folder, a database or a broker, not one session in it. */
function isOfMany(where: string): boolean {
  const address = parseAddress(where);
  if (address.kind !== "file") return address.session === undefined;
  return statSync(address.path, { throwIfNoEntry: false })?.isDirectory() === true;
}

async function searchPlace({ where, options, warn }: Call, search: Search): Promise<void> {
  const namespace = options.text("namespace");
  const journals = await openJournals(where, { readonly: true, ...(namespace === undefined ? {} : { namespace }) });
  try {
    for await (const { session, version } of journals.list()) {
      if (version === 0) continue;
      const journal = await journals.open(session);
      await search(session, journal, false).finally(() => journal.close());
      if (journal.isDamaged) warn(damageIn(placeOf(session, journals.where)));
    }
  } finally {
    await journals.close();
  }
}

async function* hitsIn(
  where: string,
  events: AsyncIterable<RecordedEvent>,
  pattern: RegExp,
): AsyncGenerator<LineHit, undefined> {
  const seen = new Set<string>();
  for await (const { event, version, turn, at, actor } of events) {
    const lines = textsOf({ ...event, type: undefined }).flatMap((text) => text.split("\n"));
    for (const text of lines) {
      if (seen.has(text) || !pattern.test(text)) continue;
      seen.add(text);
      const { space } = describe(event);
      const type = event.type === "unknown" ? event.name : event.type;
      yield { where, version, turn, at, actor, type, ...(space === undefined ? {} : { space }), text };
    }
  }
}

function row({ version, turn, at, actor, space, type, text }: LineHit): Span[] {
  return [
    { text: `v${version}`, style: "yellow" },
    { text: shortTime(at), style: "dim" },
    { text: `t${turn}`, style: "dim" },
    { text: actor, style: "cyan" },
    { text: space ?? type, style: "dim" },
    text,
  ];
}

async function printFullText({ where, parameters: [query = ""], options, output }: Call): Promise<0> {
  if (where === "")
    throw new UsageError("--full-text searches a database: session-journal grep QUERY journals.db --full-text");
  const rows: Span[][] = [];
  for await (const hit of await fullTextHits(where, query)) {
    if (options.flag("json")) output.json(hit);
    else rows.push([hit.session, { text: `v${hit.version}`, style: "yellow" }, hit.text.split("\n").join(" ↵ ")]);
  }
  if (rows.length > 0) output.table(rows);
  return 0;
}

async function fullTextHits(where: string, query: string): Promise<AsyncIterable<Hit>> {
  const address = parseAddress(where);
  switch (address.kind) {
    case "postgres": {
      const { searchServer } = await import("../../store/postgres/search.ts");
      const { parsePostgresAddress } = await import("../../store/postgres/address.ts");
      const { session: _, ...server } = parsePostgresAddress(address.address);
      return searchServer(server, query);
    }
    case "sqlite":
    case "nats":
    case "file": {
      const { searchDatabase } = await import("../../store/sqlite/search.ts");
      return searchDatabase({ database: address.kind === "sqlite" ? address.database : where }, query);
    }
  }
}
