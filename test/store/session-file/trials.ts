/** Ten ways in which a session file changes under those who follow it. */
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { genesisHash } from "../../../src/line/chain.ts";
import { commitDataOf, commitLine, headerLine } from "../../../src/line/encode.ts";
import { lineNames } from "../../../src/line/format.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { newDraft } from "../../../src/testing/store-reader.ts";
import { isFull, recordResult } from "../../reliability/results.ts";

/** No follower may be stale for longer; a machine that has other work to do gets more time. */
const staleMsMax = isFull ? 1500 : 30_000;

const session = { id: "2b1c9a52-0000-4000-8000-0000000000cc", timestamp: "2026-11-21T20:00:00.000Z", cwd: "/" };

let salts = 0;

/** A session whose notes were set to these texts, one after the other. */
function sessionText(...texts: readonly string[]): string {
  let head = { version: 0, hash: genesisHash(session.id) };
  const lines = texts.map((text) => {
    const draft = newDraft({ event: { type: "notes.set", text }, actor: "w" });
    const data = commitDataOf(draft, head, "file");
    head = { version: data.version, hash: data.hash };
    salts += 1;
    const salt = salts.toString(16).padStart(15, "0");
    return commitLine(data, null, { names: lineNames(), timestamp: session.timestamp, salt: () => salt }).text;
  });
  return headerLine(session) + lines.join("");
}

const before = ["one", "two", "three"] as const;

interface Place {
  readonly home: string;
  readonly file: string;
}

/** Ends with the notes "after". */
type Way = (place: Place) => void | Promise<void>;

async function append(file: string, ...texts: readonly string[]): Promise<void> {
  const journal = await openJournal(file, { durability: "os" });
  for (const text of texts) {
    await journal.notes.set(text);
    if (text !== "after") await sleep(4);
  }
  await journal.close();
}

const ways: Readonly<Record<string, Way>> = {
  "an append": ({ file }) => append(file, "after"),
  "a burst of appends": ({ file }) => append(file, "4", "5", "6", "7", "8", "9", "10", "11", "12", "after"),
  "a line in two halves": async ({ file }) => {
    const text = sessionText(...before, "after");
    fs.writeFileSync(file, text.slice(0, -200));
    await sleep(50);
    fs.appendFileSync(file, text.slice(-200));
  },
  "a rewrite in place, longer": ({ file }) => {
    fs.writeFileSync(file, sessionText("other", ...before, "after"));
  },
  "a rewrite in place, shorter": ({ file }) => {
    fs.writeFileSync(file, sessionText("after"));
  },
  "a replacement by rename": ({ home, file }) => {
    const temporary = path.join(home, "temporary");
    fs.writeFileSync(temporary, sessionText(...before, "after"));
    fs.renameSync(temporary, file);
  },
  "a removal, and a file created later": async ({ file }) => {
    fs.rmSync(file);
    await sleep(150);
    fs.writeFileSync(file, sessionText("after"));
  },
  "a replacement of its folder": ({ home, file }) => {
    const folder = path.dirname(file);
    const other = path.join(home, "other");
    fs.mkdirSync(other);
    fs.writeFileSync(path.join(other, path.basename(file)), sessionText(...before, "after"));
    fs.renameSync(folder, path.join(home, "old"));
    fs.renameSync(other, folder);
  },
  "an append while it was moved away": async ({ home, file }) => {
    const elsewhere = path.join(home, "elsewhere.jsonl");
    fs.renameSync(file, elsewhere);
    await sleep(50);
    await append(elsewhere, "after");
    fs.renameSync(elsewhere, file);
  },
  "a link of a folder on its way turned to another": ({ home }) => {
    const other = path.join(home, "target-2", "sessions");
    fs.mkdirSync(other, { recursive: true });
    fs.writeFileSync(path.join(other, "session.jsonl"), sessionText(...before, "after"));
    fs.symlinkSync(path.join(home, "target-2"), path.join(home, "link-2"));
    fs.renameSync(path.join(home, "link-2"), path.join(home, "link"));
  },
};

function place(home: string): Place {
  const target = path.join(home, "target-1");
  fs.mkdirSync(path.join(target, "sessions"), { recursive: true });
  fs.symlinkSync(target, path.join(home, "link"));
  const file = path.join(home, "link", "sessions", "session.jsonl");
  fs.writeFileSync(file, sessionText(...before));
  return { home, file };
}

/** Undefined: the follower saw the change in time. Else what it showed instead. */
async function trial(way: Way, home: string): Promise<string | undefined> {
  fs.mkdirSync(home);
  const { file } = place(home);
  const journal = await openJournal(file, { readonly: true, follow: true });
  try {
    await way({ home, file });
    for (const deadline = Date.now() + staleMsMax; journal.state.notes !== "after"; await sleep(5)) {
      if (Date.now() > deadline) return journal.state.notes;
    }
    return undefined;
  } finally {
    await journal.close();
  }
}

/** Runs every way so many times; answers those who were stale. */
export async function staleAfter(folder: string, times: number): Promise<string[]> {
  const stale: string[] = [];
  for (let time = 0; time < times; time++) {
    const round = Object.entries(ways).map(async ([name, way], index) => {
      const shown = await trial(way, path.join(folder, `${time}-${index}`));
      if (shown !== undefined) stale.push(`${name}, time ${time}: still "${shown}"`);
    });
    await Promise.all(round);
  }
  return stale;
}

/** What `times` of every way showed, once none was stale. */
export function recordTrials(suite: string, claim: string, times: number): void {
  const size = `${times * Object.keys(ways).length} trials of ${Object.keys(ways).length} ways of changing a file`;
  recordResult({ suite, claim, size, outcome: `0 stale after ${staleMsMax} ms` });
}

/** In `npm run test:full` every way a hundred times. */
export const timesEach = process.env["SESSION_JOURNAL_FULL"] ? 100 : 3;
