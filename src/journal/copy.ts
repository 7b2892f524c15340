/** Moves a journal between backends: the records as they are, so that every event and the chain stay what they were. */
import { isDeepStrictEqual } from "node:util";
import { hasHostLines, hostMarkers as markersAmong } from "../audit/host-markers.ts";
import { countOf, type Finding } from "../audit/verify/finding.ts";
import { type Advice, FoldPolicyError, isJournalError, StorageError, VersionConflictError } from "../errors.ts";
import type { Version } from "../event/event.ts";
import { nobody } from "../stream/delivery.ts";
import type { AcceptedRecord as Accepted } from "../stream/history.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import { recordsFromBeginning } from "./beginning.ts";
import { verifyWith } from "./check.ts";

type StreamRecord = Accepted["record"];

/** A copy that is always overtaken gives up. */
const attemptsMax = 64;

/** This says what `copyJournal` has copied. */
export interface Copied {
  /** Both have this id. */
  readonly session: string;
  readonly from: string;
  readonly to: string;
  /** This is where both stand now. */
  readonly version: Version;
  readonly hash: string;
  /** This is the number of events that were missing before. */
  readonly events: number;
  /** Damaged lines or records, which do not count and were not copied; `verify` lists them. */
  readonly leftOut: number;
  /** Events that are in another turn there. This happens only in a file of a host, whose messages begin the turns. */
  readonly otherTurns: number;
  /** This says how often the host compacted, rewound or changed the model. Its lines say so, and they are not copied. */
  readonly hostMarkers: number;
}

/**
 * Brings `target` to where `source` is, and compares both from the start. What is there already is left, so a copy that
 * was interrupted goes on. Throws VersionConflictError where `target` holds anything else than the beginning of
 * `source`, FoldPolicyError for a journal that is folded by branch, PointError where the beginning of `source` was dropped, and
 * StorageError, also where `source` is sealed with another key or holds nothing that could be missed. A `source` that cannot be
 * copied leaves `target` untouched.
 */
export async function copyRecords(source: JournalStore, target: JournalStore): Promise<Copied> {
  const session = await source.sessionId();
  const { leftOut, hostMarkers } = await requireCopyable(source);
  await requireSession(session, target);
  const after = await completed(source, target);
  const { version, events, otherTurns } = await closing(source.records(), (original) =>
    compare(original, source, target, after),
  );
  const { hash } = await target.catchUp(undefined, nobody);
  return { session, from: source.where, to: target.where, version, hash, events, leftOut, otherTurns, hostMarkers };
}

/** Appends what is missing in `target`, and answers up to which version nothing was. Others may copy there at the same time. */
async function completed(source: JournalStore, target: JournalStore): Promise<Version> {
  let before: Version | undefined;
  await untilImported(target, () =>
    closing(recordsFromBeginning(source), async (missing) => {
      const held = await passPrefix(missing, source, target);
      before ??= held;
      return isImported(target, held, only(missing), await isOnlyCopied(target));
    }),
  );
  return before ?? 0;
}

/** `attempt` looks at what is in `target`, and is false where somebody else wrote to it meanwhile. */
export async function untilImported(target: JournalStore, attempt: () => Promise<boolean>): Promise<void> {
  for (let count = 0; count < attemptsMax; count++) if (await attempt()) return;
  const message = `${target.where} is written to by somebody else all the time: copy again when nobody does, or to an empty place`;
  throw new StorageError(message, "unknown", { file: target.where });
}

/** The result is false if somebody else wrote to `target` meanwhile. */
export async function isImported(
  target: JournalStore,
  ...what: Parameters<JournalStore["importRecords"]>
): Promise<boolean> {
  try {
    await target.importRecords(...what);
    return true;
  } catch (error) {
    if (isJournalError(error, "version_conflict")) return false;
    throw error;
  }
}

/** Counts what is not copied: lines or records that are damaged, for they do not count, and what the host says it did. */
async function requireCopyable(source: JournalStore): Promise<Pick<Copied, "leftOut" | "hostMarkers">> {
  const first = await firstCommit(source);
  const { verification, hostMarkers } = await lookedThrough(source);
  // Under a key that is not its own, a file reads as one in which nothing was ever written. Without a key it is damage.
  const isOfOtherKey = first !== "commit" && verification.findings.some(({ kind }) => kind === "hash");
  if (isOfOtherKey && source.options.seal !== undefined) {
    const advice = { option: "seal", said: "as option seal" } as const;
    const why = `was not written with this seal: pass its own key ${advice.said}, or no key if it has none`;
    throw notCopied(source, why, advice);
  }
  if (first === "nothing" && source.file === undefined) {
    // Where it was opened to be read, it says itself what is there instead.
    await source.catchUp(undefined, nobody);
    throw notCopied(source, "holds nothing under this session id: check the id");
  }
  const isLeftOut = ({ kind, severity }: Pick<Finding, "kind" | "severity">): boolean =>
    severity === "damage" && costsEvents.includes(kind);
  return { leftOut: countOf(verification, isLeftOut), hostMarkers };
}

