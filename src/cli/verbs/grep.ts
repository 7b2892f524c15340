import { parseAddress } from "../../open/addresses.ts";
import { searchDatabase } from "../../store/sqlite/search.ts";
import type { Span } from "../output.ts";
import type { Verb } from "../verb.ts";

export const grep: Verb = {
  about: "search what was written in every session of a database",
  where: "database",
  parameters: ["QUERY"],
  notes: [
    'QUERY is one of SQLite\'s full-text search: words, "a phrase", prefix*, AND, OR, NOT. The best hits first.',
    "A session file is searched with log --grep.",
  ],
  example: "session-journal grep journals.db '\"root cause\" timezone'",
  async run({ where, parameters: [query = ""], options, output }) {
    const address = parseAddress(where);
    const database = address.kind === "sqlite" ? address.database : where;
    const rows: Span[][] = [];
    for await (const hit of searchDatabase({ database }, query)) {
      if (options.flag("json")) output.json(hit);
      else rows.push([hit.session, { text: `v${hit.version}`, style: "yellow" }, hit.text.split("\n").join(" ↵ ")]);
    }
    if (rows.length > 0) output.table(rows);
    return 0;
  },
};
