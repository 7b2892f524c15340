/** A session that is not there, and that nobody may make. */
import { NotASessionError } from "../errors.ts";

/** So many sessions are named where another one was asked for. */
export const namedMax = 3;

/** `newest`: sessions that are there instead. */
export function absentSession(where: string, newest: readonly string[]): NotASessionError {
  const names = newest.slice(0, namedMax).map((name) => JSON.stringify(name));
  const there = names.length === 0 ? "there is no session beside it" : `the newest ones there are ${names.join(", ")}`;
  return new NotASessionError(`${where} is not there: check the name; ${there}`, { file: where });
}