async function lookedThrough(source: JournalStore) {
  let hostMarkers = 0;
  const verification = await verifyWith(source, { version: 0, hash: "" }, {}, async ({ lines }) => {
    if (lines === undefined || source.file === undefined) return;
    for await (const _ of markersAmong(lines, source.file.namespace)) hostMarkers += 1;
  });
  return { verification, hostMarkers };
}

const costsEvents: readonly string[] = ["corrupt", "hash", "fork"] satisfies Finding["kind"][];

async function firstCommit(source: JournalStore): Promise<"commit" | "values" | "nothing"> {
  let found: "values" | "nothing" = "nothing";
  for await (const { record } of recordsFromBeginning(source)) {
    requireUnbranched(record);
    if (record.kind === "commit") return "commit";
    found = "values";
  }
  return found;
}

function notCopied({ where }: JournalStore, why: string, advice?: Advice): StorageError {
  return new StorageError(`${where} ${why}; nothing was copied`, "not-written", { file: where }, undefined, advice);
}

/** The chain begins with the session's id, so it holds under no other. */
export async function requireSession(session: string, target: JournalStore): Promise<void> {
  const other = await target.sessionId();
  if (other === session) return;
  throw new StorageError(
    `${target.where} is session ${other}, and only ${session} can hold this journal: ${ownPlace(target)}`,
    "not-written",
    { file: target.where },
  );
}

function ownPlace({ where, file }: JournalStore): string {
  const cut = where.lastIndexOf("#");
  if (file !== undefined || cut === -1) return "copy to an empty place";
  return `leave out # and what follows: copy to ${where.slice(0, cut)}`;
}

/** Takes from `source` what `target` holds. Answers the version reached. */
async function passPrefix(
  source: AsyncIterator<Accepted>,
  { where }: JournalStore,
  target: JournalStore,
): Promise<Version> {
  let version = 0;
  for await (const held of target.records()) {
    const { value, done } = await source.next();
    const actual = versionOf(held);
    if (done)
      throw new DivergedError(version, actual, target.where, `goes on after version ${version}, where ${where} ends`);
    if (!isSame(value, held)) {
      throw new DivergedError(version, actual, target.where, `differs from ${where} after version ${version}`);
    }
    version = actual;
  }
  return version;
}

async function* only(source: AsyncIterator<Accepted>): AsyncGenerator<StreamRecord> {
  for (;;) {
    const { value, done } = await source.next();
    if (done) return;
    const { record } = value as Accepted;
    requireUnbranched(record);
    yield record;
  }
}

function requireUnbranched(record: StreamRecord): void {
  if (record.kind === "commit" && record.data.fold !== undefined) {
    throw new FoldPolicyError(
      "a journal that is folded by branch cannot be copied: its lines hang on the host's own; copy the whole file",
    );
  }
}

/** A reading that is not gone through to its end holds its file open until it is told that nobody wants the rest. */
async function closing<Result>(
  records: AsyncIterable<Accepted>,
  task: (reading: AsyncIterator<Accepted>) => Promise<Result>,
): Promise<Result> {
  const reading = records[Symbol.asyncIterator]();
  try {
    return await task(reading);
  } finally {
    await reading.return?.();
  }
}

/** Up to where `target` is; `source` may have gone on meanwhile. Counts the events behind version `after`. */
async function compare(
  original: AsyncIterator<Accepted>,
  source: JournalStore,
  target: JournalStore,
  after: Version,
): Promise<Pick<Copied, "version" | "events" | "otherTurns">> {
  let version = 0;
  let events = 0;
  let otherTurns = 0;
  for await (const held of target.records()) {
    const { value, done } = await original.next();
    if (done || !isSame(value, held) || !isSameJson(value.events.map(essence), held.events.map(essence))) {
      throw new StorageError(
        `the copy in ${target.where} differs from ${source.where} after version ${version}: somebody else writes to it; copy to an empty place`,
        "unknown",
        { file: target.where },
      );
    }
    version = versionOf(held);
    if (version > after) events += held.events.length;
    otherTurns += held.events.filter(({ turn }, index) => turn !== value.events[index]?.turn).length;
  }
  return { version, events, otherTurns };
}

function versionOf({ events }: Accepted): Version {
  return events.at(-1)?.version ?? 0;
}

/** No host has written to it, so that what begins a turn there is part of nobody's conversation. */
export async function isOnlyCopied({ file }: JournalStore): Promise<boolean> {
  return file === undefined || !(await hasHostLines(file.lines(), file.namespace));
}

/** In a file to which a host has written, the host's messages begin the turns. */
function isSame({ record: { turn: _, ...one } }: Accepted, { record: { turn: __, ...other } }: Accepted): boolean {
  return isSameJson(one, other);
}

/** What is kept went through JSON, which prints no -0. */
function isSameJson(one: object, other: object): boolean {
  return isDeepStrictEqual(one, other) || isDeepStrictEqual(throughJson(one), throughJson(other));
}

function throughJson(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}

function essence({ version, event, at, actor, command, source, limits, origin, commit }: Accepted["events"][number]) {
  return { version, event, at, actor, command, source, limits, origin, commit };
}

class DivergedError extends VersionConflictError {
  constructor(common: Version, actual: Version, where: string, how: string) {
    super(common, actual, { file: where });
    this.name = "VersionConflictError";
    this.message = `${where} ${how}: nothing was copied; copy to an empty place`;
  }
}
