import { reportChild } from "../child.ts";
import type { Verb } from "../verb.ts";

export const spawn: Verb = {
  about: "make a child session that begins empty",
  endsByItself: true,
  parameters: ["TARGET"],
  options: { copy: { about: "with a copy of this state instead" } },
  notes: ["The child records where it comes from, and is independent from then on."],
  example: "session-journal spawn session.jsonl subagent.jsonl",
  async run({ parameters: [target = ""], options, output, open }) {
    const journal = await open("read");
    await reportChild(await journal.spawn(target, { copy: options.flag("copy") }), target, options, output);
    return 0;
  },
};
