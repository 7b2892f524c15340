/** This file verifies a journal wherever it lives. */
import { type Verification, withDamage } from "../audit/verify/finding.ts";
import type { VerifiedRecord } from "../audit/verify/records.ts";
import type { Head } from "../event/commit.ts";
import type { RecordedEvent } from "../event/event.ts";
import type { TurnPrompt } from "../event/foreign.ts";
import type { HostMarker } from "../event/marker.ts";
import { given, requireOption, requireOptions } from "../options.ts";
import type { LogPage, SessionLines } from "../stream/log.ts";
import { behind } from "../stream/pages.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import { parseVersion } from "./options.ts";
import type { Projection, Step } from "./projection.ts";
import { readWhole, type Whole, type WholeReader } from "./whole.ts";
import type { EventOrHost } from "./with-host.ts";

/** These are the options of `journal.verify`. */
export interface VerifyOptions {
  /** A head that was kept elsewhere: what the stream shows must agree with it. */
  readonly head?: Head;
  /** Goes through the events in the same reading. */
  readonly history?: (events: AsyncIterable<RecordedEvent>) => Promise<void>;
  /** Goes through what the host did to its conversation in the same reading. */
  readonly markers?: (markers: AsyncIterable<HostMarker>) => Promise<void>;
  /** Goes through what the user asked, turn by turn, in the same reading. */
  readonly prompts?: (prompts: AsyncIterable<TurnPrompt>) => Promise<void>;
}

/** Throws a TypeError for a head that is none, and for one under another name: a typing error must not look like damage. */
export function parseVerifyOptions(options: VerifyOptions = {}): VerifyOptions {
  requireOptions(options, "head", "history", "markers", "prompts");
  const { head, history, markers, prompts } = options;
  const readers = { history, markers, prompts };
  for (const [name, reader] of Object.entries(readers))
    requireOption(reader === undefined || typeof reader === "function", reader, name, "a function");
  if (head === undefined) return given(readers);
  if (typeof head !== "object" || head === null || typeof head.hash !== "string") {
    throw new TypeError('option "head" must be { version, hash }, as journal.head gives it');
  }
  return given({ head: { version: parseVersion("head.version", head.version), hash: head.hash }, ...readers });
}

/** Has a journal take in pages, and tells each step of it. The result is false if it has read something before. */
export type TakeIn = (pages: AsyncIterable<LogPage>, tell: (step: Step) => void) => Promise<boolean>;

/**
 * Checks a journal of which nothing was read. If anybody asks what the lines add up to, what it shows is read together with what is
 * checked, and is what they are told. The result is undefined if the journal is folded by branch, for then only its own log knows where
 * entries hang, or if it turns out to be another history: all is to be read again.
 */
export async function checkedFirst(
  store: JournalStore,
  { head, ...hearers }: VerifyOptions,
  takeIn: TakeIn,
): Promise<Verification | undefined> {
  const nothing: Head = { version: 0, hash: "" };
  if (Object.keys(hearers).length === 0) return verifyWith(store, nothing, given({ head }));
  const { HostBetween, tellApart } = await import("./with-host.ts");
  const between = new HostBetween(await store.foreign());
  let told: EventOrHost[] = [];
  let isOther = false;
  const tell = (step: Step): void => {
    if (step.type === "event") told.push(...between.put(step.recorded));
    else isOther = true;
  };
  const taken = async function* (pages: AsyncIterable<LogPage>): AsyncGenerator<LogPage> {
    for await (const page of pages) {
      isOther ||= page.entries.some((entry) => entry.kind === "commit" && entry.data.fold === "branch");
      if (isOther) return;
      yield page;
    }
  };
  let taking: Promise<void> | undefined;
  const take = async ({ lines, pages }: Whole): Promise<void> => {
    const rest = taken(lines === undefined ? pages : between.pagesIn(store, lines));
    // The store lets one call in at a time: until there is a page, it is asked for its checkpoint.
    const first = await rest.next();
    isOther ||= !(await takeIn(first.done === true ? each([]) : behind(first.value, rest), tell));
  };
  const parts = async function* ({ lines, pages }: Whole): AsyncGenerator<readonly EventOrHost[]> {
    // All readers are in step: what is told by now is all that stands before this part.
    for await (const _ of lines ?? pages) {
      const before = told;
      told = [];
      yield before;
    }
    await taking;
    yield [...told, ...between.rest()];
  };
  const also: WholeReader[] = [
    (whole) => {
      taking = take(whole);
      return taking;
    },
    (whole) => tellApart(parts(whole), hearers),
  ];
  const found = await verifyWith(store, nothing, given({ head }), ...also);
  return isOther ? undefined : found;
}

