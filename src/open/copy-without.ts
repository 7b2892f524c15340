/** Copies a journal without what must not be kept. The source is not touched. */
import { randomBytes, randomUUID } from "node:crypto";
import path from "node:path";
import { planRedaction, type RedactionPlan } from "../audit/redact/plan.ts";
import { redactRecords, Taken } from "../audit/redact/records.ts";
import { parseWish, type RedactionChoice } from "../audit/redact/wish.ts";
import { PointError, ReadonlyError, StorageError, UnknownEventError } from "../errors.ts";
import type { Version } from "../event/event.ts";
import { recordsFromBeginning } from "../journal/beginning.ts";
import { parseName } from "../journal/options.ts";
import type { SealKey } from "../line/chain.ts";
import { flag, given, type OptionParsers, parseOptions, sealKey, text } from "../options.ts";
import { MemoryLog } from "../store/memory.ts";
import { sessionFileParsers } from "../store/session-file/session-file-options.ts";
import { nobody } from "../stream/delivery.ts";
import { type JournalStore, streamStore } from "../stream/stream-store.ts";
import { isStore, parseAddress, storeAt } from "./addresses.ts";
import { type CopyEnd, type CopyOptions, type TargetOptions, targetAt } from "./copy-target.ts";
import { madeWhole } from "./made-whole.ts";
import { planWithOthers } from "./other-plans.ts";
import { copyLinesWithout, searchLines } from "./redact-file.ts";
import { AgainstPlan, copyRecordsWithout } from "./redact-records.ts";

/**
 * This says what is removed, and what is recorded about it. At least one of `text`, `pattern`, `version` and `secrets` is
 * needed.
 */
export interface RedactOptions extends CopyOptions, RedactionChoice {
  /** The event that records the redaction has this reason. */
  readonly reason?: string;
  /**
   * This is the key of the digests: a person who has it and a text can show that the text was removed. The default is a new
   * key.
   */
  readonly key?: SealKey;
  /** This is the name under which the redaction is recorded. The default is "agent". */
  readonly actor?: string;
  /** With true, StorageError is thrown if nothing matches, and nothing is written. The default is false. */
  readonly requireMatch?: boolean;
}

/** This is the result of `redactJournal`. */
export interface Redacted {
  /** Both have this id. */
  readonly session: string;
  readonly from: string;
  readonly to: string;
  /** This is where the copy stands now. */
  readonly version: Version;
  readonly hash: string;
  /** This is how many texts were removed. Each text of a version counts once. */
  readonly texts: number;
  /** These are the versions in which they stood, each once. */
  readonly versions: readonly Version[];
  /** The key of the digests where it was made here, in hexadecimal: keep it. */
  readonly key?: string;
  /** This is how many texts in the host's lines lost something, from one session file to another. */
  readonly hostTexts: number;
  /** This is how many texts in lines of the journal that do not count lost something, from one session file to another: in a commit that lost a race, or what a host wrote again. */
  readonly uncounted: number;
  /** This is how often a text that was to go stands in what holds the host's lines together, such as the names of their fields, and in numbers of the host. They stay as they are. */
  readonly hostKept: number;
  /** Lines that cannot be read, and so cannot be searched: they are not in the copy. */
  readonly leftOut: number;
}

const { namespace, mirror, durability, seal } = sessionFileParsers;

const parsers: OptionParsers<Omit<RedactOptions, keyof RedactionChoice>> = {
  namespace,
  mirror,
  durability,
  seal,
  reason: text,
  key: sealKey,
  actor: (value, name) => parseName(name, value),
  requireMatch: flag,
};

/** Does what `redactJournal` promises. */
export async function copyWithout(from: CopyEnd, to: CopyEnd, options: RedactOptions): Promise<Redacted> {
  const { text: texts, pattern, version, secrets, ...others } = { ...options };
  const wish = parseWish({ text: texts, pattern, version, secrets });
  const { reason, key: ownKey, actor = "agent", requireMatch = false, ...open } = parseOptions(others, parsers);
  const key = ownKey ?? randomBytes(32).toString("hex");
  const ofSource = { ...given({ namespace: open.namespace, seal: open.seal }), readonly: true, create: false };
  const source = isStore(from) ? from : await storeAt(from, ofSource);
  const read = await ownOf(source, open.seal);
  try {
    const own = await planned(read, wish, key);
    const { where } = source;
    const isFound = !requireMatch || (await matches(read, own, key));
    const settings = { where, key, isMade: ownKey === undefined, reason, actor, open, isFound };
    const address = isStore(to) ? undefined : parseAddress(to);
    if (address?.kind !== "file") return await redacted(read, to, own, settings);
    const plan = await planWithOthers(read, wish, key, own);
    if ((wish.patterns ?? []).length > 0) await searchLines(read, { plan, key, seal: read.options.seal });
    const done = await madeWhole(address.path, open.durability, (file, alone) =>
      redacted(read, file, plan, { ...settings, open: { ...open, ...alone } }),
    );
    return { ...done, to: path.resolve(address.path) };
  } finally {
    if (read !== source) await read.close();
    if (!isStore(from)) await source.close();
  }
}

