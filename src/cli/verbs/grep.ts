import { describe } from "../../audit/report/describe.ts";
import { isJournalError } from "../../errors.ts";
import type { Version } from "../../event/event.ts";
import { typeNameOf } from "../../event/parse.ts";
import type { FoundSession } from "../../find/found-session.ts";
import type { Journal } from "../../journal/public.ts";
import { IdSet } from "../../line/id-set.ts";
import { parseAddress, placeIn } from "../../open/addresses.ts";
import { type Journals, openJournals } from "../../open/open-journals.ts";
import { given } from "../../options.ts";
import { printFullText } from "../full-text.ts";
import { textsOf } from "../history-filter.ts";
import type { Options } from "../options.ts";
import { printed } from "../printed.ts";
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
  { open, warn }: Call,
  pattern: RegExp,
  searched: Searched,
): AsyncGenerator<Found, undefined> {
  for (const { where } of found) {
    searched.sessions.add(where);
    yield* orFault(
      hitsInOne(where, () => open("read", where), pattern),
      searched,
      warn,
    );
  }
}

async function* hitsInOne(
  place: string,
  open: () => Promise<Journal>,
  pattern: RegExp,
): AsyncGenerator<Found, undefined> {
  for await (const hit of hitsIn(place, await open(), pattern)) yield { place, hit };
}

/** A session that cannot be read, or is gone by now, keeps nothing of the others back. */
async function* orFault(
  hits: AsyncIterable<Found>,
  searched: Searched,
  warn: Call["warn"],
): AsyncGenerator<Found, undefined> {
  try {
    yield* hits;
  } catch (error) {
    if (!isJournalError(error)) throw error;
    searched.isWhole = false;
    warn(error.message);
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
      searched.sessions.add(session);
      yield* orFault(hitsInJournal(journals, session, pattern, warn), searched, warn);
    }
  } finally {
    await journals.close();
  }
}

async function* hitsInJournal(
  journals: Journals,
  session: string,
  pattern: RegExp,
  warn: Call["warn"],
): AsyncGenerator<Found, undefined> {
  const journal = await journals.open(session);
  try {
    yield* hitsInOne(session, async () => journal, pattern);
  } finally {
    await journal.close();
  }
  if (journal.isDamaged) warn(damageIn(placeIn(journals.where, session)));
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
