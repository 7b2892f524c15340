import { copyJournal } from "../../open-copy.ts";
import { sealOf } from "../session.ts";
import type { Verb } from "../verb.ts";

export const copy: Verb = {
  about: "copy the journal to another place, or go on with a copy that was interrupted",
  parameters: ["TO"],
  notes: [
    "TO is a path or an address: sqlite:journals.db, nats://host/prefix. It gets the same session id.",
    "Events, versions, times, actors, commands and the chain stay as they are, and are compared afterwards.",
    "Only onto nothing, or onto the beginning of the same journal. A source that cannot be read leaves TO as it is.",
    "The host's own messages are not copied: in a copy that is a file, only turn.began begins a turn.",
  ],
  example: "session-journal copy session.jsonl sqlite:journals.db",
  async run({ where, parameters: [to = ""], options, output, env }) {
    const namespace = options.text("namespace");
    const seal = await sealOf(options, env);
    const copied = await copyJournal(where, to, {
      ...(namespace === undefined ? {} : { namespace }),
      ...(seal === undefined ? {} : { seal }),
    });
    if (options.flag("json")) output.json(copied);
    else {
      const { events, version, hash } = copied;
      output.line(`copied ${events} ${events === 1 ? "event" : "events"} to ${copied.to}: v${version}, head ${hash}`);
    }
    return 0;
  },
};
