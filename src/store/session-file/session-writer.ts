/**
 * Append, then verify. A writer reads what is new, decides, appends one commit in one write, syncs, and reads back:
 * only a commit that every reader accepts is acknowledged. Else it decides again on what the others did.
 */
import { FoldPolicyError, ReadonlyError, StorageError, VersionConflictError } from "../../errors.ts";
import type { CommitData, Draft, Head } from "../../event/commit.ts";
import type { Version } from "../../event/event.ts";
import type { SealedCommit } from "../../line/chain.ts";
import { commitLine, type EncodedLine, sealBehind, sealDraft } from "../../line/encode.ts";
import { commitLineBytesMax } from "../../line/format.ts";
import type { StreamRecord } from "../../line/record.ts";
import { nobody } from "../records/record-stream.ts";
import type { EventSink, StreamEnd } from "../store.ts";
import { Appender } from "./appender.ts";
import { Mender } from "./mender.ts";
import { type LiveHost, SessionPen, type WriterSettings } from "./session-pen.ts";
import { appendRecords } from "./session-records.ts";
import type { SessionStream } from "./session-stream.ts";

/** Commits that a failed sync may have lost, by file and namespace: for every handle of this process. */
const poisoned = new Map<string, readonly CommitData[]>();

/** Racing writers win their turn long before; what never ends is a caller that repeats a command of another commit. */
const attemptsMax = 256;

export class SessionWriter {
  readonly #stream: SessionStream;
  readonly #settings: WriterSettings;
  readonly #appender: Appender;
  readonly #pen: SessionPen;
  readonly #mender: Mender;
  /** Commits that were acknowledged by this handle, to be put back where a host's rewrite took them away: by session. */
  readonly #acknowledged = new Map<string, Map<string, CommitData>>();
  /** Written since the last good sync. */
  #unsynced: CommitData[] = [];
  #checkedEpoch = 0;

  constructor(stream: SessionStream, settings: WriterSettings) {
    this.#stream = stream;
    this.#settings = settings;
    this.#appender = new Appender(settings.file, settings.durability);
    this.#pen = new SessionPen(stream, settings, this.#appender);
    this.#mender = new Mender(this.#pen);
  }

