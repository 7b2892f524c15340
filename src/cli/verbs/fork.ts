import { reportChild } from "../child.ts";
import { pointOf } from "../moments.ts";
import type { Verb } from "../verb.ts";

export const fork: Verb = {
  about: "make a child session with the state at a point",
  endsByItself: true,
  parameters: ["TARGET"],
  options: { at: { value: "POINT", about: "with the state at this point (default: head)" } },
  notes: [
    "The child records where it comes from, and is independent from then on. The host has to copy its messages itself.",
  ],
  example: "session-journal fork session.jsonl child.jsonl --at t4",
  async run({ parameters: [target = ""], options, output, open }) {
    const journal = await open("read");
    await reportChild(
      await journal.fork(target, { at: pointOf(options.text("at") ?? "head") }),
      target,
      options,
      output,
    );
    return 0;
  },
};
