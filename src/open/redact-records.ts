/** From any store to another that keeps no lines of a host, record by record. */
import { createHash } from "node:crypto";
import type { RedactionPlan } from "../audit/redact/plan.ts";
import { redactRecords } from "../audit/redact/records.ts";
import { StorageError } from "../errors.ts";
import type { Version } from "../event/event.ts";
import { recordsFromBeginning } from "../journal/beginning.ts";
import { requireFresh } from "../journal/fork.ts";
import type { StreamRecord } from "../line/record.ts";
import { rewrittenWhileRead } from "../store/session-file/session-path.ts";
import { nobody } from "../stream/delivery.ts";
import type { JournalStore } from "../stream/stream-store.ts";

/** What is copied is held against what was looked through: versions of one history say nothing of another. */
export class AgainstPlan {
  readonly #plan: RedactionPlan;
  readonly #where: string;
  #hasMetNewest = false;

  constructor(plan: RedactionPlan, where: string) {
    this.#plan = plan;
    this.#where = where;
  }

  readonly met = (version: Version, hash: string | undefined): void => {
    this.#hasMetNewest ||= hash === this.#plan.newest;
    if (version <= this.#plan.version) return;
    // Host lines stand between those that were looked through and those that were not, so the copy cannot end before these.
    const message = `${this.#where} grew while it was redacted, and what was added was not looked through: nothing was written; try again`;
    throw new StorageError(message, "not-written", { file: this.#where });
  };

  /** The result holds for what was met since the last time that it was asked for. */
  hasMetAll(): boolean {
    const hasMetAll = this.#plan.newest === undefined || this.#hasMetNewest;
    this.#hasMetNewest = false;
    return hasMetAll;
  }

  requireAll(): void {
    if (!this.hasMetAll()) throw rewrittenWhileRead(this.#where);
  }

  async requireIn(source: JournalStore, parts: Parameters<typeof redactRecords>[1]): Promise<void> {
    for await (const _ of redactRecords(source.records(), { ...parts, took: () => undefined }));
    this.requireAll();
  }

  requireAllIn(target: string): void {
    if (this.hasMetAll()) return;
    const message = `${this.#where} was rewritten while it was redacted, and ${target} holds what was not looked through: remove it, and try again`;
    throw new StorageError(message, "unknown", { file: this.#where });
  }
}

/** Throws StorageError where `target` holds anything already, also what somebody else puts there meanwhile. */
export async function copyRecordsWithout(
  source: JournalStore,
  target: JournalStore,
  parts: Parameters<typeof redactRecords>[1],
  planned: AgainstPlan,
): Promise<void> {
  const { isImported, isOnlyCopied, requireSession } = await import("../journal/copy.ts");
  const id = await source.sessionId();
  // Reading makes a database that is not there. A file that is there is told as such, whatever session it is.
  if (target.file === undefined) await requireSession(id, target);
  requireFresh((await target.catchUp(undefined, nobody)).version, target.where);
  await requireSession(id, target);
  const [wanted, found] = [new RecordsDigest(), new RecordsDigest()];
  const records = wanted.over(redactRecords(recordsFromBeginning(source), parts));
  const isAlone = await isImported(target, 0, records, await isOnlyCopied(target));
  if (isAlone) for await (const { record } of target.records()) found.take(record);
  if (!isAlone || found.hex() !== wanted.hex())
    requireFresh((await target.catchUp(undefined, nobody)).version, target.where);
  planned.requireAllIn(target.where);
}

/** Somebody else may put records into the same place at the same time. */
class RecordsDigest {
  readonly #digest = createHash("sha256");

  take(record: StreamRecord): void {
    this.#digest.update(record.kind === "commit" ? record.data.hash : JSON.stringify([record.key, record.data]));
  }

  async *over(records: AsyncIterable<StreamRecord>): AsyncGenerator<StreamRecord> {
    for await (const record of records) {
      this.take(record);
      yield record;
    }
  }

  hex(): string {
    return this.#digest.digest("hex");
  }
}
