import { homedir } from "node:os";
import { withoutPassword } from "../../errors.ts";
import { type Pruned, pruneJournals } from "../../open/prune-journals.ts";
import { ageMs } from "../duration.ts";
import { readAt } from "../read-file.ts";
import { sealOf } from "../session.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";
import { messageOf } from "../wording.ts";
import { counted, shortTime } from "../words.ts";

export const prune: Verb = {
  about: "remove the journals of a folder or database that nobody has written to for a long time",
  endsByItself: true,
  where: "place",
  options: {
    "older-than": { value: "DURATION", about: "since the newest event, such as 90d, 12w or 36h" },
    hold: { value: "FILE", about: "names sessions to keep, one on each line; # begins a comment" },
    archive: { value: "FOLDER", about: "first archive each journal in this folder" },
    "dry-run": { about: "only say what would be removed" },
  },
  notes: [
    "You cannot undo this, so begin with --dry-run. Files without a scratchpad, and those of other clients, stay.",
    "In a folder, a file counts as newer if its host has written to it since. A file that is being written to stays.",
  ],
  example: "session-journal prune sessions --older-than 90d --hold hold.txt --archive archive --dry-run",
  async run({ where, options, output, env, warn }) {
    const age = options.text("older-than");
    if (age === undefined)
      throw new UsageError("--older-than DURATION is missing: say from which age journals are removed, such as 90d");
    const before = Date.now() - ageMs("older-than", age);
    const holdFile = options.text("hold");
    const held = await namesIn(holdFile, env["HOME"] || homedir());
    const isDryRun = options.flag("dry-run");
    const seal = await sealOf(options, env);
    const namespace = options.text("namespace");
    const found: Pruned[] = [];
    const unused = new Set(held);
    const archive = options.text("archive");
    const wanted = { before, held, isDryRun, archive, namespace, seal, messageOf };
    for await (const pruned of pruneJournals(where, wanted)) {
      found.push(pruned);
      for (const name of pruned.heldAs ?? []) unused.delete(name);
      if (pruned.fault !== undefined) warn(pruned.fault);
      if (options.flag("json")) output.json(pruned);
      else output.line(lineOf(pruned));
    }
    for (const name of unused) warn(`${holdFile} names ${name}, which is no old session of ${withoutPassword(where)}`);
    if (!options.flag("json")) output.line(sumOf(found, isDryRun));
    return found.some(({ fate }) => fate === "kept") ? 1 : 0;
  },
};

function lineOf({ fate, version, at, session }: Pruned): string {
  return [fate, `v${version}`, ...(at === undefined ? [] : [shortTime(at)]), session].join("  ");
}

function sumOf(found: readonly Pruned[], isDryRun: boolean): string {
  const gone = counted(found.filter(({ fate }) => fate === "removed" || fate === "would be removed").length, "journal");
  return isDryRun ? `${gone} would be removed` : `removed ${gone}`;
}

/** `ls` writes `~` for the folder `home`. */
async function namesIn(file: string | undefined, home: string): Promise<Set<string>> {
  if (file === undefined) return new Set();
  const text = (await readAt(file)).toString("utf8");
  const lines = text.split("\n").map((line) => line.replace(/(^|\s)#.*$/, "").trim());
  return new Set(lines.filter((line) => line !== "").map((line) => line.replace(/^~(?=\/)/, () => home)));
}
