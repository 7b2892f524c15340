import { type Face, faces, renderBlock } from "../../prompt/block.ts";
import type { Verb } from "../verb.ts";

/** A pad shows nothing before it is read. */
const shownFaces = faces.filter((face) => face !== "pad");

export const render: Verb = {
  about: "the block that a model is shown",
  takesNewest: true,
  options: {
    face: { value: "FACE", choices: shownFaces, about: `${shownFaces.join(", ")} (default: ${faces[0]})` },
    at: { value: "POINT", about: "as it was there (default: head)" },
  },
  notes: ["Exact where a program reads it; on a terminal, hidden characters are shown."],
  example: "session-journal render session.jsonl --face notepad",
  async run({ options, output, open }) {
    const journal = await open("read");
    const point = options.text("at");
    const state = point === undefined ? journal.state : (await journal.at(point)).state;
    const block = renderBlock(state, options.text("face") as Face | undefined);
    if (options.flag("json")) output.json(block);
    else if (block !== "") output.exact(block);
    return 0;
  },
};