/** The session of another client becomes a journal of ours. */
async function ownOf(source: JournalStore, key: SealKey | undefined): Promise<JournalStore> {
  const foreign = await source.foreign({ whole: true });
  if (foreign === undefined) return source;
  const { importSession } = await import("./import-session.ts");
  const own = streamStore(new MemoryLog(await source.sessionId()), given({ seal: key }));
  await importSession(source, foreign, own, { now: () => new Date(), ids: randomUUID, seal: key });
  return own;
}

/** Throws where a redacted copy could not be finished. */
async function planned(source: JournalStore, wish: ReturnType<typeof parseWish>, key: SealKey): Promise<RedactionPlan> {
  const { where, options } = source;
  await source.catchUp(undefined, nobody);
  let isOwn = false;
  for await (const { record, events } of recordsFromBeginning(source)) {
    isOwn ||= record.kind === "commit";
    if (record.kind === "commit" && options.seal === undefined && record.data.hash.length === 64) {
      throw new ReadonlyError(`${where} is sealed, and only somebody who has its key can redact it: pass the key`, {
        file: where,
      });
    }
    if (events.some(({ event }) => event.type === "unknown")) {
      throw new UnknownEventError(
        `${where} holds an event of a newer version, which this version cannot search: update session-journal`,
        { file: where },
      );
    }
  }
  const plan = await planRedaction(() => source.records(), wish, key);
  if (!isOwn && options.seal !== undefined && source.isDamaged()) {
    const advice = { option: "seal", said: "as option seal" } as const;
    const message = `${where} was not written with this seal: pass its own key ${advice.said}`;
    throw new StorageError(message, "not-written", { file: where }, undefined, advice);
  }
  const missing = wish.versions?.find((version) => version > plan.version || version === 0);
  if (missing === undefined) return plan;
  throw new PointError(`version ${missing} is not in ${where}: it has versions 1 to ${plan.version}`, { file: where });
}

async function matches(source: JournalStore, plan: RedactionPlan, key: SealKey): Promise<boolean> {
  const taken = new Taken(key);
  const parts = { plan, key, seal: source.options.seal, took: taken.took };
  for await (const _ of redactRecords(source.records(), parts)) if (taken.count > 0) return true;
  return false;
}

interface Settings {
  /** The source is here. */
  readonly where: string;
  readonly key: SealKey;
  /** The key was made here. */
  readonly isMade: boolean;
  readonly reason: string | undefined;
  readonly actor: string;
  /** These are the options of the target. */
  readonly open: TargetOptions;
  /** With false, a line of the host must match, or nothing is written. */
  readonly isFound: boolean;
}

/** No lines were copied, only what counts. */
const noLines = { hostTexts: 0, uncounted: 0, hostKept: 0, leftOut: 0 } as const;

async function redacted(source: JournalStore, to: CopyEnd, plan: RedactionPlan, settings: Settings): Promise<Redacted> {
  const { key, reason, actor, isMade, where, open } = settings;
  const taken = new Taken(key);
  const planned = new AgainstPlan(plan, where);
  const address = isStore(to) ? undefined : parseAddress(to);
  const isOfLines = source.file !== undefined && address?.kind === "file";
  const parts = { plan, key, seal: source.options.seal, took: taken.took, met: planned.met };
  const requireMatch = ({
    hostTexts,
    uncounted,
    hostKept,
  }: Pick<Redacted, "hostTexts" | "uncounted" | "hostKept">): void => {
    if (settings.isFound || hostTexts + uncounted > 0) return;
    const but = hostKept > 0 ? " but names, ids and numbers that hold the host's lines together, which stay" : "";
    const message = `nothing in ${where} matches${but}: nothing was written; check what you want to remove`;
    throw new StorageError(message, "not-written", { file: where });
  };
  if (!isOfLines) {
    requireMatch(noLines);
    await planned.requireIn(source, parts);
  }
  const lines = isOfLines
    ? await copyLinesWithout(source, address.path, parts, (host) => {
        planned.requireAll();
        requireMatch(host);
      })
    : undefined;
  const { hostTexts, uncounted, hostKept, leftOut } = lines ?? noLines;
  const target = await targetOf(source, to, lines === undefined ? open : { mirror: lines.mirror, ...open });
  try {
    if (lines === undefined) await copyRecordsWithout(source, target, parts, planned);
    const said = reason === undefined ? undefined : plan.matcher.replace(reason);
    for (const event of taken.events(said, actor)) {
      const draft = { id: randomUUID(), at: new Date().toISOString(), events: [event] };
      await target.commit(undefined, nobody, () => draft);
    }
    const { version, hash } = await target.catchUp(undefined, nobody);
    return {
      session: await target.sessionId(),
      from: where,
      to: target.where,
      version,
      hash,
      texts: taken.count,
      versions: taken.versions(),
      ...(isMade && taken.count > 0 ? { key: String(key) } : {}),
      ...{ hostTexts, uncounted, hostKept, leftOut },
    };
  } finally {
    if (!isStore(to)) await target.close();
  }
}

async function targetOf(source: JournalStore, to: CopyEnd, open: TargetOptions): Promise<JournalStore> {
  return isStore(to) ? to : targetAt(to, source, open);
}
