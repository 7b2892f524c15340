import type { Journal } from "../../journal/public.ts";
import { type Face, faces, renderBlock } from "../../prompt/block.ts";
import { requireBeginning } from "../beginning.ts";
import { pointOf } from "../moments.ts";
import type { Verb } from "../verb.ts";

/** A pad shows nothing before it is read. */
const shownFaces = faces.filter((face) => face !== "pad");

export const render: Verb = {
  about: "print the block that a model is shown, or a page for the person who goes on with the work",
  endsByItself: true,
  takesNewest: true,
  options: {
    face: {
      value: "FACE",
      choices: [...shownFaces, "handoff"],
      about: `${shownFaces.join(", ")} (default: ${faces[0]}), or handoff`,
    },
    at: { value: "POINT", about: "the state at this point (default: head)" },
  },
  notes: [
    "For a program the text is exact; on a terminal, hidden characters are made visible.",
    "handoff is a Markdown page with the open steps first, then those that are done, refused and dropped, then the texts.",
  ],
  example: "session-journal render session.jsonl --face notepad",
  async run({ where, options, output, open }) {
    const journal = await open("read");
    const face = options.text("face");
    if (face === "handoff")
      await requireBeginning(journal, where, "the page would lack what was dropped; show has the state");
    const text = await (face === "handoff" ? handoffOf : blockOf)(
      journal,
      options.text("at"),
      face as Face | undefined,
    );
    if (options.flag("json")) output.json(text);
    else if (text !== "") output.exact(text);
    return 0;
  },
};

async function blockOf(journal: Journal, point: string | undefined, face: Face | undefined): Promise<string> {
  const state = point === undefined ? journal.state : (await journal.at(pointOf(point))).state;
  return renderBlock(state, face);
}

async function handoffOf(journal: Journal, point: string | undefined): Promise<string> {
  const { handoffPage } = await import("../../audit/handoff.ts");
  const { version, turn, at } = await journal.at(pointOf(point ?? "head"));
  const foreign = await journal.foreign();
  const client =
    foreign === undefined ? "session-journal" : `${foreign.title} ${foreign.versions.at(-1) ?? ""}`.trimEnd();
  const session = await journal.sessionId();
  const { cwd, noChecklist } = foreign ?? {};
  const source = { writtenBy: client, session, cwd, version, turn, at, noChecklist };
  return handoffPage(source, () => journal.history({ to: version }));
}
