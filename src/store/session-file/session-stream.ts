/**
 * Follows a session file through whatever its host does to it. Before each read it makes sure that the file is still the
 * one it knows (device, inode, size, the last line's bytes); if not, it reads from the start and says so. While a
 * rewrite is under way, it stays with what it knew.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { CorruptEntryError, NotASessionError } from "../../errors.ts";
import type { FoldPolicy } from "../../event/commit.ts";
import { genesisHash } from "../../line/chain.ts";
import type { EventSink, StreamEnd } from "../store.ts";
import { isDamage, type ReadFinding } from "./read-finding.ts";
import { tailBytesMax } from "./session-bytes.ts";
import type { OpenedSession } from "./session-header.ts";
import { type ReaderImage, type ReaderSettings, SessionReader } from "./session-reader.ts";
import { Collector, FirstTelling, Told, type ToldImage } from "./told.ts";
import { readPolicy, type Whole } from "./whole-reading.ts";
import type { WrittenLines } from "./written-lines.ts";

export interface StreamSettings extends Omit<ReaderSettings, "fold"> {
  /** For messages: its path, or what stands for it. */
  readonly file: string;
  /** Undefined: nothing is there. Throws as `openSession` does. */
  readonly open: () => OpenedSession | undefined;
  /** Absent: that of the journal itself. */
  readonly fold?: FoldPolicy | undefined;
  readonly strict: boolean;
}

/** What was read and told so far, to go on from there. */
export interface StreamImage {
  readonly reader: ReaderImage;
  readonly told: ToldImage;
  /** A line of ours was found damaged or missing. */
  readonly damaged: boolean;
}

/** A history that got shorter is believed once the file has been quiet for so long, and at the latest after `patienceMs`. */
export const quietMs = 100;
// @guard rewrite-under-way
export const patienceMs = 900;
const pollMs = 20;
/** More is read piece by piece. */
const newsBytesMax = 32 * 1024;

export class SessionStream {
  readonly settings: StreamSettings;
  reader: SessionReader | undefined;
  /** Counts the histories that were seen. */
  epoch = 0;
  /** The reader went on from a snapshot: before anything is mirrored, the file is read from the start once. */
  restsOnSnapshot = false;
  /** When it was last looked for, the file was there. */
  isPresent = false;
  /** The session that the file was before it became another one, until a writer was told. */
  leftSession: string | undefined;
  #tailBytes: Buffer = Buffer.alloc(0);
  #tailEnd = 0;
  #told = new Told();
  /** A line of ours was found damaged or missing. */
  damaged = false;
  /** Reading failed on the way: what the reader took was not told, and it cannot go on from where it stopped. */
  #halfRead = false;

  constructor(settings: StreamSettings) {
    this.settings = settings;
  }

  end(): StreamEnd {
    const ledger = this.reader?.ledger;
    if (ledger === undefined) return { epoch: this.epoch, version: 0, hash: genesisHash(""), turn: 0 };
    return { epoch: this.epoch, version: ledger.version, hash: ledger.hash, turn: ledger.turn };
  }

