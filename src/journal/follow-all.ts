/** Follows every session of a place at once: each event in its session's order, exactly once, in bounded memory. */
import { NotASessionError } from "../errors.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import { isTime } from "../event/iso-time.ts";
import { given } from "../options.ts";
import type { SessionCatalog, SessionSummary } from "../stream/catalog.ts";
import type { EventSink, Position } from "../stream/delivery.ts";
import type { JournalStore } from "../stream/stream-store.ts";

/** This is something that happened in one of many sessions. */
export type SessionChange =
  | { readonly type: "event"; readonly session: string; readonly recorded: RecordedEvent }
  /** The session's history is another than before: what follows is told from its start. */
  | { readonly type: "reset"; readonly session: string };

/** So many of the sessions that changed last stay open, to be read on instead of anew. */
const openMax = 64;
/** Are read at the same time. */
const batchMax = 32;
/** So many changes of each are held. If there are more, they are read once more while they are told. */
const heldMax = 256;

/** A session was passed on up to this version, whose event has this time. */
type Known = Pick<SessionSummary, "version" | "at">;

interface Opened {
  readonly store: JournalStore;
  position: Position | undefined;
}

/** From when the list has been read. Ends when `signal` is aborted, whatever a catalog that was closed says of its listing. */
export async function* followAll(catalog: SessionCatalog, signal: AbortSignal): AsyncGenerator<SessionChange> {
  try {
    yield* changesOf(catalog, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function* changesOf(catalog: SessionCatalog, signal: AbortSignal): AsyncGenerator<SessionChange> {
  const changed = new ChangedSessions(signal);
  const unwatch = await catalog.watch((session) => changed.add(session));
  const readers = new SessionReaders(catalog);
  try {
    for await (const { session, version, at } of catalog.list()) readers.known.set(session, given({ version, at }));
    for (;;) {
      const sessions = await changed.next(batchMax);
      if (sessions.length === 0) return;
      const news = await Promise.all(sessions.map((session) => readers.readOn(session)));
      for (const changes of news) yield* changes;
      await readers.closeOldest();
    }
  } finally {
    await unwatch();
    await readers.close();
  }
}

/** A session is in it once, however often it changed: the queue is no longer than the list of sessions. */
class ChangedSessions {
  readonly #sessions = new Set<string>();
  readonly #signal: AbortSignal;
  #resume: () => void = () => undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#resume(), { once: true });
  }

  add(session: string): void {
    this.#sessions.add(session);
    this.#resume();
  }

  /** At most `sessionsMax`; none: there will be none any more. */
  async next(sessionsMax: number): Promise<string[]> {
    while (!this.#signal.aborted) {
      const sessions: string[] = [];
      for (const session of this.#sessions) {
        if (sessions.length === sessionsMax) break;
        sessions.push(session);
      }
      for (const session of sessions) this.#sessions.delete(session);
      if (sessions.length > 0) return sessions;
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
    return [];
  }
}

/** The events of one reading, as long as they are few. */
class FewEvents implements EventSink {
  isReset = false;
  events: RecordedEvent[] = [];
  /** There were too many: they are what stands behind `after`. */
  isOver = false;
  after: Version;
  /** This is the time of the newest event, and of the newest that was left out. */
  at: string | undefined;
  leftAt: string | undefined;
  #left: Version;

  /** Up to `left` they are left out. */
  constructor(after: Version, left: Version) {
    this.after = after;
    this.#left = left;
  }

  reset(): void {
    [this.isReset, this.isOver, this.events, this.after, this.#left] = [true, false, [], 0, 0];
    [this.at, this.leftAt] = [undefined, undefined];
  }

  event(recorded: RecordedEvent): void {
    this.at = recorded.at;
    if (recorded.version <= this.#left) this.leftAt = recorded.at;
    if (this.isOver || recorded.version <= this.#left) return;
    this.events.push(recorded);
    // On another branch there may be some before it: they are held, as that branch is.
    const [first = recorded] = this.events;
    if (this.events.length <= heldMax || first.version <= this.after) return;
    this.isOver = true;
    this.events = [];
  }
}

class SessionReaders {
  /** The map says how far each session was passed on. */
  readonly known = new Map<string, Known>();
  readonly #catalog: SessionCatalog;
  /** The least recently used session comes first. */
  readonly #opened = new Map<string, Opened>();

  constructor(catalog: SessionCatalog) {
    this.#catalog = catalog;
  }

  async readOn(session: string): Promise<Iterable<SessionChange> | AsyncIterable<SessionChange>> {
    const opened = this.#opened.get(session) ?? {
      store: this.#catalog.open(session, { readonly: true }),
      position: undefined,
    };
    this.#opened.delete(session);
    this.#opened.set(session, opened);
    try {
      return await this.#news(session, opened);
    } catch (error) {
      return await this.#without(session, opened, error);
    }
  }

  async close(): Promise<void> {
    for (const { store } of this.#opened.values()) await store.close();
  }

  /**
   * A session that was closed meanwhile is told from its start, and what is known of it is left out. Where that is shorter, or ends at another
   * time than it did, it is another history.
   */
  async #news(session: string, opened: Opened): Promise<Iterable<SessionChange> | AsyncIterable<SessionChange>> {
    const known = this.known.get(session) ?? { version: 0 };
    const { version } = known;
    const held = new FewEvents(version, opened.position === undefined ? version : 0);
    const end = await opened.store.catchUp(opened.position, held);
    opened.position = { generation: end.generation, version: end.version };
    this.known.set(session, given({ version: end.version, at: held.at ?? known.at }));
    const isOther = !held.isReset && (end.version < version || isAnotherTime(known.at, held.leftAt));
    const before: SessionChange[] = held.isReset || isOther ? [{ type: "reset", session }] : [];
    if (isOther) return this.#toldOn(session, opened, before, { after: 0, to: end.version });
    if (held.isOver) return this.#toldOn(session, opened, before, { after: held.after, to: end.version });
    return [...before, ...held.events.map((recorded) => ({ type: "event", session, recorded }) as const)];
  }

  /** If the history becomes another one meanwhile, the next reading says so, and tells that from its start. */
  async *#toldOn(
    session: string,
    opened: Opened,
    before: readonly SessionChange[],
    { after, to }: { readonly after: Version; readonly to: Version },
  ): AsyncGenerator<SessionChange> {
    yield* before;
    try {
      for await (const recorded of opened.store.read(after)) {
        if (recorded.version > to) return;
        yield { type: "event", session, recorded };
      }
    } catch (error) {
      await this.#without(session, opened, error);
    }
  }

  /** A session that is gone has nothing more to tell. */
  async #without(session: string, opened: Opened, error: unknown): Promise<readonly SessionChange[]> {
    await this.#close(session, opened);
    if (error instanceof NotASessionError) return [];
    throw error;
  }

  async closeOldest(): Promise<void> {
    for (const [session, opened] of this.#opened) {
      if (this.#opened.size <= openMax) return;
      await this.#close(session, opened);
    }
  }

  async #close(session: string, { store }: Opened): Promise<void> {
    this.#opened.delete(session);
    await store.close();
  }
}

/** What was dropped has no time, and a list may repeat a text that is none. */
function isAnotherTime(known: string | undefined, found: string | undefined): boolean {
  return isTime(known) && found !== undefined && known !== found;
}
