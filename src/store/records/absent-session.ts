/** A session that is not there, and who must not make it. */
import { NotASessionError } from "../../errors.ts";
import type { Position } from "../store.ts";

/**
 * Nothing was read yet, and the session is not to be made. Who only reads may come before the first event: a session that
 * somebody else has opened, and not written to yet, leaves no trace.
 */
export function mustBeThere(from: Position | undefined, { create = true }: { readonly create?: boolean }): boolean {
  return from === undefined && !create;
}

/** So many sessions are named where another one was asked for. */
export const namedMax = 3;

/** `newest`: sessions that are there instead. */
export function absentSession(where: string, newest: readonly string[]): NotASessionError {
  const names = newest.slice(0, namedMax).map((name) => JSON.stringify(name));
  const there = names.length === 0 ? "there is no session beside it" : `the newest ones there are ${names.join(", ")}`;
  return new NotASessionError(`${where} is not there: check the name; ${there}`, { file: where });
}
