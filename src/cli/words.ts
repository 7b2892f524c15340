/** Values as people read them. */
import type { Verification } from "../audit/verify/finding.ts";
import { withoutPassword } from "../errors.ts";
import type { RecordedEvent } from "../event/event.ts";
import type { Span } from "./span.ts";

/** A time as our lines write it is taken as it is: the first date that is printed makes Node load its time zones. */
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The result is an ISO time for people: in UTC, to the second. A text that is not a time is shown as it is. */
export function shortTime(at: string): string {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return at;
  const iso = isoTime.test(at) ? at : new Date(time).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}Z`;
}

/** The result has the first cells of a row about an event. `who` stands for its actor, if more than the name is to be said. */
export function whoAndWhen(
  { version, at, turn, actor }: Pick<RecordedEvent, "version" | "at" | "turn" | "actor">,
  who = actor,
): Span[] {
  return [
    { text: `v${version}`, style: "yellow" },
    { text: shortTime(at), style: "dim" },
    { text: `t${turn}`, style: "dim" },
    { text: who, style: "cyan" },
  ];
}

export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** A line for each kind of which not all findings are listed. */
export function unlistedIn({ unlisted = [] }: Pick<Verification, "unlisted">): string[] {
  return unlisted.map(({ severity, kind, count }) => `${count} more of ${severity} ${kind}: only the first are listed`);
}

/** The result is one line for standard error, about a folder, or about a database or a broker where `isAddress`. */
export function noSessionIn(where: string, isAddress: boolean): string {
  if (isAddress) return `no journal was found in ${withoutPassword(where)}`;
  return `no journal, and no session of a client that ls lists, was found in ${where}: name a file itself, or look in every folder with session-journal ls --all`;
}

/** The result is one line for standard error about files that say that they are sessions, at least one. */
export function unreadIn([first = "", ...others]: readonly string[]): string {
  const which = others.length === 0 ? first : `${first} and ${counted(others.length, "other session")}`;
  return `${which} could not be read: session-journal show ${shellWord(first)} says why`;
}

const units: readonly (readonly [string, number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
];

/** The result says how long before `now` an ISO time is. */
export function ago(at: string, now: Date): string {
  const passedMs = now.getTime() - Date.parse(at);
  const [unit, unitMs] = units.find(([, each]) => passedMs >= each) ?? ["second", 1000];
  return passedMs < 1000 ? "just now" : `${counted(Math.floor(passedMs / unitMs), unit)} ago`;
}

/** A word is quoted if a POSIX shell would take it apart. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
