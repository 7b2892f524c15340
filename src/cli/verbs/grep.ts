import { describe } from "../../audit/report/describe.ts";
import { withoutPassword } from "../../errors.ts";
import type { Version } from "../../event/event.ts";
import { typeNameOf } from "../../event/parse.ts";
import type { FoundSession } from "../../find/found-session.ts";
import type { Journal } from "../../journal/public.ts";
import { IdSet } from "../../line/id-set.ts";
import { parseAddress, placeIn } from "../../open/addresses.ts";
import { openJournals } from "../../open/open-journals.ts";
import { given } from "../../options.ts";
import type { Hit } from "../../store/records/record-texts.ts";
import { beginningOf } from "../../workspace/whole-file.ts";
import type { LastCell } from "../aligned.ts";
import { textsOf } from "../history-filter.ts";
import type { Options } from "../options.ts";
import type { Output } from "../output.ts";
import { damageIn } from "../session.ts";
import type { Span } from "../span.ts";
import { UsageError } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";
import { isAddress, isFolder } from "../where.ts";
import { counted, noSessionIn, unreadIn, whoAndWhen } from "../words.ts";

export const grep: Verb = {
  about: "search what was ever written, in one session or in many",
  endsByItself: true,
  where: "session, folder or database",
  parameters: ["PATTERN"],
  isWhereLast: true,
  isWhereOptional: true,
  options: {
    "ignore-case": { short: "i", about: "treat upper and lower case as the same" },
    "fixed-strings": { short: "F", about: "PATTERN is the text itself" },
    all: { about: "without a place: the sessions of every folder" },
    "full-text": { about: "PATTERN is a full-text query, in a database; the best hits first" },
  },
  notes: [
    "PATTERN is a regular expression of JavaScript. In each session, a line is listed only once, where it was first written.",
    "Without a place, it searches the sessions of all clients in this folder; in a place, the sessions that ls lists there.",
    'A full-text query of SQLite: words, "a phrase", prefix*, AND, OR, NOT. Of PostgreSQL: words, "a phrase", or, -without.',
  ],
  example: "session-journal grep 'root cause' session.jsonl",
  async run(call) {
    const { where, options, output } = call;
    if (options.flag("all") && where !== "")
      throw new UsageError("--all searches every folder: leave out --all, or the place");
    if (options.flag("full-text")) return printFullText(call);
    const [text = ""] = call.parameters;
    const searched: Searched = { sessions: new Set(), isWhole: true };
    const found = hitsOf(call, patternOf(text, options), searched);
    if (options.flag("json")) await output.each(found, ({ hit }) => output.json(hit));
    // What was found may stand anywhere in its line.
    else if (!(await printed(found, rowOf, output, "wrapped"))) warnOfNone(call, text, searched.sessions.size);
    return searched.isWhole ? 0 : 1;
  },
};

interface Searched {
  readonly sessions: Set<string>;
  /** All that lies in the place could be read. */
  isWhole: boolean;
}

/** Without a place, who found no session was told already. */
function warnOfNone({ where, options, warn }: Call, text: string, searched: number): void {
  const without = options.flag("ignore-case") ? "" : " (-i ignores case)";
  if (searched > 0) warn(`no line in ${counted(searched, "session")} matches ${JSON.stringify(text)}${without}`);
  else if (where !== "") warn(noSessionIn(where, isAddress(where)));
}

/** Prints what was found, and says whether that is anything. */
async function printed<Item>(
  found: AsyncIterable<Item>,
  spansOf: (item: Item) => Span[],
  output: Output,
  lastCell: LastCell,
) {
  let isAny = false;
  await output.pages(found, (page, table) => {
    isAny ||= page.length > 0;
    table(page.map(spansOf), lastCell);
  });
  return isAny;
}

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

interface Found {
  /** The session is named if it is one of many. */
  readonly place: string | undefined;
  readonly hit: LineHit;
}

