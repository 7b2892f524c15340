import { pointOf } from "../moments.ts";
import type { Verb } from "../verb.ts";

export const restore: Verb = {
  about: "append the state at a point as the newest one",
  endsByItself: true,
  parameters: ["POINT"],
  notes: ["The history stays: restoring can be undone by restoring what was there before."],
  example: "session-journal restore session.jsonl t4",
  async run({ parameters: [point = ""], options, output, open }) {
    const journal = await open("write");
    const answer = await journal.restore(pointOf(point));
    if (options.flag("json")) output.json(answer);
    else output.line(answer.message);
    return answer.ok ? 0 : 1;
  },
};
