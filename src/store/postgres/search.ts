/** This file searches the full text of every event of every session in a schema. */
import { inPages } from "../records/backend.ts";
import type { Hit } from "../records/record-texts.ts";
import { searchedCharactersMax } from "./schema.ts";
import { openServer } from "./server.ts";
import type { PostgresServerOptions } from "./server-options.ts";

const pageRows = 256;
const snippetWords = 24;

/** The best hits come first. `query` is as for a search engine: words, "phrases", or, -not. Every query can be read. */
export async function* searchServer(options: PostgresServerOptions, query: string): AsyncGenerator<Hit> {
  const server = await openServer({ ...options, readonly: true });
  const vector = `to_tsvector('simple'::regconfig, left(text, ${searchedCharactersMax}))`;
  const headline = `StartSel=[,StopSel=],MaxWords=${snippetWords},MinWords=${snippetWords / 2}`;
  const sql = `SELECT session, version, ts_headline('simple', text, asked, $2) AS text
    FROM (SELECT session, version, text, asked
      FROM "${server.schema}".texts, websearch_to_tsquery('simple', $1) AS asked WHERE ${vector} @@ asked
      ORDER BY ts_rank(${vector}, asked) DESC, session, version LIMIT ${pageRows} OFFSET $3) AS best`;
  try {
    const ask = async (offset: number) => (await server.read(sql, [query, headline, offset])) as readonly Hit[];
    const found = inPages<Hit>(pageRows, (_, offset) => ask(offset));
    for await (const { session, version, text } of found) yield { session, version: Number(version), text };
  } finally {
    await server.close();
  }
}
