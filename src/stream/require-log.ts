/** A log may be a stranger's: what it is and what it gives is looked at once, so that what is wrong says where. */
import type { Log, LogEntry, LogPage, Session, Step } from "./log.ts";

const page = "see docs/writing-a-log.md";
const members = ["session", "read", "append", "watch", "close"] as const satisfies readonly (keyof Log)[];
const kinds: Readonly<Record<LogEntry["kind"], true>> = {
  commit: true,
  value: true,
  event: true,
  turns: true,
  damaged: true,
  begin: true,
  branch: true,
};

/** Throws a TypeError that names what is missing. */
export function requireLog(log: Log): void {
  const given: Partial<Log> = typeof log === "object" && log !== null ? log : {};
  const missing = members.find((member) => typeof given[member] !== "function");
  if (missing === undefined && typeof given.where === "string") return;
  const fault = missing === undefined ? "where is not a text" : `${missing} is not a function`;
  throw new TypeError(`streamStore takes a log, and in this one ${fault}: ${page}`);
}

/** Throws a TypeError for what has no id. One that is empty is that of a session file which does not say. */
export function requireSession(session: Session, where: string): Session {
  const { id } = (session ?? {}) as Partial<Session>;
  if (typeof id === "string") return session;
  throw new TypeError(`${where}: session() must give { id }, the id of the session as text: ${page}`);
}

/** Throws a TypeError for what is no page, and for what its log has handed on without making entries of it. */
export function requirePage(given: LogPage, where: string): void {
  const { entries } = (given ?? {}) as Partial<LogPage>;
  if (!Array.isArray(entries))
    throw new TypeError(`${where}: read and append must tell pages, { entries: [], cursor }: ${page}`);
  const index = entries.findIndex((entry) => !Object.hasOwn(kinds, entry?.kind));
  if (index === -1) return;
  throw new TypeError(
    `${where}: entry ${index} of a page is none: make it with readRecord from what you stored: ${page}`,
  );
}

/** `last` is what was asked for last, and undefined if nothing was asked. Otherwise an answer would promise what is not there. */
export function requireToldAgain(last: Step | undefined, where: string): void {
  if (last !== undefined && last.type !== "append") return;
  const fault = last === undefined ? "did not call next" : "did not call next again after what it was to append";
  throw new TypeError(`${where}: append ${fault}: tell it what stands there until it asks for nothing more: ${page}`);
}
