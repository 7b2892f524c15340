import { archiveJournal } from "../../open/archive-journal.ts";
import { given } from "../../options.ts";
import { sealOf } from "../session.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";
import { placeNamed } from "../where.ts";

export const archive: Verb = {
  about: "archive a closed session: compressed, with its head; you can check and read the archive as it is",
  endsByItself: true,
  options: { output: { short: "o", value: "FILE", about: "the file to create; it must not exist yet" } },
  notes: [
    "The session itself stays. prune removes old sessions, and with --archive it archives them first.",
    "verify, show, log and all other verbs that read take an archive like a session. gunzip -c FILE | tail -n +2 gives the session file back.",
    "A session in a database or with a broker becomes a session file, including its chain.",
  ],
  example: "session-journal archive session.jsonl -o session.archive.gz",
  async run({ where: named, options, output, env }) {
    const target = options.text("output");
    if (target === undefined) throw new UsageError("-o FILE is missing: say where the archive goes");
    const where = await placeNamed(named, "read", env);
    const namespace = options.text("namespace");
    const seal = await sealOf(options, env);
    const manifest = await archiveJournal(where, target, given({ namespace, seal }));
    if (options.flag("json")) output.json(manifest);
    else output.line(`archived ${manifest.session} in ${target}: v${manifest.version}, head ${manifest.hash}`);
    return 0;
  },
};
