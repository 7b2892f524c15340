/** This file says in which order sessions are listed, and which of several files stands for one. */
import { inFamilies } from "../audit/report/families.ts";
import type { FoundSession, SessionPlace } from "./found-session.ts";

/** Each file of ours is a journal of its own, and a copy of another one with the same id may have gone on by itself. */
export function isOurs({ client }: SessionPlace): boolean {
  return client === "session-journal";
}

export function byTime(one: SessionPlace, other: SessionPlace): number {
  return one.at === other.at ? (one.where < other.where ? -1 : 1) : one.at < other.at ? 1 : -1;
}

/** The file with most turns stands for a session. Codex begins another one where it is rewound, so the newest does. */
function standsBefore(one: FoundSession, other: FoundSession): boolean {
  const isNewer = byTime(one, other) < 0;
  return one.client === "codex" || one.turns === other.turns ? isNewer : one.turns > other.turns;
}

/** The newest comes first, each with its subagents behind it. A client may keep one session in several files: it is listed once. */
export function inOrder(found: readonly FoundSession[]): FoundSession[] {
  const sessions = new Map<string, FoundSession>();
  for (const session of found) {
    const key = isOurs(session) ? session.where : `${session.client} ${session.session} ${session.parent ?? ""}`;
    const other = sessions.get(key);
    if (other === undefined || standsBefore(session, other)) sessions.set(key, session);
  }
  return inFamilies([...sessions.values()].sort(byTime));
}