/**
 * The check is of all that is there now, and of what the journal has shown: where that is no part of it any more, of what was shown before.
 * What rests on a snapshot that is found to be wrong is shown no longer.
 */
export async function checked<Found extends Pick<Verification, "findings">>(
  journal: { refresh(): Promise<void> },
  projection: Pick<Projection, "generation" | "head">,
  check: (shown: Head) => Promise<Found>,
): Promise<Found> {
  const { generation, head } = projection;
  await journal.refresh();
  const found = await check(projection.generation === generation ? projection.head : head);
  if (found.findings.some(({ kind }) => kind === "snapshot")) await journal.refresh();
  return found;
}

/** The result also finds what has changed since the session was put away. */
function withNoted(verification: Verification, noted: SessionLines["noted"]): Verification {
  if (noted === undefined) return verification;
  const { head, fault } = noted;
  const { version, hash } = verification.head;
  const isSame = version === head.version && hash === head.hash;
  const other = `the manifest names head v${head.version} ${head.hash}, and the lines end at v${version} ${hash}`;
  const checked = fault === undefined ? verification : withDamage(verification, "corrupt", fault);
  return isSame ? checked : withDamage(checked, "head", other);
}

async function verifyWhole(
  store: JournalStore,
  newest: Head,
  options: VerifyOptions,
  whole: Whole,
): Promise<Verification> {
  const { file } = store;
  const { seal } = store.options;
  if (whole.lines !== undefined && file !== undefined) {
    // A program that only reads and writes never loads it.
    const { verifyLines } = await import("../audit/verify/verify.ts");
    const verified = await verifyLines(whole.lines, { namespace: file.namespace, seal, head: options.head });
    return withNoted(verified, file.noted);
  }
  const { verifyRecords } = await import("../audit/verify/records.ts");
  const session = await store.sessionId();
  const [drops, saved] = [await store.drops(), await store.savedHead()];
  return verifyRecords(recordsIn(whole.pages), { session, seal, drops, saved, shown: newest, head: options.head });
}

/** The result also has what the kept checkpoint says and the record does not. `also` go through the same. */
export async function verifyWith(
  store: JournalStore,
  newest: Head,
  options: VerifyOptions = {},
  ...also: readonly WholeReader[]
): Promise<Verification> {
  const { history, markers, prompts } = options;
  const foreign = await store.foreign({ whole: true });
  let verification: Verification | undefined;
  let fault: string | undefined;
  const verify: WholeReader = async (whole) => {
    verification = await verifyWhole(store, newest, options, whole);
  };
  const check: WholeReader = async ({ pages }) => {
    fault = await store.checkpointFault(pages);
  };
  const readers = foreign === undefined ? [verify, check] : [];
  const isOfHost = foreign === undefined && (markers !== undefined || prompts !== undefined);
  if (isOfHost) {
    const { historyWithHost, oneByOne, tellApart } = await import("./with-host.ts");
    readers.push(({ lines, pages }) => tellApart(oneByOne(historyWithHost(store, lines, pages)), options));
  } else if (history !== undefined) readers.push(({ pages }) => history(store.read(0, pages)));
  if (foreign !== undefined) readers.push(async () => markers?.(each(foreign.markers)));
  if (foreign !== undefined) readers.push(async () => prompts?.(each(foreign.prompts)));
  await readWhole(store, [...readers, ...also]);
  if (foreign !== undefined) {
    const { verifyForeign } = await import("../audit/verify/foreign.ts");
    verification = verifyForeign(foreign, newest, options);
  }
  if (verification === undefined) throw new TypeError(`${store.where} was not read`);
  return fault === undefined ? verification : withDamage(verification, "snapshot", fault);
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

async function* recordsIn(pages: AsyncIterable<LogPage>): AsyncGenerator<VerifiedRecord> {
  let last = 0;
  for await (const { entries } of pages) {
    for (const entry of entries) {
      if (entry.kind !== "commit" && entry.kind !== "value" && entry.kind !== "damaged") continue;
      last = entry.place ?? last + 1;
      yield { place: last, record: entry.kind === "damaged" ? undefined : { ...entry, turn: entry.turn ?? 0 } };
    }
  }
}
