import { buffer } from "node:stream/consumers";
import { fields } from "../../event/fields.ts";
import { parsed } from "../../lens/fields.ts";
import { isWorkingMemory } from "../../prompt/working-memory.ts";
import { watchMemory } from "../../workspace/watch-memory.ts";
import { assembleWorkingMemory } from "../../workspace/working-memory.ts";
import { assembleSettings } from "../assemble-settings.ts";
import { readAt } from "../read-file.ts";
import { mustBeReplaceable } from "../target-file.ts";
import { UsageError } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";
import { counted } from "../words.ts";

export const assemble: Verb = {
  about: "write a working-memory file, for a host that puts it into each context",
  options: {
    output: {
      short: "o",
      value: "FILE",
      about: "the file to write, such as SCRATCHPAD.md; MEMORY.md and memory/ are read from its folder; - prints it",
    },
    messages: {
      value: "FILE",
      about: "recent messages: a JSON array, or lines of JSON such as a session; - is standard input",
    },
    "utc-offset": {
      value: "HOURS",
      about: "the user's offset from UTC, such as 11 or -3.5 (default: that of this computer)",
    },
    zone: {
      value: "NAME",
      about: "the user's time zone, such as Australia/Sydney; or a name for the offset, such as AEDT",
    },
    alert: { value: "TEXT", isList: true, about: "a line for the proactive alerts; may be given several times" },
    alerts: { value: "FILE", about: "more alerts, one on each line, or a JSON array; - is standard input" },
    routing: {
      value: "JSON",
      about: 'a routing hint: {"contentSensitivity":"LOW","taskComplexity":"MEDIUM","suggestedModel":"standard"}',
    },
    ttl: { value: "MINUTES", about: "how long the file is valid (default: 30)" },
    tokens: { value: "N", about: "the file has fewer tokens than this (default: 500)" },
    watch: { about: "write again after each change and before the file is stale, until interrupted" },
  },
  notes: [
    "Without --watch, it writes once: for a cron job, a heartbeat, or a hook that runs before each turn.",
    "What the file says is recorded in the session: the alerts and the other sections that changed, also with -o -.",
    "Sections that others wrote into the journal are in the file, too, and stay as they are.",
    "Sentiment and memory search are functions: give them to assembleWorkingMemory of session-journal/workspace.",
  ],
  example: "session-journal assemble session.jsonl -o SCRATCHPAD.md --messages session.jsonl --utc-offset 11",
  async run(call) {
    const { options, interruption } = call;
    const file = options.text("output");
    if (file === undefined)
      throw new UsageError("-o FILE is missing: session-journal assemble <session> -o SCRATCHPAD.md");
    const isPrinted = file === "-";
    if (isPrinted && options.flag("json")) throw new UsageError("-o - prints the text itself: leave out --json");
    const settings = assembleSettings(options);
    const [messagesFile, alertsFile] = [options.text("messages"), options.text("alerts")];
    if (messagesFile === "-" && alertsFile === "-")
      throw new UsageError("--messages and --alerts cannot both be standard input: put one of them into a file");
    const readMessages = reader(call, messagesFile, parseMessages);
    const readAlerts = reader(call, alertsFile, parseAlerts);
    const journal = await call.open("write");
    const once = async (): Promise<void> => {
      const messages = await readMessages();
      const alerts = [...options.list("alert"), ...(await readAlerts())];
      if (!isPrinted) await mustBeReplaceable(file, "working-memory file", isOurs);
      const { text, ...memory } = await assembleWorkingMemory({
        journal,
        ...(isPrinted ? { workspace: "." } : { file }),
        messages,
        alerts,
        ...settings(),
      });
      if (isPrinted) call.output.exact(text);
      else report(call, file, memory);
      await call.output.written();
    };
    const { ttlMinutes } = settings();
    if (!options.flag("watch")) await once();
    else await watchMemory(journal, once, { everyMs: (ttlMinutes / 2) * 60_000, signal: interruption() });
    return 0;
  },
};

function isOurs(beginning: string): boolean {
  return beginning.trim() === "" || isWorkingMemory(beginning);
}

type Assembled = Omit<Awaited<ReturnType<typeof assembleWorkingMemory>>, "text">;

function report({ options, output }: Call, file: string, memory: Assembled): void {
  if (options.flag("json")) {
    output.json({ file, ...memory });
    return;
  }
  output.line(`${file}: ${counted(memory.sections.length, "section")}, ${counted(memory.tokens, "token")}`);
  for (const { name, why } of memory.missing) output.line(`${name} is missing: ${why}`);
}

/** Reads a file anew at each call; standard input only once. */
function reader<Read>(
  { input }: Call,
  source: string | undefined,
  parse: (bytes: Buffer, source: string) => readonly Read[],
): () => Promise<readonly Read[]> {
  if (source === undefined) return async () => [];
  if (source !== "-") return async () => parse(await readAt(source), source);
  let read: Promise<readonly Read[]> | undefined;
  return () => {
    read ??= buffer(input()).then((bytes) => parse(bytes, "standard input"));
    return read;
  };
}

/** The text is one JSON value, an array or `{ messages }`, or a value on each line. */
function parseMessages(bytes: Buffer, source: string): readonly unknown[] {
  // Of a session in use, the last line may end within a character. The decoder takes a byte order mark away.
  const text = new TextDecoder().decode(bytes);
  const whole = parsed(text);
  if (Array.isArray(whole)) return whole;
  const { messages } = fields(whole);
  if (Array.isArray(messages)) return messages;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const isSession = fields(parsed(lines[0] ?? ""))["type"] === "session";
  return lines.flatMap((line, index) => {
    const value = parsed(line);
    if (value !== undefined) return [value];
    // A session keeps what a crash has left between its lines, and the last line of one in use may be half written.
    if (isSession || (index > 0 && index === lines.length - 1)) return [];
    throw new UsageError(`${source} holds no messages: entry ${index + 1} is not JSON; pass an array or lines of JSON`);
  });
}

/** The text is a JSON array of texts, or a text on each line. */
function parseAlerts(bytes: Buffer, source: string): readonly string[] {
  const text = utf8Text(bytes, source);
  if (!text.trimStart().startsWith("[")) return text.split("\n").flatMap((line) => line.trim() || []);
  const value = parsed(text);
  if (Array.isArray(value) && value.every((alert) => typeof alert === "string")) return value;
  throw new UsageError(`${source} holds no alerts: give a JSON array of texts, or a text on each line`);
}

/** Alerts are recorded in the journal, which keeps what it was given for ever. */
function utf8Text(bytes: Buffer, source: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${source} holds no alerts: it is not text in UTF-8; name another file`);
  }
}
