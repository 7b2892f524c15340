// Sessions with the snapshot that each build leaves beside them.
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { entryOf } from "./dist.mjs";
import { run } from "./measure.mjs";
import { builds } from "./question.mjs";

const saving = `
  const { openJournal } = await import(process.argv[1]);
  const journal = await openJournal(process.argv[2]);
  await journal.snapshot();
  await journal.close();
`;

/**
 * Copies `file` for each build, which saves a snapshot of what it read up to `unseenBytes` before the end.
 * Answers the copy of a build.
 */
export function withSnapshots(folder, file, unseenBytes = 0) {
  const copies = new Map(builds.map(({ name }) => [name, join(folder, name, "session.jsonl")]));
  for (const { name, dist } of builds) {
    const copy = copies.get(name);
    mkdirSync(join(folder, name), { recursive: true });
    copyFileSync(file, copy);
    const tail = tailOf(copy, unseenBytes);
    run(process.execPath, ["--input-type=module", "-e", saving, entryOf(dist), copy]);
    appendFileSync(copy, tail);
  }
  return ({ name }) => copies.get(name);
}

export function snapshotOf(file) {
  return join(dirname(file), ".session-journal", "session.jsonl.snapshot.json");
}

/** Cuts the last lines off, of so many bytes together, and answers them. */
export function tailOf(file, bytes) {
  if (bytes === 0) return "";
  const all = readFileSync(file);
  const end = all.indexOf(0x0a, all.length - bytes) + 1;
  truncateSync(file, end);
  return all.subarray(end);
}
