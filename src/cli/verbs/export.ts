import { cloudEventOf } from "../../audit/exchange/cloud-events.ts";
import { Trajectory } from "../../audit/exchange/trajectory.ts";
import type { Version } from "../../event/event.ts";
import type { Journal } from "../../journal/public.ts";
import type { EventOrHost } from "../../journal/with-host.ts";
import { given } from "../../options.ts";
import { goneBeginning } from "../beginning.ts";
import { writeNew } from "../target-file.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";
import { packageVersion } from "../version.ts";

const formats = ["atif", "cloudevents"] as const;

export const exportVerb: Verb = {
  about: "write the history in a format that other tools read",
  endsByItself: true,
  takesNewest: true,
  options: {
    format: { value: "FORMAT", choices: formats, about: "atif: one trajectory; cloudevents: one event a line" },
    output: {
      short: "o",
      value: "FILE",
      about: "the file to create; it must not exist yet (default: -, standard output)",
    },
    "no-prompts": { about: "atif: leave out what the user asked" },
  },
  notes: [
    "Neither format contains what the model said, because that belongs to the host. For people, use show, log and report.",
  ],
  example: "session-journal export session.jsonl --format atif -o session.trajectory.json",
  async run({ where, options, output, open, warn }) {
    const format = options.text("format");
    if (format === undefined) throw new UsageError(`--format is missing: say which of ${formats.join(", ")}`);
    const journal = await open("read");
    const gone = await goneBeginning(journal, where);
    if (gone !== undefined) warn(`${gone}: this is what is left of the history`);
    const lineEnd = options.flag("json") ? "" : "\n";
    const withPrompts = !options.flag("no-prompts");
    const pieces = format === "atif" ? trajectoryIn(journal, withPrompts, lineEnd) : cloudEventsIn(journal);
    const target = options.text("output") ?? "-";
    if (target === "-") await output.each(pieces, (piece) => output.exact(piece));
    else await writeNew(target, pieces);
    return 0;
  },
};

async function* cloudEventsIn(journal: Journal): AsyncGenerator<string> {
  const session = await journal.sessionId();
  for await (const recorded of journal.history()) yield `${JSON.stringify(cloudEventOf(session, recorded))}\n`;
}

/** Piece by piece: a long history need not be held. `lineEnd` stands around each step; "" makes one line of all. */
async function* trajectoryIn(journal: Journal, withPrompts: boolean, lineEnd: string): AsyncGenerator<string> {
  const foreign = await journal.foreign();
  const session = await journal.sessionId();
  const agent = {
    name: foreign?.client ?? "agent",
    version: foreign?.versions.at(-1) ?? "unknown",
    ...given({ model_name: foreign?.models.at(-1) }),
  };
  const { head, turn } = journal;
  const beginning = { schema_version: "ATIF-v1.7", session_id: session, agent };
  yield `${JSON.stringify(beginning).slice(0, -1)},"steps":[`;
  const trajectory = new Trajectory();
  let separator = lineEnd;
  const items = withPrompts ? journal.historyWithHost() : journal.history();
  for await (const item of upTo(items, head.version, turn)) {
    if ("marker" in item) continue;
    if (!("event" in item)) {
      trajectory.asked(item);
      continue;
    }
    for (const step of trajectory.stepsOf(item)) {
      yield separator + JSON.stringify(step);
      separator = `,${lineEnd}`;
    }
  }
  for (const step of trajectory.end(turn)) {
    yield separator + JSON.stringify(step);
    separator = `,${lineEnd}`;
  }
  const journalExtra = {
    exported_by: `session-journal ${packageVersion()}`,
    head,
    plan: trajectory.plans,
  };
  yield `${lineEnd}],"extra":${JSON.stringify({ session_journal: journalExtra })}}\n`;
}

/** What is written meanwhile is not of the history that ends at the head. */
async function* upTo(items: AsyncIterable<EventOrHost>, version: Version, turn: number): AsyncGenerator<EventOrHost> {
  for await (const item of items) {
    if ("event" in item && item.version > version) return;
    if ("text" in item && item.turn > turn) return;
    yield item;
  }
}