  /** Tells `sink` what is new. A file that is missing, or being rewritten, adds nothing for now. */
  async advance(sink: EventSink): Promise<StreamEnd> {
    const { reader } = this;
    const size = reader?.bytes.currentSize();
    // @guard generation
    const found = reader === undefined || size === undefined ? undefined : this.#lookFrom(reader, size);
    // What is not the session that was known may be none: adopting it says that it is one.
    this.isPresent = found !== undefined;
    if (reader === undefined) await this.#begin(sink);
    else if (size === undefined || found === undefined) await this.#startOver(reader, sink);
    // @guard half-read
    else if (this.#halfRead) await this.readAgain(sink);
    else if (reader.hasNews(size))
      await this.#goOn(reader, sink, size <= reader.offset + newsBytesMax ? found : undefined);
    return this.end();
  }

  /**
   * As `advance`, where the file is what it was and, behind that, `written`. False: it may hold something else, and
   * `sink` was told nothing.
   */
  takeBack(written: WrittenLines, sink: EventSink): boolean {
    const { reader } = this;
    if (reader?.canTakeWritten !== true || this.#halfRead) return false;
    const end = reader.offset + written.bytes.length;
    const found = reader.bytes.currentSize() === end ? this.#lookFrom(reader, end) : undefined;
    // @guard read-back-bytes
    if (found === undefined || !this.#newsIn(found).equals(written.bytes)) return false;
    const told = new Collector("states");
    this.#halfRead = true;
    const findings = reader.takeWritten(written, told);
    if (this.#isDoubtful(reader, findings)) return false;
    this.#conclude(reader, findings, told, sink, found);
    return true;
  }

  /** Reads the file from the start, in doubt of what was read in steps. */
  async readAgain(sink: EventSink): Promise<void> {
    const fresh = await this.#readWhole();
    if (fresh === undefined) return;
    this.#adopt(fresh, sink, this.#told.isBeginningOf(fresh.told.events));
  }

  /**
   * Goes on from an image, as if the file had been read up to there. Whether it is the image of this file, read under
   * policy `file`, is the caller's to know.
   */
  resume({ bytes, header }: OpenedSession, image: StreamImage): void {
    const reader = new SessionReader(bytes, header, { ...this.settings, fold: "file" });
    reader.restore(image.reader);
    this.reader = reader;
    this.restsOnSnapshot = true;
    this.#told = new Told(image.told);
    this.damaged = image.damaged;
    this.#noteTail(reader);
  }

  /** The end of the last line that was read. */
  get tailBytes(): Buffer {
    return this.#tailBytes;
  }

  /**
   * Undefined where going on from an image would hide something: see `SessionReader.image`, an unknown event, or that
   * this handle's key is not the journal's.
   */
  image(): StreamImage | undefined {
    const reader = this.reader?.image();
    const isOfOtherKey = this.reader?.ledger.mistrusted === true && this.reader.ledger.lastCommit === "";
    if (reader === undefined || this.#halfRead || this.#told.unknown || isOfOtherKey) return undefined;
    if (reader.ledger.policy === "branch") return undefined;
    return { reader, told: this.#told.image(), damaged: this.damaged };
  }

  close(): void {
    this.reader?.bytes.close();
    this.reader = undefined;
  }

  async #begin(sink: EventSink): Promise<void> {
    const watched = this.#watched(sink);
    try {
      // Damage would take back what was told.
      const fresh = await this.#readWhole(this.settings.strict ? undefined : watched);
      if (fresh !== undefined) this.#adopt(fresh, sink, true);
    } catch (error) {
      if (this.#told.count > 0) watched.reset("rewritten");
      throw error;
    }
  }

  /**
   * The last bytes that were read and what stands behind them, the beginning of it where it is much. Undefined: the file
   * is another.
   */
  #lookFrom(reader: SessionReader, size: number): Buffer | undefined {
    const known = this.#tailBytes;
    const end = this.#tailEnd;
    if (size < end) return undefined;
    const found = reader.bytes.slice(end - known.length, Math.min(size, end + newsBytesMax));
    return found.length >= known.length && known.compare(found, 0, known.length) === 0 ? found : undefined;
  }

  #newsIn(found: Buffer): Buffer {
    return found.subarray(this.#tailBytes.length);
  }

  /** `found`: as `#lookFrom` answers, with all that is new. */
  async #goOn(reader: SessionReader, sink: EventSink, found: Buffer | undefined): Promise<void> {
    const told = new Collector(found === undefined ? "events" : "states");
    this.#halfRead = true;
    const findings = await reader.read(told, found && this.#newsIn(found));
    if (this.#isDoubtful(reader, findings)) {
      const fresh = await this.#readWhole();
      if (fresh !== undefined) return this.#adopt(fresh, sink, this.#told.isBeginningOf(fresh.told.events));
    }
    this.#conclude(reader, findings, told, sink, found);
  }

  #conclude(
    reader: SessionReader,
    findings: readonly ReadFinding[],
    told: Collector,
    sink: EventSink,
    found: Buffer | undefined,
  ): void {
    this.#check(findings);
    this.damaged ||= findings.some(isDamage);
    this.#noteTail(reader, found);
    this.#halfRead = false;
    told.replay(this.#watched(sink));
  }

  /** Also where the journal has come under another policy, and this handle goes by the journal's own. */
  #isDoubtful({ ledger, fold }: SessionReader, findings: readonly ReadFinding[]): boolean {
    if (findings.some((finding) => finding.doubtful)) return true;
    return this.settings.fold === undefined && ledger.lastCommit !== "" && ledger.policy !== fold;
  }

  /**
   * Waits while the file is missing, without a header or shorter than what was known and still changing, and longest
   * while it holds nothing: but not for ever, for its host may write all the time. Another session is no rewrite.
   */
  async #startOver(reader: SessionReader, sink: EventSink): Promise<void> {
    const known = reader.ledger.version;
    const { id } = reader.header;
    const deadline = performance.now() + patienceMs;
    let quietSince = performance.now();
    for (let size = -1; ; await sleep(pollMs)) {
      const fresh = await this.#readWhole();
      const sizeNow = fresh?.reader.bytes.size() ?? -1;
      if (sizeNow !== size) quietSince = performance.now();
      size = sizeNow;
      const version = fresh?.reader.ledger.version;
      const settled = performance.now() >= deadline || (version !== 0 && performance.now() - quietSince >= quietMs);
      const isOther = fresh !== undefined && fresh.reader.header.id !== id;
      if (fresh !== undefined && (settled || isOther || fresh.reader.ledger.version >= known)) {
        this.#adopt(fresh, sink, false);
        return;
      }
      fresh?.reader.bytes.close();
      if (settled) return;
    }
  }

  /** `first`: told of the beginning of the reading that holds while it goes on. */
  async #readWhole(first?: EventSink): Promise<Whole | undefined> {
    const opened = this.#opened();
    if (opened === undefined) return undefined;
    try {
      const whole = await readPolicy(opened.bytes, opened.header, this.settings, first);
      this.#check(whole.findings);
      return whole;
    } catch (error) {
      opened.bytes.close();
      throw error;
    }
  }

  /** What is no session (any more) while a rewrite may be under way is taken for missing. */
  #opened(): OpenedSession | undefined {
    if (this.reader === undefined) return this.settings.open();
    try {
      return this.settings.open();
    } catch (error) {
      if (error instanceof NotASessionError) return undefined;
      throw error;
    }
  }

  /** `onwards`: what was told is the beginning of this, so only the rest is told. Never of another session. */
  #adopt(whole: Whole, sink: EventSink, onwards: boolean): void {
    const known = this.reader?.header.id ?? whole.reader.header.id;
    const isSame = known === whole.reader.header.id;
    if (!isSame) this.leftSession = known;
    // A forged snapshot may name the right events and another state.
    const isFalse = this.restsOnSnapshot && !this.#told.addsUpTo(this.reader?.state, whole.told.events);
    this.reader?.bytes.close();
    this.reader = whole.reader;
    this.isPresent = true;
    this.restsOnSnapshot = false;
    this.#halfRead = false;
    this.damaged = whole.findings.some(isDamage);
    this.#noteTail(whole.reader);
    const watched = this.#watched(sink);
    if (whole.told instanceof FirstTelling && whole.told.begun) return;
    if (onwards && isSame && !isFalse) {
      for (const recorded of whole.told.events.slice(this.#told.count)) watched.event(recorded);
      return;
    }
    watched.reset("rewritten");
    whole.told.replay(watched);
  }

  #watched(sink: EventSink): EventSink {
    return {
      reset: (reason) => {
        this.epoch += 1;
        this.#told = new Told();
        sink.reset(reason);
      },
      event: (recorded, state) => {
        this.#told.note(recorded);
        sink.event(recorded, state);
      },
    };
  }

  /** `found`: bytes up to where the reading ended. */
  #noteTail(reader: SessionReader, found?: Buffer): void {
    const isEnd = found !== undefined && reader.seen === reader.offset;
    this.#tailEnd = reader.offset;
    this.#tailBytes = isEnd ? found.subarray(-tailBytesMax) : reader.tailBytes();
  }

  #check(findings: readonly ReadFinding[]): void {
    if (!this.settings.strict) return;
    const damage = findings.find(isDamage);
    if (damage === undefined) return;
    const { file } = this.settings;
    throw new CorruptEntryError(
      `${file}, byte ${damage.offset}: ${damage.detail}: run \`session-journal verify\` on it, or open it without strict`,
      { file, byte: damage.offset },
    );
  }
}
