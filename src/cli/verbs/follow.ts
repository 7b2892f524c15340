import type { Verb } from "../verb.ts";

export const follow: Verb = {
  about: "live changes as lines of JSON, until interrupted",
  takesNewest: true,
  options: { from: { value: "VERSION", about: "first everything after this version (default: only what comes)" } },
  example: "session-journal follow session.jsonl --from 0",
  async run({ options, output, open, interruption }) {
    const from = options.count("from", "v");
    const journal = await open("read");
    const signal = AbortSignal.any([interruption(), output.closed]);
    for await (const change of journal.changes({ signal, ...(from === undefined ? {} : { from }) })) {
      output.json(change);
      await output.written();
    }
    return 0;
  },
};
