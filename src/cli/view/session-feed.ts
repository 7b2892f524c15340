/** This file delivers one session, first as its report and then event by event. */

import { setImmediate as others } from "node:timers/promises";
import { endOfEvents, type HeldEvents, type NewestEvents } from "../../audit/report/newest-events.ts";
import { packHistory } from "../../audit/report/pack.ts";
import { aboutOf, beginningOf, type EarlierEvents, type ReportData } from "../../audit/report/render.ts";
import type { RecordedEvent } from "../../event/event.ts";
import type { Journal } from "../../journal/public.ts";
import { openOwnStore } from "../../open/open-journal.ts";
import { readForPage } from "../page-reading.ts";
import type { Tell } from "./event-stream.ts";
import type { Opening } from "./listed-session.ts";
import type { SessionReading } from "./session-reading.ts";
import { pause, Wakes } from "./wakes.ts";

/** What a report says besides the events: looked for only once nothing has happened for so long. */
const aboutWaitMs = 400;
/** Looking for it takes at most such a part of the time. */
const aboutShareMin = 10;
/** A host that is about to put the file back, or still writes it again, has so long. */
const patienceMs = 2_000;
const againMs = 100;
/** If a history is longer, its end is sent first, which fills a window, and then all of it in parts. */
const firstEventsMax = 200;
const partEventsMax = 500;

export interface Telling {
  readonly reading: SessionReading;
  readonly opening: Opening;
  readonly title: string;
  readonly tell: Tell;
  readonly signal: AbortSignal;
}

/**
 * Tells "report" with the newest events, "earlier" with those before them, "grown" with new ones, "about" with all else
 * that is known, until `signal` is aborted.
 */
export async function tellJournal(telling: Telling): Promise<void> {
  const { reading, signal } = telling;
  const feed = new SessionFeed(telling);
  const wakes = new Wakes(signal);
  const unwatch = await reading.store.watch(wakes.wake);
  const about = new Wakes(signal);
  const leaving = new AbortController();
  try {
    await feed.tellNews();
    about.wake();
    const telling = feed.tellAboutOften(about, AbortSignal.any([signal, leaving.signal]));
    wakes.wake();
    while (await Promise.race([wakes.next(), telling.then(() => false)])) {
      await patiently(() => feed.tellNews(), signal);
      about.wake();
    }
    await telling;
  } finally {
    leaving.abort();
    await unwatch();
    await feed.close();
  }
}

/** What fails is done again while it may be about to succeed: a page that was told of a failure asks no more. */
async function patiently(task: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (const endMs = performance.now() + patienceMs; ; ) {
    try {
      return await task();
    } catch (error) {
      if (signal.aborted || performance.now() > endMs) throw error;
      await pause(againMs, signal);
    }
  }
}

class SessionFeed {
  readonly #reading: SessionReading;
  readonly #opening: Opening;
  readonly #title: string;
  readonly #tell: Tell;
  readonly #signal: AbortSignal;
  /** The first `#sent` of these events were sent. */
  #events: HeldEvents | undefined;
  #sent = 0;
  #about = "";
  #journal: Promise<Journal> | undefined;

  constructor({ reading, opening, title, tell, signal }: Telling) {
    this.#reading = reading;
    this.#opening = opening;
    this.#title = title;
    this.#tell = tell;
    this.#signal = signal;
  }

  async tellNews(): Promise<void> {
    await this.#reading.refresh();
    const { events } = this.#reading;
    const news = events === this.#events ? events.after(this.#sent) : undefined;
    this.#events = events;
    this.#sent = events.all;
    if (news === undefined) await this.#tellAll(events.newest);
    else if (news.length > 0) await this.#tell("grown", packHistory(news));
  }

  async #tellAll({ events, leftOut }: NewestEvents): Promise<void> {
    this.#about = "";
    const first = endOfEvents(events, firstEventsMax);
    const earlier = first === events ? [] : events.slice(0, 1 - first.length);
    await this.#tell("report", await this.#data(first, earlier.length, leftOut));
    for (let from = 0; from < earlier.length && !this.#signal.aborted; from += partEventsMax) {
      const history = packHistory(earlier.slice(from, from + partEventsMax));
      await this.#tell("earlier", { history, isLast: from + partEventsMax >= earlier.length } satisfies EarlierEvents);
      await others();
    }
  }

  /** Whenever `wakes` says that something changed, but not all the time: it reads the whole record. */
  async tellAboutOften(wakes: Wakes, signal: AbortSignal): Promise<void> {
    while (await wakes.next()) {
      const beganMs = performance.now();
      await patiently(() => this.#tellAbout(), signal);
      await pause(Math.max(aboutWaitMs, (performance.now() - beganMs) * aboutShareMin), signal);
      if (signal.aborted) return;
    }
  }

  /** On a store of its own: what reads the whole record keeps nobody from seeing what is new. */
  async #tellAbout(): Promise<void> {
    this.#journal ??= this.#opening.open().then((store) => openOwnStore(store, { readonly: true }));
    const reading = await this.#journal
      .then((journal) => readForPage(journal, { withPrompts: true }))
      .catch(this.#reopened);
    const { generatedAt: _, ...about } = aboutOf({ ...(await this.#names()), ...reading });
    const text = JSON.stringify(about);
    if (text === this.#about) return;
    this.#about = text;
    await this.#tell("about", about);
  }

  /** What failed may be open on what is not there any more. */
  readonly #reopened = async (error: unknown): Promise<never> => {
    await this.close();
    this.#journal = undefined;
    throw error;
  };

  async #data(events: readonly RecordedEvent[], awaited: number, leftOut: number): Promise<ReportData> {
    const foreign = await this.#reading.store.foreign();
    const ofClient = foreign === undefined ? {} : { foreign, prompts: foreign.prompts };
    return beginningOf({ events, leftOut, ...ofClient, ...(await this.#names()) }, awaited === 0 ? undefined : awaited);
  }

  async #names() {
    const { store, turns } = this.#reading;
    return { title: this.#title, session: await store.sessionId(), turns, generatedAt: new Date().toISOString() };
  }

  async close(): Promise<void> {
    // It may still be opening.
    const journal = await this.#journal?.catch(() => undefined);
    await journal?.close();
  }
}
