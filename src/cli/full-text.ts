/** This searches the full-text index of a database. */
import { withoutPassword } from "../errors.ts";
import { parseAddress, placeIn } from "../open/addresses.ts";
import type { Hit } from "../store/records/record-texts.ts";
import { beginningOf } from "../workspace/whole-file.ts";
import { printed } from "./printed.ts";
import type { Span } from "./span.ts";
import { UsageError } from "./usage.ts";
import type { Call } from "./verb.ts";

export async function printFullText({
  where,
  parameters: [query = ""],
  options,
  output,
  open,
  warn,
}: Call): Promise<0> {
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
      const { searchServer } = await import("../store/postgres/search.ts");
      const { parsePostgresAddress } = await import("../store/postgres/address.ts");
      const { session: _, ...server } = parsePostgresAddress(address.address);
      return searchServer(server, query);
    }
    case "sqlite":
    case "nats":
    case "file": {
      const { searchDatabase } = await import("../store/sqlite/search.ts");
      return searchDatabase({ database: address.kind === "sqlite" ? address.database : where }, query);
    }
  }
}
