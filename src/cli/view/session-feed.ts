/** One session, told as its report and then event by event. */

import { packHistory } from "../../audit/report/pack.ts";
import { aboutOf, beginningOf, type ReportData } from "../../audit/report/render.ts";
import type { RecordedEvent } from "../../event/event.ts";
import type { TurnPrompt } from "../../event/foreign.ts";
import type { HostMarker } from "../../event/marker.ts";
import type { Journal } from "../../journal/public.ts";
import { openJournal } from "../../open/open-journal.ts";
import { given } from "../../options.ts";
import type { Position } from "../../stream/delivery.ts";
import type { JournalStore } from "../../stream/stream-store.ts";
import type { Tell } from "./event-stream.ts";
import { pause, Wakes } from "./wakes.ts";

/** What a report says besides the events: looked for only once nothing has happened for so long. */
const aboutWaitMs = 400;
/** Looking for it takes at most such a part of the time. */
const aboutShareMin = 10;

/**
 * Tells "report" (the events first, then with all that is known), "grown" with the new events, "about" with what changed
 * besides, until `signal` is aborted.
 */
export async function tellJournal(store: JournalStore, title: string, tell: Tell, signal: AbortSignal): Promise<void> {
  const feed = new SessionFeed(store, title, tell);
  const wakes = new Wakes(signal);
  const unwatch = await store.watch(wakes.wake);
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
  readonly #store: JournalStore;
  readonly #title: string;
  readonly #tell: Tell;
  #events: RecordedEvent[] = [];
  #position: Position | undefined;
  #turns = 0;
  #isTold = false;
  #about = "";
  #journal: Journal | undefined;

  constructor(store: JournalStore, title: string, tell: Tell) {
    this.#store = store;
    this.#title = title;
    this.#tell = tell;
  }

  async tellNews(): Promise<void> {
    let news: RecordedEvent[] = [];
    const end = await this.#store.catchUp(this.#position, {
      reset: () => {
        this.#isTold = false;
        this.#events = [];
        news = [];
      },
      event: (recorded) => news.push(recorded),
    });
    this.#position = { generation: end.generation, version: end.version };
    this.#turns = end.turn;
    // One by one: a history may have more events than a call takes arguments.
    for (const recorded of news) this.#events.push(recorded);
    if (!this.#isTold) {
      this.#isTold = true;
      this.#about = "";
      await this.#tell("report", await this.#data());
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

  async #tellAbout(): Promise<void> {
    this.#journal ??= await openJournal(this.#store, { readonly: true });
    const journal = this.#journal;
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
      events: this.#events,
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

  async #data(): Promise<ReportData> {
    const foreign = await this.#store.foreign();
    return beginningOf({
      events: this.#events,
      ...(foreign === undefined ? {} : { foreign, prompts: foreign.prompts }),
      ...(await this.#names()),
    });
  }

  async #names() {
    const session = await this.#store.sessionId();
    return { title: this.#title, session, turns: this.#turns, generatedAt: new Date().toISOString() };
  }

  async close(): Promise<void> {
    await this.#journal?.close();
    await this.#store.close();
  }
}
