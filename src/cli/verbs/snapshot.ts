import type { Verb } from "../verb.ts";

export const snapshot: Verb = {
  about: "keep the state beside the session, so that the next opening is fast",
  endsByItself: true,
  notes: ["It is a cache in the folder .session-journal: it may be deleted at any time."],
  example: "session-journal snapshot session.jsonl",
  async run({ options, output, open }) {
    const journal = await open("write");
    // A wrong one would be gone on from.
    const { findings } = await journal.verify();
    const isWrong = findings.some(({ kind }) => kind === "snapshot");
    const isKept = await journal.snapshot();
    if (options.flag("json")) output.json({ ...journal.head, kept: isKept });
    else if (!isKept)
      output.line(`kept none${isWrong ? ", and the one that is there was changed or forged" : ""}: ${whyNone}`);
    else
      output.line(
        `kept v${journal.version}${isWrong ? ", in the place of a snapshot that was changed or forged" : ""}`,
      );
    return isWrong && !isKept ? 1 : 0;
  },
};

const whyNone =
  "another process is writing it or died over it a moment ago, or the session is folded by branch, or it has an event that this version cannot read";
