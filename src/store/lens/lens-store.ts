/** The session of another client as a journal that can only be read. */
import { ClosedError, NotASessionError, ReadonlyError } from "../../errors.ts";
import type { Head } from "../../event/commit.ts";
import type { RecordedEvent, Version } from "../../event/event.ts";
import type { ForeignSession } from "../../event/foreign.ts";
import type { LensEntry, LensEvent } from "../../lens/lens.ts";
import { TrackedFiles } from "../../lens/tracked-files.ts";
import { type ByteSource, SessionBytes } from "../session-file/session-bytes.ts";
import { watchDatabase, watchSession } from "../session-file/watch.ts";
import type { EventSink, JournalStore, Position, StoreCapabilities, StreamEnd } from "../store.ts";
import type { ForeignFile } from "./foreign-file.ts";
import { LensReading, type LensSettings } from "./lens-reading.ts";

export interface LensStoreOptions {
  /** Globs of files whose edits are told besides the usual ones; `!` before one takes files away. */
  readonly files?: readonly string[];
}

const nobody: EventSink = { reset: () => undefined, event: () => undefined };

/** No file of another client's has a chain. */
const noHash = "";

export function lensStore(foreign: ForeignFile, options: LensStoreOptions = {}): JournalStore {
  return new LensStore(foreign, new TrackedFiles(options.files));
}

export function refuseWriting({ file, lens }: ForeignFile): ReadonlyError {
  return new ReadonlyError(
    `${file} is a session of ${lens.title}, which is read and never written: open it readonly, or make a journal of it with copy or fork`,
    { file },
  );
}

