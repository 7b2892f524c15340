/** Who wrote a journal, what is wrong with it, what that means and what to do. */
import type { Finding } from "../audit/verify/finding.ts";
import type { EventOrigin, RecordedEvent } from "../event/event.ts";
import type { Journal } from "../journal/journal.ts";

/** Everything that one kind of runtime wrote. */
export interface Writer {
  readonly runtime: string;
  readonly events: number;
  /** Versions. */
  readonly first: number;
  readonly last: number;
  readonly actors: readonly string[];
}

export interface Diagnosis {
  /** No damage. */
  readonly ok: boolean;
  readonly writers: readonly Writer[];
  readonly findings: readonly Finding[];
  /** What the findings mean and what to do, a line each. */
  readonly advice: readonly string[];
}

export async function diagnose(journal: Journal): Promise<Diagnosis> {
  const events: RecordedEvent[] = [];
  for await (const recorded of journal.history()) events.push(recorded);
  const { ok, findings } = await journal.verify();
  const advice = [...new Set([...findings.map(adviceOn), ...adviceOnWriters(events)])];
  return { ok, writers: writersOf(events), findings, advice: advice.length > 0 ? advice : ["nothing"] };
}

const runtimes: { readonly [Origin in EventOrigin]: string } = {
  journal: "session-journal",
  host: "a runtime with three keys",
  legacy: "a runtime with the single key",
};

function writersOf(events: readonly RecordedEvent[]): Writer[] {
  return (Object.keys(runtimes) as EventOrigin[]).flatMap((origin) => {
    const own = events.filter((recorded) => recorded.origin === origin);
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined) return [];
    const actors = [...new Set(own.map(({ actor }) => actor))];
    return [{ runtime: runtimes[origin], events: own.length, first: first.version, last: last.version, actors }];
  });
}

function adviceOn({ kind, severity }: Finding): string {
  switch (kind) {
    case "torn":
      return "torn: a crash or a write in flight; nothing acknowledged is gone, and the next write mends it";
    case "inherited":
      return "inherited: the host copied lines from the parent session; nothing to do";
    case "duplicate":
      return "duplicate: a commit was sent twice and counted once; nothing to do";
    case "fork":
      return severity === "note"
        ? "fork: a slower writer lost a race and wrote again; nothing to do"
        : "fork: a commit does not count because of the damage before it; read it with its line number, and apply again what is missing";
    case "foreign":
      return "foreign: lines that are no entries of a session; harmless, but ask the runtime that wrote them";
    case "sealed":
      return "sealed: open the journal with its key to check it";
    case "corrupt":
      return "corrupt: a line was damaged on disk or by hand; take it from a backup, the rest of the history is readable";
    case "hash":
      return "hash: a commit was changed after it was written and does not count; take the file from a backup, or apply again what is missing";
    case "gap":
      return "gap: lines are missing before a commit; take the file from a backup, or go on knowing that they are gone";
    case "mirror":
      return "mirror: a value for older runtimes was changed; the next write of session-journal mends the newest, the events are not touched";
    case "unknown_event":
      return "unknown_event: a newer version of session-journal wrote here; install it to write";
    case "tree":
      return "tree: entries do not hang together, so a host may show less of the conversation; open it with the host and check";
    case "head":
      return "head: the file is not the one whose head was kept; compare it with a backup";
  }
}

function adviceOnWriters(events: readonly RecordedEvent[]): string[] {
  const ours = events.find(({ origin }) => origin === "journal");
  const later = ours && events.some(({ origin, version }) => origin !== "journal" && version > ours.version);
  return later
    ? [
        "another runtime goes on writing whole values: what they replaced is listed by lost, and comes back with restore",
      ]
    : [];
}
