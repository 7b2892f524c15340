import { privateKeyAt, signHead } from "../signed-head.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";

export const head: Verb = {
  about: "the newest version and its hash, to be kept elsewhere",
  takesNewest: true,
  endsByItself: true,
  options: {
    sign: {
      value: "KEY",
      about: "a file with a private Ed25519 key in PEM: prints the head with a signature, as JSON",
    },
  },
  notes: [
    "verify --head HASH --at VERSION checks the session against it later, verify --signed FILE against a signed one.",
    "Only a whole journal is signed: verify it first, and look at what you sign.",
  ],
  example: "session-journal head session.jsonl --sign head.key",
  async run({ options, output, open, where }) {
    const keyFile = options.text("sign");
    const key = keyFile === undefined ? undefined : await privateKeyAt(keyFile);
    const journal = await open("read");
    const { version, hash } = journal.head;
    if (hash === "")
      throw new UsageError(`${where} has no chain: copy it to a journal of ours, and keep the head of that`);
    if (key === undefined) {
      if (options.flag("json")) output.json({ version, hash });
      else output.line(`v${version} ${hash}`);
      return 0;
    }
    const { ok } = await journal.verify();
    if (!ok)
      throw new UsageError(`${where} is damaged, and was not signed: session-journal verify lists what is wrong`);
    output.json(signHead({ version, hash }, await journal.sessionId(), new Date().toISOString(), key));
    return 0;
  },
};
