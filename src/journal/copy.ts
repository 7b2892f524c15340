/** Moves a journal between backends: the records as they are, so that every event and the chain stay what they were. */
import { isDeepStrictEqual } from "node:util";
import { FoldPolicyError, StorageError, VersionConflictError } from "../errors.ts";
import type { Version } from "../event/event.ts";
import type { JournalStore } from "../store/store.ts";

type Accepted = ReturnType<NonNullable<JournalStore["records"]>> extends AsyncIterable<infer Item> ? Item : never;
type StreamRecord = Accepted["record"];

export interface Copied {
  /** The id that both have. */
  readonly session: string;
  readonly from: string;
  readonly to: string;
  /** Where both stand now. */
  readonly version: Version;
  readonly hash: string;
  /** Events that were missing before. */
  readonly events: number;
}

/**
 * Brings `target` to where `source` is, and compares both from the start. What is there already is left, so a copy that
 * was interrupted goes on. Throws VersionConflictError where `target` holds anything else than the beginning of
 * `source`, FoldPolicyError for a journal that is folded by branch, and StorageError.
 */
export async function copyRecords(source: JournalStore, target: JournalStore): Promise<Copied> {
  const session = await source.sessionId();
  await requireSession(session, target);
  const missing = recordsOf(source)[Symbol.asyncIterator]();
  const after = await passPrefix(missing, source, target);
  await importInto(target, after, only(missing));
  const version = await compare(source, target);
  const { hash } = await target.catchUp(undefined, { reset: () => undefined, event: () => undefined });
  return { session, from: source.where, to: target.where, version, hash, events: version - after };
}

function recordsOf(store: JournalStore): AsyncIterable<Accepted> {
  if (store.records !== undefined) return store.records();
  throw new TypeError(
    `${store.where} cannot list its records: copy from a path, an address or a store of this package`,
  );
}

async function importInto(target: JournalStore, after: Version, records: AsyncIterable<StreamRecord>): Promise<void> {
  if (target.importRecords === undefined) {
    throw new TypeError(`${target.where} takes no records: copy to a path, an address or a store of this package`);
  }
  await target.importRecords(after, records);
}

/** The chain begins with the session's id, so it holds under no other. */
async function requireSession(session: string, target: JournalStore): Promise<void> {
  const other = await target.sessionId();
  if (other === session) return;
  throw new StorageError(
    `${target.where} is session ${other}, and only ${session} can hold this journal: copy to an empty place`,
    "not-written",
    { file: target.where },
  );
}

/** Takes from `source` what `target` holds. Answers the version reached. */
async function passPrefix(
  source: AsyncIterator<Accepted>,
  { where }: JournalStore,
  target: JournalStore,
): Promise<Version> {
  let version = 0;
  for await (const held of recordsOf(target)) {
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
    if (record.kind === "commit" && record.data.fold !== undefined) {
      throw new FoldPolicyError(
        "a journal that is folded by branch cannot be copied: its lines hang on the host's own; copy the whole file",
      );
    }
    yield record;
  }
}

/** Up to where `target` is; `source` may have gone on meanwhile. */
async function compare(source: JournalStore, target: JournalStore): Promise<Version> {
  const original = recordsOf(source)[Symbol.asyncIterator]();
  let version = 0;
  for await (const held of recordsOf(target)) {
    const { value, done } = await original.next();
    if (done || !isSame(value, held) || !isDeepStrictEqual(value.events.map(essence), held.events.map(essence))) {
      throw new StorageError(
        `the copy in ${target.where} differs from ${source.where} after version ${version}: somebody else writes to it; copy to an empty place`,
        "unknown",
        { file: target.where },
      );
    }
    version = versionOf(held);
  }
  return version;
}

function versionOf({ events }: Accepted): Version {
  return events.at(-1)?.version ?? 0;
}

/** The turn is where the host's messages are; they do not move. */
function isSame({ record: { turn: _, ...one } }: Accepted, { record: { turn: __, ...other } }: Accepted): boolean {
  return isDeepStrictEqual(one, other);
}

function essence({ version, event, at, actor, command, origin, commit }: Accepted["events"][number]) {
  return { version, event, at, actor, command, origin, commit };
}

class DivergedError extends VersionConflictError {
  constructor(common: Version, actual: Version, where: string, how: string) {
    super(common, actual, { file: where });
    this.name = "VersionConflictError";
    this.message = `${where} ${how}: nothing was copied; copy to an empty place`;
  }
}
