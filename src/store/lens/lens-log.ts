/** This is the session of another client as a log that can only be read. */
import { NotASessionError, ReadonlyError } from "../../errors.ts";
import type { ForeignSession } from "../../event/foreign.ts";
import { withCopiesFirst } from "../../event/marker.ts";
import { codex } from "../../lens/codex.ts";
import type { LensEntry } from "../../lens/lens.ts";
import { pi } from "../../lens/pi.ts";
import { TrackedFiles } from "../../lens/tracked-files.ts";
import type { Cursor, ForeignSource, Log, LogEntry, LogPage, Session } from "../../stream/log.ts";
import { type StreamStore, streamStore } from "../../stream/stream-store.ts";
import { type ByteSource, lastBytesBefore } from "../session-file/session-bytes.ts";
import { watchSession } from "../session-file/watch.ts";
import { wholeCodex } from "./codex-bytes.ts";
import type { ForeignFile } from "./foreign-file.ts";
import { HeldEntries } from "./held-entries.ts";
import { LensReading, type LensSettings } from "./lens-reading.ts";
import { noneOfOurs, OursInsideError } from "./none-of-ours.ts";
import { openText } from "./packed-bytes.ts";
import { whoseNow } from "./whose-now.ts";

export interface LensStoreOptions {
  /** Globs of files whose edits are told besides the usual ones; `!` before one takes files away. */
  readonly files?: readonly string[] | undefined;
  /** Entries of ours in a session of pi have names that begin so. */
  readonly namespace?: string | undefined;
}

export function lensStore(foreign: ForeignFile, options: LensStoreOptions = {}): StreamStore {
  return streamStore(new LensLog(foreign, options), { readonly: true });
}

/** A session of pi's is read at once. The result is undefined if an entry of ours stands in it: it is no session of pi's alone. */
export async function piStore(file: string, options: LensStoreOptions): Promise<StreamStore | undefined> {
  const log = new LensLog({ lens: pi, file, form: "lines" }, options);
  try {
    await log.session();
  } catch (error) {
    await log.close();
    if (error instanceof OursInsideError) return undefined;
    throw error;
  }
  return streamStore(log, { readonly: true });
}

export function refuseWriting({ file, lens }: ForeignFile): ReadonlyError {
  return new ReadonlyError(
    `${file} is a session of ${lens.title}, which is read and never written: open it readonly, or make a journal of it with copy or fork`,
    { file },
  );
}

/** Where a reading stands: it goes on by itself. */
interface LensCursor {
  readonly reading: LensReading;
  readonly turn: number;
  /** This is the end of what was read. The file is recognised by it. */
  readonly lastBytes: Buffer;
  readonly bytes: ByteSource;
  /** This says whose session it was read as. */
  readonly foreign: ForeignFile;
  /** Parts of what was read follow, from this one on. It is absent if all of it was given. */
  readonly rest?: { readonly held: HeldEntries; readonly part: number } | undefined;
}

class LensLog implements Log {
  readonly where: string;
  readonly source: ForeignSource;
  readonly #options: LensStoreOptions;
  #foreign: ForeignFile;
  #settings: LensSettings;
  /** True while nothing says whose session was written in the place of the one that was read before. */
  #isNobodys = false;
  /** What is gone on with, and what was read whole last. */
  #live: ByteSource | undefined;
  #newest: ByteSource | undefined;
  /** This was read to know whose session it is. It is kept until it is asked for. */
  #first: LensCursor | undefined;

