import { readdir } from "node:fs/promises";
import path from "node:path";
import { isJournalError } from "../../errors.ts";
import type { RecordedEvent } from "../../event/event.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Span } from "../output.ts";
import type { Call, Verb } from "../verb.ts";
import { shortTime } from "../words.ts";

export const ls: Verb = {
  about: "the sessions in a folder and the folders in it",
  where: "folder",
  notes: ["Those without a scratchpad are left out."],
  example: "session-journal ls ~/.pi/agent/sessions",
  async run({ where, options, output, open }) {
    const rows: Span[][] = [];
    for (const file of await sessionFiles(where)) {
      const listed = await listedSession(file, open);
      if (listed === undefined) continue;
      if (options.flag("json")) output.json(listed);
      else rows.push(row(listed));
    }
    if (rows.length > 0) output.table(rows);
    return 0;
  },
};

interface Listed {
  readonly where: string;
  readonly version: number;
  readonly turn: number;
  /** Of the newest event. */
  readonly at: string;
  readonly actor: string;
}

async function sessionFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => path.join(folder, name));
}

/** Undefined for a file of another kind, and for a session without a scratchpad. */
async function listedSession(where: string, open: Call["open"]): Promise<Listed | undefined> {
  const journal = await open("read", where).catch((error: unknown) => {
    if (isJournalError(error, "not_a_session")) return undefined;
    throw error;
  });
  const newest = journal && (await newestEvent(journal));
  await journal?.close();
  if (journal === undefined || newest === undefined) return undefined;
  return { where, version: journal.version, turn: journal.turn, at: newest.at, actor: newest.actor };
}

async function newestEvent(journal: Journal): Promise<RecordedEvent | undefined> {
  let newest: RecordedEvent | undefined;
  for await (const recorded of journal.history({ from: Math.max(0, journal.version - 1) })) newest = recorded;
  return newest;
}

function row({ where, version, turn, at, actor }: Listed): Span[] {
  return [
    { text: `v${version}`, style: "yellow" },
    { text: shortTime(at), style: "dim" },
    `t${turn}`,
    { text: actor, style: "cyan" },
    where,
  ];
}
