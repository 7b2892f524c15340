/** This file says whether a journal is the import of a session so far: only then the import may go on. */

import { isDeepStrictEqual } from "node:util";
import { StorageError } from "../errors.ts";
import type { ImportOrigin, RecordedEvent, ScratchpadEvent, Version } from "../event/event.ts";
import { type ForeignSession, isOfNow } from "../event/foreign.ts";

const advice = "copy it to a new place";

/** Throws StorageError where the journal holds something else than an import of this session. */
export function requireImport(
  held: readonly RecordedEvent[],
  { client, session }: ImportOrigin,
  source: string,
  target: string,
): void {
  const first = held[0]?.event;
  if (first === undefined) return;
  if (first.type !== "session.imported" || first.from.client !== client || first.from.session !== session)
    throw refused(target, `holds another journal than an import of ${source}: ${advice}`);
}

/** Throws StorageError where what was imported is not the beginning of what the session tells. */
export function requireGoesOn(
  held: readonly RecordedEvent[],
  told: readonly RecordedEvent[],
  { client, turns }: ForeignSession,
  source: string,
  target: string,
): void {
  let [index, begun] = [0, 0];
  for (const recorded of held) {
    const { event, actor, version } = recorded;
    if (event.type === "session.imported" || isOfNow(client, recorded)) continue;
    if (event.type === "turn.began") begun += 1;
    const wanted = event.type === "turn.began" ? undefined : told[index++];
    const isSame = wanted === undefined ? isTurnOf(event, actor, client) && begun <= turns : isAsTold(recorded, wanted);
    if (!isSame) throw refused(target, divergence(version, event, wanted ?? told[index], source));
  }
  const imported = held.findLast(({ event }) => event.type === "session.imported");
  const late = told
    .slice(index)
    .find((recorded) => recorded.turn < begun && !isLoss(recorded) && !isSince(imported, recorded));
  if (late !== undefined)
    throw refused(
      target,
      `has begun turn ${begun}, and ${source} says ${late.event.type} of turn ${late.turn} now: the session was rewound since; ${advice}`,
    );
}

/** A client says only later what it lost at a compaction: the copy may have begun another turn by then. */
function isLoss({ event }: RecordedEvent): boolean {
  return event.type === "plan.set" && event.text === "";
}

/** A call may end after somebody has said what begins the next turn. What a rewind brings back was there before. */
function isSince(imported: RecordedEvent | undefined, { at }: RecordedEvent): boolean {
  return imported !== undefined && Date.parse(at) > Date.parse(imported.at);
}

function isTurnOf({ type }: ScratchpadEvent, actor: string, client: string): boolean {
  return type === "turn.began" && actor === client;
}

/** What was lost, or told late, may stand in a later turn. */
function isAsTold({ event, actor, at, turn }: RecordedEvent, told: RecordedEvent): boolean {
  return isDeepStrictEqual(told.event, event) && told.actor === actor && told.at === at && turn >= told.turn;
}

function divergence(
  version: Version,
  event: ScratchpadEvent,
  wanted: RecordedEvent | undefined,
  source: string,
): string {
  return wanted === undefined
    ? `goes on at version ${version} (${event.type}) where ${source} ends: somebody wrote to it, or the session was rewound or cut; ${advice}, and see with session-journal compare what each has`
    : `says at version ${version} ${event.type} where ${source} says ${wanted.event.type} now: the session was rewritten or rewound since, or somebody wrote to the import; ${advice}, and see with session-journal compare what each has`;
}

function refused(file: string, why: string): StorageError {
  return new StorageError(`${file} ${why}; nothing was copied`, "not-written", { file });
}
