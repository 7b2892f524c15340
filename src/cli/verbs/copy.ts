import { copyJournal } from "../../open/copy-journal.ts";
import { redactJournal } from "../../open/redact-journal.ts";
import { redactionOf, redactOption } from "../redaction.ts";
import { damageIn, sealOf } from "../session.ts";
import type { Verb } from "../verb.ts";
import { placeNamed } from "../where.ts";
import { counted } from "../words.ts";

export const copy: Verb = {
  about: "copy the journal to another place, or go on with a copy that was interrupted",
  endsByItself: true,
  parameters: ["TO"],
  options: redactOption,
  notes: [
    "TO is a path or an address: sqlite:journals.db, nats://host/prefix, postgres://host/database. It gets the same session id.",
    "Events, versions, times, actors, commands and the chain stay as they are, and are compared afterwards.",
    "Only onto nothing, or onto the beginning of the same journal. A source that cannot be read leaves TO as it is.",
    "The session of another client becomes a journal of ours, which begins with the SHA-256 of its file: its events, with their",
    "times, turns and actors. Done again later, it takes what is new.",
    "With --redact as the verb redact does it: only where nothing is yet.",
    "The host's own messages are not copied: in a copy that is a file, only turn.began begins a turn.",
  ],
  example: "session-journal copy session.jsonl sqlite:journals.db",
  async run({ where: named, parameters: [to = ""], options, output, env, warn }) {
    const namespace = options.text("namespace");
    const where = await placeNamed(named, "read", env);
    const seal = await sealOf(options, env);
    const redaction = redactionOf(options);
    if (redaction !== undefined) {
      const parts = { ...(namespace === undefined ? {} : { namespace }), ...(seal === undefined ? {} : { seal }) };
      const done = await redactJournal(where, to, { ...redaction, ...parts });
      if (options.flag("json")) output.json(done);
      else
        output.line(`copied without ${counted(done.texts, "text")} to ${done.to}: v${done.version}, head ${done.hash}`);
      return 0;
    }
    const copied = await copyJournal(where, to, {
      ...(namespace === undefined ? {} : { namespace }),
      ...(seal === undefined ? {} : { seal }),
    });
    if (copied.leftOut > 0) warn(damageIn(where));
    if (options.flag("json")) output.json(copied);
    else {
      const { events, version, hash, leftOut } = copied;
      output.line(`copied ${counted(events, "event")} to ${copied.to}: v${version}, head ${hash}`);
      if (leftOut > 0)
        output.line(`left out ${counted(leftOut, "damaged line")}: verify lists what is wrong with the source`);
    }
    return 0;
  },
};