function patternOf(text: string, options: Options): RegExp {
  const source = options.flag("fixed-strings") ? text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : text;
  try {
    return new RegExp(source, options.flag("ignore-case") ? "iu" : "u");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${why}: with -F the pattern is taken as it stands`);
  }
}

/** One by one: of a long history they may be too many to hold. */
async function* hitsOf(call: Call, pattern: RegExp, searched: Searched): AsyncGenerator<Found, undefined> {
  const { where, open } = call;
  if (where === "") yield* hitsInFound(call, pattern, searched);
  else if (isOfMany(where)) yield* hitsInPlace(call, pattern, searched);
  else {
    searched.sessions.add(where);
    for await (const hit of hitsIn(where, await open("read"), pattern)) yield { place: undefined, hit };
  }
}

async function* hitsInFound(call: Call, pattern: RegExp, searched: Searched): AsyncGenerator<Found, undefined> {
  const { options, env, warn } = call;
  const { sessionsAndUnread } = await import("../../find/find-sessions.ts");
  const { found, unread } = await sessionsAndUnread({ env, all: options.flag("all") });
  searched.isWhole = unread.length === 0;
  if (unread.length > 0) warn(unreadIn(unread));
  else if (found.length === 0) warn("found no session to search: name one, or search every folder with --all");
  yield* hitsInEach(found, call, pattern, searched);
}

async function* hitsInEach(
  found: readonly FoundSession[],
  { open }: Call,
  pattern: RegExp,
  searched: Searched,
): AsyncGenerator<Found, undefined> {
  for (const { where } of found) {
    searched.sessions.add(where);
    for await (const hit of hitsIn(where, await open("read", where), pattern)) yield { place: where, hit };
  }
}

/** It is true for a folder, a database or a broker, and false for one session in it. */
function isOfMany(where: string): boolean {
  const address = parseAddress(where);
  if (address.kind !== "file") return address.session === undefined;
  return isFolder(address.path);
}

/** In a folder, its journals come first, and then the sessions of other clients, as `ls` lists them. */
async function* hitsInPlace(call: Call, pattern: RegExp, searched: Searched): AsyncGenerator<Found, undefined> {
  yield* hitsInJournals(call, pattern, searched);
  if (parseAddress(call.where).kind !== "file") return;
  const { sessionsBelow } = await import("../../find/lying-sessions.ts");
  const found = await sessionsBelow(call.where, (way) => searched.sessions.has(way));
  yield* hitsInEach(found, call, pattern, searched);
}

async function* hitsInJournals(
  { where, options, warn }: Call,
  pattern: RegExp,
  searched: Searched,
): AsyncGenerator<Found, undefined> {
  const namespace = options.text("namespace");
  const journals = await openJournals(where, { readonly: true, ...given({ namespace }) });
  try {
    for await (const { session, version, fault, isDamaged = false } of journals.list()) {
      if (fault !== undefined) {
        searched.isWhole = false;
        warn(fault);
      }
      if (version === 0 && !isDamaged) continue;
      const journal = await journals.open(session);
      searched.sessions.add(session);
      try {
        for await (const hit of hitsIn(session, journal, pattern)) yield { place: session, hit };
      } finally {
        await journal.close();
      }
      if (journal.isDamaged) warn(damageIn(placeIn(journals.where, session)));
    }
  } finally {
    await journals.close();
  }
}

async function* hitsIn(where: string, journal: Journal, pattern: RegExp): AsyncGenerator<LineHit, undefined> {
  const seen = new IdSet();
  for await (const { event, version, turn, at, actor } of journal.history()) {
    const lines = textsOf({ ...event, type: undefined, at: undefined }).flatMap((text) => text.split("\n"));
    for (const text of lines) {
      if (!pattern.test(text) || seen.has(text)) continue;
      seen.add(text);
      const { space } = describe(event);
      yield { where, version, turn, at, actor, type: typeNameOf(event), ...given({ space }), text };
    }
  }
}

function rowOf({ place, hit }: Found): Span[] {
  return [
    ...(place === undefined ? [] : [{ text: place, style: "dim" } as const]),
    ...whoAndWhen(hit),
    { text: hit.space ?? hit.type, style: "dim" },
    hit.text,
  ];
}

async function printFullText({ where, parameters: [query = ""], options, output, open, warn }: Call): Promise<0> {
  if (where === "")
    throw new UsageError("--full-text searches a database: session-journal grep QUERY journals.db --full-text");
  await mustBeDatabase(where);
  const sessions = new Set<string>();
  const hits = notedIn(sessions, await fullTextHits(where, query));
  if (options.flag("json")) await output.each(hits, (hit) => output.json(hit));
  else if (!(await printed(hits, fullTextRow, output, "cut"))) warn(`no text matches ${JSON.stringify(query)}`);
  // The index holds what a line says, whether or not it counts: only reading a session shows that it is damaged.
  const catalog = parseAddress(where).kind === "file" ? `sqlite:${where}` : where;
  for (const session of sessions) await open("read", placeIn(catalog, session));
  return 0;
}

/** Who names a session need not install an SQLite first to hear that it was not meant. */
async function mustBeDatabase(where: string): Promise<void> {
  if (await mayBeDatabase(where)) return;
  throw new UsageError(`--full-text searches a database, and ${withoutPassword(where)} is none: leave out --full-text`);
}

async function mayBeDatabase(where: string): Promise<boolean> {
  const { kind } = parseAddress(where);
  if (kind !== "file") return kind !== "nats";
  const beginning = await beginningOf(where).catch(() => "");
  return beginning === undefined || beginning.startsWith("SQLite format 3\0");
}

async function* notedIn(sessions: Set<string>, hits: AsyncIterable<Hit>): AsyncGenerator<Hit, undefined> {
  for await (const hit of hits) {
    sessions.add(hit.session);
    yield hit;
  }
}

function fullTextRow({ session, version, text }: Hit): Span[] {
  return [session, { text: `v${version}`, style: "yellow" }, text.split("\n").join(" ↵ ")];
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
