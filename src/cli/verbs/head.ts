import { withoutPassword } from "../../errors.ts";
import type { Head } from "../../event/commit.ts";
import type { Options } from "../options.ts";
import { privateKeyAt, signHead } from "../signed-head.ts";
import { stampHead } from "../stamped-head.ts";
import { writeNew } from "../target-file.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";

export const head: Verb = {
  about: "print the newest version and its hash, which you keep elsewhere",
  takesNewest: true,
  endsByItself: true,
  options: {
    sign: {
      value: "KEY",
      about: "sign the head with the private Ed25519 key (PEM) in this file, and print it as JSON",
    },
    timestamp: { value: "URL", about: "have a time stamp server (RFC 3161) stamp the head with its time" },
    output: {
      short: "o",
      value: "FILE",
      about: "the file for the signed or stamped head (default: -, standard output)",
    },
  },
  notes: [
    "Later, verify --head HASH --at VERSION compares the session with it; for files, use verify --signed FILE or --timestamp FILE.",
    "Only an undamaged journal is signed or stamped: verify it first, and look at what you sign.",
  ],
  example: "session-journal head session.jsonl --sign head.key",
  async run({ options, output, open, where }) {
    const witness = await witnessOf(options);
    const target = options.text("output");
    if (target !== undefined && witness === undefined) throw new UsageError("-o FILE belongs to --sign or --timestamp");
    const journal = await open("read");
    const { version, hash } = journal.head;
    if (hash === "")
      throw new UsageError(
        `${withoutPassword(where)} has no chain of hashes: copy it to a journal with session-journal copy, and keep the head of that`,
      );
    if (witness === undefined) {
      if (options.flag("json")) output.json({ version, hash });
      else output.line(`v${version} ${hash}`);
      return 0;
    }
    const { ok } = await journal.verify();
    if (!ok)
      throw new UsageError(
        `${withoutPassword(where)} is damaged, and was not ${witness.done}: session-journal verify lists what is wrong`,
      );
    const made = await witness.of({ version, hash }, await journal.sessionId());
    if (target === undefined || target === "-") output.json(made);
    else await writeNew(target, `${JSON.stringify(made)}\n`);
    return 0;
  },
};

/** Stands for a head, or has somebody do so. */
interface Witness {
  readonly done: string;
  of(head: Head, session: string): object | Promise<object>;
}

async function witnessOf(options: Options): Promise<Witness | undefined> {
  const [keyFile, server] = [options.text("sign"), options.text("timestamp")];
  if (keyFile !== undefined && server !== undefined)
    throw new UsageError("--sign and --timestamp make two files: run head once for each");
  if (keyFile !== undefined) {
    const key = await privateKeyAt(keyFile);
    return { done: "signed", of: (head, session) => signHead(head, session, new Date().toISOString(), key) };
  }
  return server === undefined
    ? undefined
    : { done: "stamped", of: (head, session) => stampHead(head, session, server) };
}
