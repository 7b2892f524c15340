/** What is read of one session's subject, whoever reads it. */
import { isAtRecord, RecordCursor } from "../../stream/record-entry.ts";
import { absentSession, namedMax } from "../absent-session.ts";
import type { KeptRecord } from "../kept-record.ts";
import type { Broker } from "./broker.ts";
import { sessionOf } from "./names.ts";

/** The records of `subject` after a place, as they are now. */
export async function* recordsAfter(broker: Broker, subject: string, place: number): AsyncGenerator<KeptRecord> {
  const last = await broker.last(subject);
  if (last !== undefined && last.place > place) yield* broker.between(subject, place, last.place);
}

/** The cursor of records that are there, or were dropped because their owner wants old ones dropped. */
export async function cursorAt(
  broker: Broker,
  subject: string,
  { place, digest }: { readonly place: number; readonly digest: string },
): Promise<RecordCursor | undefined> {
  const json = place === 0 ? undefined : (await broker.at(subject, place))?.json;
  const isThere = isAtRecord({ digest }, json) || (json === undefined && broker.drops);
  return isThere ? new RecordCursor(place, json, digest) : undefined;
}

/** Throws NotASessionError, for `where`. */
export async function requireRecords(broker: Broker, subject: string, where: string): Promise<void> {
  if ((await broker.last(subject)) !== undefined) return;
  const { prefix } = broker.names;
  const sessions = (await broker.recentSubjects(namedMax)).map((each) => sessionOf(each.slice(prefix.length + 1)));
  throw absentSession(
    where,
    sessions.filter((session) => session !== undefined),
  );
}