  constructor(foreign: ForeignFile, options: LensStoreOptions) {
    const { file, agent } = foreign;
    const part = agent === undefined ? foreign.session : `agent-${agent}`;
    this.#options = options;
    this.#foreign = foreign;
    this.#settings = settingsOf(foreign, new TrackedFiles(options.files), options.namespace);
    this.where = part === undefined ? file : `${file}#${part}`;
    this.source = { kind: "foreign", about: (options) => this.#about(options) };
  }

  async session(): Promise<Session> {
    const first = this.#first;
    this.#first = first !== undefined && isAt(first) ? first : await this.#begin();
    return sessionOf(this.#first.reading);
  }

  async *read(after: Cursor | undefined): AsyncGenerator<LogPage, undefined> {
    const cursor = after as LensCursor | undefined;
    if (cursor !== undefined && isAt(cursor) && this.#isStillOf(cursor)) {
      yield* cursor.rest === undefined ? this.#goOn(cursor) : restOf(cursor);
      return;
    }
    const first = this.#first;
    this.#first = undefined;
    yield* restOf(
      first !== undefined && cursor === undefined && isAt(first) ? first : await this.#begin(),
      "rewritten",
    );
  }

  async append(): Promise<void> {
    throw refuseWriting(this.#foreign);
  }

  watch(wake: () => void): Promise<() => Promise<void>> {
    const { file, form } = this.#foreign;
    return form === "database" ? watchDatabase(file, wake) : watchSession(file, wake);
  }

  async close(): Promise<void> {
    this.#live?.close();
    if (this.#newest !== this.#live) this.#newest?.close();
    [this.#live, this.#newest] = [undefined, undefined];
  }

  async *#goOn({ reading, turn, bytes, foreign }: LensCursor): AsyncGenerator<LogPage, undefined> {
    if (this.#live !== bytes && this.#live !== this.#newest) this.#live?.close();
    this.#live = bytes;
    const { read } = reading;
    const held = new HeldEntries();
    const again = await reading.advance(held.push);
    if (again !== undefined) yield* restOf(cursorOf(await settled(again), bytes, foreign), "branch");
    else if (reading.read > read || held.hasAny) yield* restOf(cursorOf({ reading, held }, bytes, foreign, turn));
  }

  /** On a descriptor that stays open, to be gone on with. */
  async #begin(): Promise<LensCursor> {
    const bytes = await this.#open();
    const foreign = this.#foreign;
    const begun = await settled(new LensReading(bytes, this.#settings)).catch((error: unknown) => {
      bytes.close();
      throw error;
    });
    const { file, agent } = foreign;
    if (agent !== undefined && begun.reading.session === "") {
      bytes.close();
      const advice = "session-journal ls on its folder lists those that it has";
      throw new NotASessionError(`${file} has no subagent ${JSON.stringify(agent)}: ${advice}`, { file });
    }
    if (this.#newest !== this.#live) this.#newest?.close();
    this.#newest = bytes;
    this.#live ??= bytes;
    return cursorOf(begun, bytes, foreign);
  }

  #about({ whole = false } = {}): Promise<ForeignSession> {
    return this.#whole({ every: whole, digest: whole }, async ({ reading, held }) => {
      // What was counted here is to be told by the next reading.
      if (this.#first !== undefined && this.#first.reading.read < reading.read) this.#first = undefined;
      const { client, title, checkedAgainst } = this.#foreign.lens;
      const entries = [...held];
      const torn = { kind: "torn", severity: "note", offset: reading.position, line: reading.lines + 1 } as const;
      const detail = "the last line has not ended: a write that is in flight, or a crash";
      return {
        client,
        title,
        checkedAgainst,
        ...reading.facts(),
        turns: entries.reduce((turns, entry) => (entry.kind === "turn" ? entry.turn : turns), 0),
        lines: reading.lines,
        bytes: reading.read,
        sha256: reading.sha256(),
        findings: [
          ...entries.flatMap((entry) => (entry.kind === "finding" ? [entry.finding] : [])),
          ...(reading.isTorn ? [{ ...torn, detail }] : []),
        ],
        markers: withCopiesFirst(entries.flatMap((entry) => (entry.kind === "marker" ? [entry.marker] : []))),
        calls: entries.flatMap((entry) => (entry.kind === "event" ? [entry.calls] : [])),
      };
    });
  }

  async #open(isWhole = false): Promise<ByteSource> {
    const { file, form, session } = this.#foreign;
    if (form === "database") {
      const { OpenCodeBytes } = await import("./opencode-bytes.ts");
      return OpenCodeBytes.open(file, session, isWhole);
    }
    const bytes = openText(file);
    if (bytes === undefined) throw new NotASessionError(`${file} does not exist: check the path`, { file });
    try {
      if (this.#newest !== undefined) this.#lookAgain(bytes);
    } catch (error) {
      bytes.close();
      throw error;
    }
    return this.#foreign.lens === codex ? wholeCodex(bytes) : bytes;
  }

  /** The result says that nobody has put the session of another client in its place, whichever call noticed that first. */
  #isStillOf({ bytes, foreign }: LensCursor): boolean {
    if (this.#isNobodys) this.#lookAgain(bytes);
    return this.#foreign === foreign;
  }

  /** Somebody may have put the session of another client in the place of the one that was read before. */
  #lookAgain(bytes: ByteSource): void {
    const before = this.#foreign;
    const now = whoseNow(before, bytes);
    this.#isNobodys = now === undefined;
    this.#foreign = now ?? before;
    this.#settings = settingsOf(this.#foreign, this.#settings.files, this.#options.namespace);
  }

  /** Reads the file on a descriptor of its own. */
  async #whole<Result>(
    more: Pick<LensSettings, "every" | "digest">,
    ask: (settled: Settled) => Promise<Result>,
  ): Promise<Result> {
    const bytes = await this.#open(true);
    try {
      return await ask(await settled(new LensReading(bytes, { ...this.#settings, ...more })));
    } finally {
      bytes.close();
    }
  }
}

function settingsOf(
  { lens, file, agent, form }: ForeignFile,
  files: TrackedFiles,
  namespace: string | undefined,
): LensSettings {
  // A plan of pi's own is told only as long as we wrote none.
  const look = lens === pi ? { look: () => noneOfOurs(file, namespace) } : {};
  return { lens, files, agent, isDocument: form === "document", ...look };
}

interface Settled {
  readonly reading: LensReading;
  readonly held: HeldEntries;
}

/** Holds the entries until it is known that they stand. */
async function settled(first: LensReading): Promise<Settled> {
  for (let reading = first; ; ) {
    const held = new HeldEntries();
    const again = await reading.advance(held.push);
    if (again === undefined) return { reading, held };
    reading = again;
  }
}

/** The cursor stands before what was told, and behind `turn`. */
function cursorOf({ reading, held }: Settled, bytes: ByteSource, foreign: ForeignFile, turn = 0): LensCursor {
  return { reading, turn, lastBytes: lastBytesBefore(reading.read, bytes), bytes, foreign, rest: { held, part: 0 } };
}

/** The result has a page for each part behind the cursor. `reason` says why a history begins with the first of them. */
function* restOf(from: LensCursor, reason?: "rewritten" | "branch"): Generator<LogPage, undefined> {
  const { held, part: first } = from.rest ?? { held: new HeldEntries(), part: 0 };
  const begin: LogEntry[] = reason === undefined ? [] : [{ kind: "begin", session: sessionOf(from.reading), reason }];
  let { turn } = from;
  for (let part = first; part < held.parts; part++) {
    const entries = part === first ? begin : [];
    turn = addTo(entries, held.part(part), turn);
    const cursor: LensCursor = { ...from, turn, rest: part + 1 < held.parts ? { held, part: part + 1 } : undefined };
    yield { entries, cursor };
  }
}

/** The result is the turn behind the last of those that were told. */
function addTo(entries: LogEntry[], told: readonly LensEntry[], before: number): number {
  let turn = before;
  for (const entry of told) {
    if (entry.kind === "turn") {
      if (entry.turn > turn) entries.push({ kind: "turns", count: entry.turn - turn });
      turn = Math.max(turn, entry.turn);
    } else if (entry.kind === "event") entries.push(entry);
    else if (entry.kind === "finding" && entry.finding.severity === "damage")
      entries.push({ kind: "damaged", reason: entry.finding.detail, offset: entry.finding.offset, broken: true });
  }
  return turn;
}

function sessionOf(reading: LensReading): Session {
  return { id: reading.session, unchained: true };
}

/** The path leads to the same file, and what was read of it stands there as it was. */
function isAt({ reading, lastBytes, bytes }: LensCursor): boolean {
  const size = bytes.currentSize();
  return size !== undefined && size >= reading.read && lastBytesBefore(reading.read, bytes).equals(lastBytes);
}

/** In WAL mode changes are in the log beside the database until it is written back. */
async function watchDatabase(file: string, wake: () => void): Promise<() => Promise<void>> {
  const stops = await Promise.all([watchSession(file, wake), watchSession(`${file}-wal`, wake)]);
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