  /** To be called with the lock held, or without any. */
  async commit(sink: EventSink, decide: (end: StreamEnd) => Draft | undefined): Promise<StreamEnd> {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const heal = await this.#prepare(sink, attempt > 0);
      const draft = decide(this.#stream.end());
      if (draft === undefined) return this.#stream.end();
      if (draft.events.length === 0) {
        if (!(await this.#pen.syncAll())) continue;
        await this.#mender.mend(sink, heal);
        return this.#stream.end();
      }
      this.#requireWritable();
      // @guard snapshot-alone
      if (this.#stream.restsOnSnapshot && this.#mender.mayMirror(draft.events)) {
        await this.#stream.readAgain(sink);
        continue;
      }
      if (await this.#appendCommit((head) => this.#sealed(draft, head), heal, sink)) {
        await this.#mender.mend(sink, "");
        return this.#stream.end();
      }
    }
    throw this.#outpaced();
  }

  /** Appends records of another backend as they are. Throws VersionConflictError where the file is at another version. */
  async importRecords(after: Version, records: AsyncIterable<StreamRecord>): Promise<StreamEnd> {
    const heal = await this.#prepare(nobody);
    this.#requireWritable();
    const { version } = this.#stream.end();
    if (version !== after) throw new VersionConflictError(after, version, { file: this.#settings.file });
    await appendRecords(this.#pen, heal, records);
    await this.#mender.mend(nobody, "");
    return this.#stream.end();
  }

  /** Acknowledged commits that the file no longer shows are appended again, in the old order. */
  async putBack(sink: EventSink): Promise<void> {
    if (this.#checkedEpoch === this.#stream.epoch) return;
    if (this.#missing().length > 0) {
      await this.#pen.quiet();
      await this.#stream.readAgain(sink);
      await this.#appendMissing(sink);
      await this.#mender.mend(sink, "");
    }
    this.#checkedEpoch = this.#stream.epoch;
  }

  /** Something that this handle acknowledged may be missing from the file. */
  get mustPutBack(): boolean {
    return this.#checkedEpoch !== this.#stream.epoch && this.#missing().length > 0;
  }

  close(): void {
    this.#appender.close();
  }

  /** `written`: this call has appended something before. */
  async #prepare(sink: EventSink, written = false): Promise<string> {
    await this.#stream.advance(sink);
    if (!this.#stream.isPresent) await this.#remake(sink);
    if (this.#isUnderOtherPolicy()) await this.#stream.readAgain(sink);
    if (this.#checkedEpoch !== this.#stream.epoch) await this.putBack(sink);
    // @guard append-again
    if (poisoned.size > 0) await this.#writeAgain(sink);
    const heal = this.#pen.isTailSettled ? "" : await this.#pen.settleTail(sink);
    // @guard one-session
    this.#pen.requireSession(written);
    return heal;
  }

  /** What is appended to a file that was removed is lost. */
  async #remake(sink: EventSink): Promise<void> {
    await this.#settings.remake?.();
    await this.#stream.advance(sink);
    if (this.#stream.isPresent) return;
    const { file } = this.#settings;
    throw new StorageError(`${file} is gone, or no session any more: put it back`, "not-written", { file });
  }

  #missing(): CommitData[] {
    const ledger = this.#stream.reader?.ledger;
    if (ledger === undefined) return [];
    return [...this.#acknowledgedHere().values()].filter(({ id }) => !ledger.hasCommit(id));
  }

  /** Those of the session that the file is now. */
  #acknowledgedHere(): Map<string, CommitData> {
    const { id } = this.#pen.reader().header;
    const here = this.#acknowledged.get(id) ?? new Map<string, CommitData>();
    this.#acknowledged.set(id, here);
    return here;
  }

  /** The oldest first, and again where others were faster. */
  async #appendMissing(sink: EventSink): Promise<void> {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const [oldest, ...later] = this.#missing();
      if (oldest === undefined) return;
      await this.#appendAgain(oldest, sink);
      if (this.#missing().length === later.length) attempt = 0;
    }
    throw this.#outpaced();
  }

  /** An event whose command was accepted meanwhile is left out; a commit with none left is not missing. */
  async #appendAgain(data: CommitData, sink: EventSink): Promise<void> {
    const heal = await this.#pen.settleTail(sink);
    const { ledger, fold } = this.#pen.reader();
    const events = data.events.filter(({ command }) => typeof command !== "string" || !ledger.hasCommand(command));
    if (events.length === 0) this.#acknowledgedHere().delete(data.id);
    else
      await this.#appendCommit((head) => sealBehind({ ...data, events }, head, fold, this.#settings.seal), heal, sink);
  }

  /** A handle that was not told a policy goes by the journal's own, also when that was chosen after it was opened. */
  #isUnderOtherPolicy(): boolean {
    const { ledger, fold } = this.#pen.reader();
    return this.#stream.settings.fold === undefined && ledger.lastCommit !== "" && ledger.policy !== fold;
  }

  #requireWritable(): void {
    const { file } = this.#settings;
    const { ledger, fold } = this.#pen.reader();
    const { policy, version, sealed, lastCommit } = ledger;
    if (sealed) throw new ReadonlyError(`${file} is sealed: pass its key as option seal to write`, { file });
    if (this.#settings.seal !== undefined && lastCommit === "" && ledger.mistrusted) {
      throw new ReadonlyError(
        `${file} was not written with this seal: pass its own key, or none where it has none, to write`,
        { file },
      );
    }
    if (lastCommit === "" || policy === fold) return;
    throw new FoldPolicyError(
      `${file} at version ${version} is folded by "${policy}", this handle by "${fold}": open it with fold: "${policy}"`,
      { file },
    );
  }

  #sealed(draft: Draft, head: Head): SealedCommit {
    return sealDraft(draft, head, this.#pen.reader().fold, this.#settings.seal);
  }

  /** True: written, synced, read back and accepted. */
  async #appendCommit(make: (head: Head) => SealedCommit, heal: string, sink: EventSink): Promise<boolean> {
    const { data, json } = make(this.#pen.reader().ledger.head);
    const commit = commitLine(data, this.#pen.parent().parentId, this.#pen.context(), json);
    this.#requireFit(data.version, Buffer.byteLength(commit.text));
    const mirrors = this.#mender.mirrorsOf(data);
    const { host } = this.#settings;
    if (host === undefined) this.#pen.append(heal, [commit, ...mirrors(commit.id)]);
    else await this.#appendThrough(host, data, mirrors, heal, sink);
    this.#unsynced.push(data);
    await this.#sync();
    await this.#pen.readBack(sink);
    // @guard read-back
    const accepted = this.#pen.reader().ledger.hasCommit(data.id);
    // @guard put-back
    if (accepted) this.#acknowledgedHere().set(data.id, data);
    return accepted;
  }

  /** The host appends the commit; its mirrors follow, where the host's file has it by then and it counts. */
  async #appendThrough(
    host: LiveHost,
    data: CommitData,
    mirrors: (parentId: string) => readonly EncodedLine[],
    heal: string,
    sink: EventSink,
  ): Promise<void> {
    if (heal !== "" && this.#pen.mayWrite) this.#pen.append(heal, []);
    await host.append(data);
    await this.#pen.readBack(sink);
    const { parentId } = this.#pen.parent();
    const counts = this.#pen.reader().ledger.hasCommit(data.id);
    if (counts && parentId !== null && this.#pen.mayWrite) this.#pen.append("", mirrors(parentId));
  }

  /** What could never be read is not written. */
  #requireFit(version: number, size: number): void {
    const { file } = this.#settings;
    if (!Number.isSafeInteger(version)) {
      const message = `${file} holds a commit whose version is the last there can be: fork the session before it`;
      throw new StorageError(message, "not-written", { file });
    }
    if (size <= commitLineBytesMax) return;
    throw new StorageError(
      `the commit is ${size} bytes, more than the ${commitLineBytesMax} of a line: send smaller actions, or fewer at once`,
      "not-written",
      { file },
    );
  }

  #outpaced(): StorageError {
    const { file } = this.#settings;
    return new StorageError(
      `${file}: ${attemptsMax} commits in a row were refused, for others were faster or a command was used before: try again`,
      "not-written",
      { file },
    );
  }

  async #sync(): Promise<void> {
    const unsynced = this.#unsynced;
    this.#unsynced = [];
    try {
      await this.#pen.sync();
    } catch (error) {
      const key = this.#poisonKey();
      poisoned.set(key, [...(poisoned.get(key) ?? []), ...unsynced]);
      throw error;
    }
  }

  #poisonKey(): string {
    const { bytes, header } = this.#pen.reader();
    const { dev, ino } = bytes.identity;
    return `${dev}:${ino} ${this.#settings.names.namespace} ${header.id}`;
  }

  /** After a failed sync: the same commits once more, so that their bytes are new to the kernel. */
  async #writeAgain(sink: EventSink): Promise<void> {
    const key = this.#poisonKey();
    const lost = poisoned.get(key);
    if (lost === undefined) return;
    for (const data of lost) {
      const heal = await this.#pen.settleTail(sink);
      // Another file by now, or another session: what was lost was lost elsewhere.
      if (this.#poisonKey() !== key) return;
      const line = commitLine(data, this.#pen.parent().parentId, this.#pen.context());
      const isWritten = this.#pen.append(heal, [line]);
      await this.#pen.readBack(sink);
      if (!isWritten) return;
    }
    await this.#pen.sync();
    healed(key, lost);
  }
}

/** Another handle's sync may have failed meanwhile. */
function healed(key: string, written: readonly CommitData[]): void {
  const rest = (poisoned.get(key) ?? []).filter((data) => !written.includes(data));
  if (rest.length > 0) poisoned.set(key, rest);
  else poisoned.delete(key);
}
