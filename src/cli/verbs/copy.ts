import { withoutPassword } from "../../errors.ts";
import { copyJournal } from "../../open/copy-journal.ts";
import type { CopyOptions } from "../../open/copy-target.ts";
import { redactJournal } from "../../open/redact-journal.ts";
import { given } from "../../options.ts";
import { redactionOf, redactOption, remarksOn, textsBesides } from "../redaction.ts";
import { damageIn, sealOf } from "../session.ts";
import { UsageError } from "../usage.ts";
import type { Call, ExitCode, Verb } from "../verb.ts";
import { placeNamed } from "../where.ts";
import { counted } from "../words.ts";

export const copy: Verb = {
  about: "copy the journal to another place, or go on with a copy that was interrupted",
  endsByItself: true,
  parameters: ["TO"],
  options: {
    ...redactOption,
    all: { about: "every journal of a place: a folder, a database or a broker" },
  },
  notes: [
    "TO is a path or an address: sqlite:journals.db, nats://host/prefix, postgres://host/database. It gets the same session id.",
    "Events, versions, times, actors, commands and the chain stay as they are, and are compared afterwards.",
    "TO must be empty, or hold the beginning of the same journal. If the source cannot be read, TO stays as it is.",
    "The session of another client becomes a journal of ours, which begins with the SHA-256 of its file: its events, with their",
    "times, turns and actors. If you copy it again later, only what is new is added.",
    "With --all, a session that cannot be copied is named, the others are copied, and the exit code is 1. Run it again to go on.",
    "If TO is a folder in the folder that is copied, what lies in TO is not copied.",
    "--redact does what the verb redact does, but copies also where nothing matches; then TO must be empty.",
    "The turns are copied, and the messages of the host are not: in a new file, a line without what was said begins a turn.",
  ],
  example: "session-journal copy session.jsonl sqlite:journals.db",
  async run(call) {
    const { where: named, parameters, options, env } = call;
    const [to = ""] = parameters;
    const copyOptions = given({ namespace: options.text("namespace"), seal: await sealOf(options, env) });
    const redaction = redactionOf(options);
    if (options.flag("all")) {
      if (redaction !== undefined) throw new UsageError("--all and --redact exclude each other: redact one by one");
      return copyPlace(call, to, copyOptions);
    }
    const where = await placeNamed(named, "read", env);
    if (redaction === undefined) return copyOne(call, where, to, copyOptions);
    const done = await redactJournal(where, to, { ...redaction, ...copyOptions });
    const without = [counted(done.texts, "text"), ...textsBesides(done)].join(" and ");
    if (options.flag("json")) {
      call.output.json(done);
      return 0;
    }
    call.output.line(`copied without ${without} to ${done.to}: v${done.version}, head ${done.hash}`);
    for (const line of remarksOn(done)) call.output.line(line);
    return 0;
  },
};

async function copyOne({ options, output, warn }: Call, where: string, to: string, copyOptions: CopyOptions) {
  const copied = await copyJournal(where, to, copyOptions);
  if (copied.leftOut > 0) warn(damageIn(where));
  if (options.flag("json")) output.json(copied);
  else {
    const { events, version, hash, leftOut, otherTurns, hostMarkers } = copied;
    output.line(`copied ${counted(events, "event")} to ${copied.to}: v${version}, head ${hash}`);
    if (leftOut > 0)
      output.line(`left out ${counted(leftOut, "damaged line")}: verify lists what is wrong with the source`);
    if (otherTurns > 0)
      output.line(
        `${counted(otherTurns, "event")} of it ${otherTurns === 1 ? "is" : "are"} in another turn there, for a host has written to that file, and its messages begin the turns; to keep the turns, copy to a new file`,
      );
    if (hostMarkers > 0)
      output.line(
        `the host compacted, rewound or changed the model ${hostMarkers === 1 ? "once" : `${hostMarkers} times`}: that stands in its own lines, which are not copied; log of ${withoutPassword(where)} shows it`,
      );
  }
  return 0 as const;
}

async function copyPlace(
  { where, options, output, warn }: Call,
  to: string,
  copyOptions: CopyOptions,
): Promise<ExitCode> {
  const { copyAll } = await import("../../open/copy-all.ts");
  const isJson = options.flag("json");
  let [copied, events, failed] = [0, 0, 0];
  for await (const one of copyAll(where, to, copyOptions)) {
    if ("fault" in one) {
      failed += 1;
      warn(`${one.session} was not copied: ${one.fault}`);
      if (isJson) output.json(one);
      continue;
    }
    copied += 1;
    events += one.copied.events;
    if (one.copied.leftOut > 0) warn(damageIn(one.copied.from));
    if (isJson) output.json(one.copied);
  }
  const rest = failed === 0 ? "" : `; ${counted(failed, "journal")} could not be copied`;
  if (!isJson)
    output.line(
      `${counted(copied, "journal")} of ${withoutPassword(where)} in ${withoutPassword(to)}: ${counted(events, "event")} copied${rest}`,
    );
  return failed === 0 ? 0 : 1;
}
