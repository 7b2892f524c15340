import { open as openFile, writeFile } from "node:fs/promises";
import { parseLimits } from "../../action/limits.ts";
import { renderReport } from "../../audit/report/render.ts";
import type { RecordedEvent } from "../../event/event.ts";
import { limitsOf } from "../session.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";
import { counted } from "../words.ts";

export const report: Verb = {
  about: "an audit report, one HTML file that loads nothing",
  options: { output: { short: "o", value: "FILE", about: "where it goes; an older report there is replaced" } },
  example: "session-journal report session.jsonl -o audit.html",
  async run({ where, options, output, open }) {
    const target = options.text("output");
    if (target === undefined)
      throw new UsageError("-o FILE is missing: session-journal report <session> -o audit.html");
    const journal = await open("read");
    const events: RecordedEvent[] = [];
    for await (const recorded of journal.history()) events.push(recorded);
    const html = renderReport({
      events,
      verification: await journal.verify(),
      title: where,
      session: await journal.sessionId(),
      limits: parseLimits(limitsOf(options)),
      generatedAt: new Date().toISOString(),
    });
    if (!(await mayReplace(target))) throw new UsageError(`${target} is no report: name another file`);
    await writeFile(target, html);
    if (options.flag("json")) output.json({ file: target });
    else output.line(`${target}: ${counted(events.length, "event")}`);
    return 0;
  },
};

const beginning = "<!doctype html>";

/** A slip of the keyboard must not cost a session: only a page is written over. */
async function mayReplace(target: string): Promise<boolean> {
  const file = await openFile(target, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return true;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(beginning.length), 0, beginning.length, 0);
    return bytesRead === 0 || buffer.toString("latin1").toLowerCase() === beginning;
  } finally {
    await file.close();
  }
}
