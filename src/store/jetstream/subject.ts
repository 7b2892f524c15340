/** What is read of one session's subject, whoever reads it. */
import type { SealKey } from "../../line/chain.ts";
import { absentSession, namedMax } from "../records/absent-session.ts";
import { parseRecordSnapshot, type RecordSnapshot } from "../records/record-snapshot.ts";
import { digestOf } from "../records/record-stream.ts";
import type { KeptRecord } from "../store.ts";
import type { Broker } from "./broker.ts";
import { sessionOf } from "./names.ts";

/** The records of `subject` after a place, as they are now. */
export async function* recordsAfter(broker: Broker, subject: string, place: number): AsyncGenerator<KeptRecord> {
  const last = await broker.last(subject);
  if (last !== undefined && last.place > place) yield* broker.between(subject, place, last.place);
}

/** Undefined: there is none, or it is not one of these records. */
export async function snapshotOf(
  broker: Broker,
  subject: string,
  token: string,
  seal?: SealKey,
): Promise<RecordSnapshot | undefined> {
  const saved = parseRecordSnapshot(await broker.snapshots.load(token), seal);
  return saved !== undefined && (await holds(broker, subject, saved)) ? saved : undefined;
}

/** The record that the snapshot ends with is still there, or was dropped because its owner wants old ones dropped. */
async function holds(broker: Broker, subject: string, { place, digest }: RecordSnapshot): Promise<boolean> {
  if (place === 0) return true;
  const kept = await broker.at(subject, place);
  return kept === undefined ? broker.drops : digestOf(kept.json) === digest;
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