class LensStore implements JournalStore {
  readonly where: string;
  readonly supports: StoreCapabilities = { shared: true, snapshots: false, lines: false };
  readonly #foreign: ForeignFile;
  readonly #settings: LensSettings;
  #bytes: ByteSource | undefined;
  #reading: LensReading | undefined;
  #end: StreamEnd = { epoch: 1, version: 0, turn: 0, hash: noHash };
  /** The end of what was read, to be recognised. */
  #tail: Buffer = Buffer.alloc(0);
  #turnstile: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(foreign: ForeignFile, files: TrackedFiles) {
    const { file, lens, agent, form } = foreign;
    this.#foreign = foreign;
    const part = agent === undefined ? foreign.session : `agent-${agent}`;
    this.where = part === undefined ? file : `${file}#${part}`;
    this.#settings = { lens, files, isDocument: form === "document", ...(agent === undefined ? {} : { agent }) };
  }

  async sessionId(): Promise<string> {
    if (this.#reading === undefined) await this.catchUp(undefined, nobody);
    return this.#reading?.facts().session ?? "";
  }

  catchUp(from: Position | undefined, sink: EventSink): Promise<StreamEnd> {
    return this.#alone(async () => {
      if (this.#isInStep(from)) await this.#advance(sink);
      else await this.#tell(from, sink);
      return this.#end;
    });
  }

  async commit(): Promise<StreamEnd> {
    throw refuseWriting(this.#foreign);
  }

  knows(): boolean {
    return false;
  }

  async *read(from: Version): AsyncIterable<RecordedEvent> {
    const { events } = await this.#readWhole(this.#settings);
    for (const { version, recorded } of events) if (version > from) yield recordedOf(recorded, version);
  }

  watch(wake: () => void): Promise<() => Promise<void>> {
    const { file, form } = this.#foreign;
    return form === "database" ? watchDatabase(file, wake) : watchSession(file, wake);
  }

  async headAt(version: Version): Promise<Head> {
    return { version, hash: noHash };
  }

  /** `whole`: every line is parsed, and the digest of all bytes is taken. */
  async foreign({ whole = false } = {}): Promise<ForeignSession> {
    const { client, title, checkedAgainst } = this.#foreign.lens;
    const { reading, entries, events } = await this.#readWhole(
      { ...this.#settings, every: whole, digest: whole },
      true,
    );
    const turns = entries.filter(({ kind }) => kind === "turn").length;
    const sha256 = reading.sha256();
    const torn = { kind: "torn", severity: "note", offset: reading.position, line: reading.lines + 1 } as const;
    const detail = "the last line has not ended: a write that is in flight, or a crash";
    return {
      client,
      title,
      checkedAgainst,
      ...reading.facts(),
      turns,
      lines: reading.lines,
      bytes: reading.read,
      ...(sha256 === undefined ? {} : { sha256 }),
      findings: [
        ...entries.flatMap((entry) => (entry.kind === "finding" ? [entry.finding] : [])),
        ...(reading.isTorn ? [{ ...torn, detail }] : []),
      ],
      markers: entries.flatMap((entry) => (entry.kind === "marker" ? [entry.marker] : [])),
      calls: events.map(({ recorded }) => recorded.calls),
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#turnstile;
    this.#bytes?.close();
  }

  #alone<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#closed) return Promise.reject(new ClosedError(`${this.where} was closed: open it again`));
    const turn = this.#turnstile.then(task);
    this.#turnstile = turn.catch(() => undefined);
    return turn;
  }

  #isInStep(from: Position | undefined): boolean {
    if (from === undefined) return this.#reading === undefined;
    return from.epoch === this.#end.epoch && from.version === this.#end.version;
  }

  /** Another journal than the one that was told last reads from the same store. */
  async #tell(from: Position | undefined, sink: EventSink): Promise<void> {
    await this.#advance(nobody);
    const { epoch, version } = this.#end;
    const lags = from !== undefined && from.epoch === epoch && from.version <= version;
    if (from !== undefined && !lags) sink.reset("rewritten");
    for await (const recorded of this.read(lags ? from.version : 0)) {
      if (recorded.version <= version) sink.event(recorded);
    }
  }

  async #advance(sink: EventSink): Promise<void> {
    if (this.#bytes !== undefined && !this.#isSame(this.#bytes)) {
      this.#bytes.close();
      this.#bytes = undefined;
      this.#startOver("rewritten", sink);
    }
    this.#bytes ??= await this.#open();
    const isFirst = this.#reading === undefined && this.#end.epoch === 1;
    const news: LensEntry[] = [];
    let reading = this.#reading ?? new LensReading(this.#bytes, this.#settings);
    for (;;) {
      this.#reading = reading;
      // A first reading is told while it goes on: a long history is not to be held in memory.
      const again = await reading.advance(isFirst ? (entry) => this.#take(entry, sink) : (entry) => news.push(entry));
      if (again === undefined) break;
      news.splice(0);
      this.#startOver("branch", sink, isFirst);
      reading = again;
    }
    for (const entry of news) this.#take(entry, sink);
    this.#tail = this.#bytes.tailBefore(reading.read);
  }

  #startOver(reason: "rewritten" | "branch", sink: EventSink, isFirst = false): void {
    this.#reading = undefined;
    this.#end = { epoch: this.#end.epoch + (isFirst ? 0 : 1), version: 0, turn: 0, hash: noHash };
    sink.reset(reason);
  }

  #take(entry: LensEntry, sink: EventSink): void {
    switch (entry.kind) {
      case "event": {
        const version = this.#end.version + 1;
        this.#end = { ...this.#end, version };
        sink.event(recordedOf(entry.recorded, version));
        return;
      }
      case "turn":
        this.#end = { ...this.#end, turn: entry.turn };
        return;
      case "marker":
      case "finding":
        return;
    }
  }

  /** The path leads to the same file, and what was read of it stands there as it was. */
  #isSame(bytes: ByteSource): boolean {
    const read = this.#reading?.read ?? 0;
    const size = bytes.currentSize();
    return size !== undefined && size >= read && bytes.tailBefore(read).equals(this.#tail);
  }

  async #open(isWhole = false): Promise<ByteSource> {
    const { file, form } = this.#foreign;
    if (form === "database") {
      const { OpenCodeBytes } = await import("./opencode-bytes.ts");
      return OpenCodeBytes.open(file, this.#foreign.session, isWhole);
    }
    const bytes = SessionBytes.open(file);
    if (bytes === undefined) throw new NotASessionError(`${file} is not there: check the path`, { file });
    return bytes;
  }

  /** Reads the file on a descriptor of its own, and holds the entries until it is known that they stand. */
  async #readWhole(settings: LensSettings, isWhole = false): Promise<Whole> {
    const bytes = await this.#open(isWhole);
    try {
      let reading = new LensReading(bytes, settings);
      for (;;) {
        const entries: LensEntry[] = [];
        const again = await reading.advance((entry) => entries.push(entry));
        if (again === undefined) return { reading, entries, events: eventsIn(entries) };
        reading = again;
      }
    } finally {
      bytes.close();
    }
  }
}

interface Whole {
  readonly reading: LensReading;
  readonly entries: readonly LensEntry[];
  readonly events: readonly { readonly version: Version; readonly recorded: LensEvent }[];
}

function eventsIn(entries: readonly LensEntry[]): Whole["events"] {
  const told = entries.flatMap((entry) => (entry.kind === "event" ? [entry.recorded] : []));
  return told.map((recorded, index) => ({ version: index + 1, recorded }));
}

function recordedOf({ calls: _, ...recorded }: LensEvent, version: Version): RecordedEvent {
  return { version, origin: "host", ...recorded };
}
