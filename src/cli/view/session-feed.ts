/** This file delivers one session, first as its report and then event by event. */

import { packHistory } from "../../audit/report/pack.ts";
import { aboutOf, beginningOf, type ReportData } from "../../audit/report/render.ts";
import type { RecordedEvent } from "../../event/event.ts";
import type { TurnPrompt } from "../../event/foreign.ts";
import type { HostMarker } from "../../event/marker.ts";
import type { Journal } from "../../journal/public.ts";
import { openJournal } from "../../open/open-journal.ts";
import { given } from "../../options.ts";
import type { Tell } from "./event-stream.ts";
import type { Opening } from "./listed-session.ts";
import type { SessionReading } from "./session-reading.ts";
import { pause, Wakes } from "./wakes.ts";

/** What a report says besides the events: looked for only once nothing has happened for so long. */
const aboutWaitMs = 400;
/** Looking for it takes at most such a part of the time. */
const aboutShareMin = 10;

export interface Telling {
  readonly reading: SessionReading;
  readonly opening: Opening;
  readonly title: string;
  readonly tell: Tell;
  readonly signal: AbortSignal;
}

/**
 * Tells "report" (the events first, then with all that is known), "grown" with the new events, "about" with what changed
 * besides, until `signal` is aborted.
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
      await feed.tellNews();
      about.wake();
    }
    await telling;
  } finally {
    leaving.abort();
    await unwatch();
    await feed.close();
  }
}

async function held<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

class SessionFeed {
  readonly #reading: SessionReading;
  readonly #opening: Opening;
  readonly #title: string;
  readonly #tell: Tell;
  /** Those of which the first `#told` were told. */
  #events: readonly RecordedEvent[] | undefined;
  #told = 0;
  #about = "";
  #journal: Journal | undefined;

  constructor({ reading, opening, title, tell }: Telling) {
    this.#reading = reading;
    this.#opening = opening;
    this.#title = title;
    this.#tell = tell;
  }

  async tellNews(): Promise<void> {
    await this.#reading.refresh();
    const { events } = this.#reading;
    const news = events.slice(events === this.#events ? this.#told : 0);
    this.#told = events.length;
    if (events !== this.#events) {
      this.#events = events;
      this.#about = "";
      await this.#tell("report", await this.#data(news));
    } else if (news.length > 0) await this.#tell("grown", packHistory(news));
  }

  /** Whenever `wakes` says that something changed, but not all the time: it reads the whole record. */
  async tellAboutOften(wakes: Wakes, signal: AbortSignal): Promise<void> {
    while (await wakes.next()) {
      const beganMs = performance.now();
      await this.#tellAbout();
      await pause(Math.max(aboutWaitMs, (performance.now() - beganMs) * aboutShareMin), signal);
      if (signal.aborted) return;
    }
  }

  /** On a store of its own: what reads the whole record keeps nobody from seeing what is new. */
  async #tellAbout(): Promise<void> {
    this.#journal ??= await openJournal(await this.#opening.open(), { readonly: true });
    const journal = this.#journal;
    const events = (this.#events ?? []).slice(0, this.#told);
    const foreign = await journal.foreign({ whole: true });
    let [markers, prompts]: [readonly HostMarker[], readonly TurnPrompt[]] = [[], []];
    const verification = await journal.verify({
      markers: async (all) => {
        markers = await held(all);
      },
      prompts: async (all) => {
        prompts = await held(all);
      },
    });
    const { generatedAt: _, ...about } = aboutOf({
      events,
      markers,
      prompts,
      verification,
      ...given({ foreign }),
      ...(await this.#names()),
    });
    const text = JSON.stringify(about);
    if (text === this.#about) return;
    this.#about = text;
    await this.#tell("about", about);
  }

  async #data(events: readonly RecordedEvent[]): Promise<ReportData> {
    const foreign = await this.#reading.store.foreign();
    return beginningOf({
      events,
      ...(foreign === undefined ? {} : { foreign, prompts: foreign.prompts }),
      ...(await this.#names()),
    });
  }

  async #names() {
    const { store, turns } = this.#reading;
    return { title: this.#title, session: await store.sessionId(), turns, generatedAt: new Date().toISOString() };
  }

  async close(): Promise<void> {
    await this.#journal?.close();
  }
}
