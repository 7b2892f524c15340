import { writeFile } from "node:fs/promises";
import { parseLimits } from "../../action/limits.ts";
import { renderReport } from "../../audit/report/render.ts";
import type { RecordedEvent } from "../../event/event.ts";
import { notWritten } from "../../workspace/whole-file.ts";
import { limitsOf } from "../session.ts";
import { mustBeReplaceable } from "../target-file.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";
import { counted } from "../words.ts";

export const report: Verb = {
  about: "an audit report, one HTML file that loads nothing",
  endsByItself: true,
  takesNewest: true,
  options: {
    output: {
      short: "o",
      value: "FILE",
      about: "where it goes, - is standard output; an older report there is replaced",
    },
  },
  example: "session-journal report session.jsonl -o audit.html",
  async run({ where, options, output, open }) {
    const target = options.text("output");
    if (target === undefined)
      throw new UsageError("-o FILE is missing: session-journal report <session> -o audit.html");
    const isPrinted = target === "-";
    if (isPrinted && options.flag("json")) throw new UsageError("-o - prints the page itself: leave out --json");
    const journal = await open("read");
    const events: RecordedEvent[] = [];
    for await (const recorded of journal.history()) events.push(recorded);
    const verification = await journal.verify();
    const foreign = await journal.foreign({ whole: true });
    const html = renderReport({
      events,
      verification,
      markers: await journal.hostMarkers(),
      ...(foreign === undefined ? {} : { foreign }),
      title: where,
      session: await journal.sessionId(),
      limits: parseLimits(limitsOf(options)),
      generatedAt: new Date().toISOString(),
    });
    if (isPrinted) {
      output.exact(html);
      return 0;
    }
    await mustBeReplaceable(target, "report", isOurs);
    await writeFile(target, html).catch((cause: unknown) => {
      throw notWritten(target, cause);
    });
    if (options.flag("json")) output.json({ file: target });
    else output.line(`${target}: ${counted(events.length, "event")}`);
    return 0;
  },
};

function isOurs(beginning: string): boolean {
  return beginning === "" || beginning.toLowerCase().startsWith("<!doctype html>");
}
