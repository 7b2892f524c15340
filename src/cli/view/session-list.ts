/** The sessions that a view shows, kept up as long as somebody looks. */
import type { ListedSession, ListNews } from "../../audit/report/listed-session.ts";
import type { Tell } from "./event-stream.ts";
import type { Opening } from "./listed-session.ts";
import { Wakes } from "./wakes.ts";

/** Sessions come from a source. */
export interface SessionSource {
  /** The one that it hands over where it never has another: it can be looked at before it is known what is in it. */
  readonly only?: Opening;
  /**
   * It passes on all sessions that exist, first and after each change, until `signal` is aborted. `soFar` means that the list
   * is not complete yet.
   */
  follow(put: (openings: readonly Opening[], soFar?: boolean) => void, signal: AbortSignal): Promise<void>;
}

export class SessionList {
  readonly #sources: readonly SessionSource[];
  readonly #sessions = new Map<SessionSource, readonly Opening[]>();
  readonly #whole = new Set<SessionSource>();
  readonly #readers = new Set<Wakes>();
  #following: AbortController | undefined;
  #failure: Promise<never> = new Promise(() => undefined);

  constructor(sources: readonly SessionSource[]) {
    this.#sources = sources;
  }

  /** The session that is shown alone. */
  get only(): Opening | undefined {
    return this.#sources.length === 1 ? this.#sources[0]?.only : undefined;
  }

  find(key: string): Opening | undefined {
    return this.#all().get(key) ?? (this.only?.listed.key === key ? this.only : undefined);
  }

  /** Tells "sessions" with `ListNews` until `signal` is aborted. */
  async tell(tell: Tell, signal: AbortSignal): Promise<void> {
    const wakes = new Wakes(signal);
    this.#readers.add(wakes);
    const failure = this.#follow();
    const sent: Sent = new Map();
    let wasWhole: boolean | undefined;
    try {
      wakes.wake();
      while (await Promise.race([wakes.next(), failure])) {
        const isWhole = this.#whole.size === this.#sources.length;
        const news = { ...newsFor(sent, this.#all()), isWhole };
        if (news.rows.length + news.gone.length > 0 || isWhole !== wasWhole) await tell("sessions", news);
        wasWhole = isWhole;
      }
    } finally {
      this.#readers.delete(wakes);
      if (this.#readers.size === 0) this.#following?.abort();
    }
  }

  /** The first of several sources that know a session speaks for it. */
  #all(): Map<string, Opening> {
    const all = new Map<string, Opening>();
    for (const source of this.#sources) {
      for (const opening of this.#sessions.get(source) ?? []) {
        if (!all.has(opening.listed.key)) all.set(opening.listed.key, opening);
      }
    }
    return all;
  }

  /** Looks as long as there are readers. Rejects with what a source fails with. */
  #follow(): Promise<never> {
    if (this.#following !== undefined && !this.#following.signal.aborted) return this.#failure;
    this.#following = new AbortController();
    const { signal } = this.#following;
    this.#failure = new Promise<never>((_, reject) => {
      for (const source of this.#sources) {
        const put = (openings: readonly Opening[], soFar = false): void => {
          // Whoever came since is told what another look finds.
          if (signal.aborted) return;
          this.#sessions.set(source, openings);
          if (!soFar) this.#whole.add(source);
          for (const reader of this.#readers) reader.wake();
        };
        source.follow(put, signal).catch((error: unknown) => {
          if (!signal.aborted) reject(error);
        });
      }
    });
    return this.#failure;
  }
}

/** The map has what a reader knows of each session. Most values are the same objects as before, and need no comparing. */
type Sent = Map<string, { readonly listed: ListedSession; readonly text: string }>;

function newsFor(sent: Sent, all: ReadonlyMap<string, Opening>): Omit<ListNews, "isWhole"> {
  const rows: ListedSession[] = [];
  for (const [key, { listed }] of all) {
    const before = sent.get(key);
    if (before?.listed === listed) continue;
    const text = JSON.stringify(listed);
    sent.set(key, { listed, text });
    if (before?.text !== text) rows.push(listed);
  }
  const gone = [...sent.keys()].filter((key) => !all.has(key));
  for (const key of gone) sent.delete(key);
  return { rows, gone };
}
