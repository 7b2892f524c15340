/** A history together with what the host's own lines say, from one reading of the session. */
import { HostMarkers } from "../audit/host-markers.ts";
import { TurnPrompts } from "../audit/turn-prompts.ts";
import { Waiting } from "../audit/waiting.ts";
import type { RecordedEvent } from "../event/event.ts";
import type { ForeignSession, TurnPrompt } from "../event/foreign.ts";
import { carriedBy, type HostMarker, isBehind } from "../event/marker.ts";
import type { LookAtLine } from "../stream/line-pages.ts";
import type { LogPage, RawLine } from "../stream/log.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import { together } from "./whole.ts";

/** This is an event, or something that the host's own lines say. */
export type EventOrHost = RecordedEvent | HostMarker | TurnPrompt;

/** Puts what the host's own lines say between the events, in the order of the file; a prompt stands before the first event of its turn. */
export class HostBetween {
  readonly #markers: Waiting<HostMarker>;
  readonly #foreignPrompts: Waiting<TurnPrompt>;
  readonly #prompts = new TurnPrompts();
  readonly #found = new HostMarkers();

  /** The session is one of another client's if `foreign` is there, which is what is known of it. */
  constructor(foreign: ForeignSession | undefined) {
    this.#markers = new Waiting(foreign?.markers);
    this.#foreignPrompts = new Waiting(foreign?.prompts);
  }

  /** When a page comes, it is known what its lines say, and its events may be put. */
  async *pagesIn(store: JournalStore, lines: AsyncIterable<readonly RawLine[]>): AsyncGenerator<LogPage, undefined> {
    const look: LookAtLine = (line, raw) => {
      for (const marker of this.#found.line(line, raw)) this.#markers.push(marker);
      this.#prompts.line(line, raw.offset);
    };
    for await (const page of store.pagesIn(lines, look)) {
      this.#prompts.keep();
      // Under policy `branch` no event is put before it is known where the conversation stands.
      for (const entry of page.entries) if (entry.kind === "branch") this.#leaveBehind(entry.path);
      yield page;
    }
  }

  /** A part of the conversation that was left has no event in the history, and no compaction either. */
  #leaveBehind(path: ReadonlySet<string | null>): void {
    this.#markers.keep(({ marker, entryId = null }) => marker !== "compaction" || path.has(entryId));
  }

  /** The result is the event, with what stands before it and behind the one before. */
  put(recorded: RecordedEvent): EventOrHost[] {
    const { turn } = recorded;
    const items: EventOrHost[] = [
      ...this.#markers.takeWhile((marker) => !isBehind(marker, recorded)),
      ...this.#foreignPrompts.takeWhile((prompt) => prompt.turn <= turn),
    ];
    const prompt = this.#prompts.event(recorded);
    if (prompt !== undefined) items.push(prompt);
    return [...items, recorded, ...carriedBy(recorded)];
  }

  /** The result is what stands behind the newest event. */
  rest(): EventOrHost[] {
    return [...this.#foreignPrompts.rest(), ...this.#markers.rest()];
  }
}

/** `lines` are those of a reading that goes on anyway. */
export async function* historyWithHost(
  store: JournalStore,
  lines = store.file?.lines(),
  pages?: AsyncIterable<LogPage>,
): AsyncGenerator<EventOrHost, undefined> {
  const between = new HostBetween(await store.foreign());
  for await (const recorded of store.read(0, lines === undefined ? pages : between.pagesIn(store, lines)))
    yield* between.put(recorded);
  yield* between.rest();
}

/** These go through a history and what the host's own lines say. */
export interface Hearers {
  readonly history?: ((events: AsyncIterable<RecordedEvent>) => Promise<void>) | undefined;
  readonly markers?: ((markers: AsyncIterable<HostMarker>) => Promise<void>) | undefined;
  readonly prompts?: ((prompts: AsyncIterable<TurnPrompt>) => Promise<void>) | undefined;
}

/** Hands each of them what it goes through, from one reading, which comes in parts. */
export function tellApart(parts: Parts, { history, markers, prompts }: Hearers): Promise<void> {
  const hearers = [
    history && ((all: Parts) => history(amongParts(all, isEvent))),
    markers && ((all: Parts) => markers(amongParts(all, isMarker))),
    prompts && ((all: Parts) => prompts(amongParts(all, isPrompt))),
  ];
  return together(
    parts,
    hearers.filter((each) => each !== undefined),
  );
}

export type Parts = AsyncIterable<readonly EventOrHost[]>;

/** No generator: for each of its items that would take three turns of the microtask queue instead of one. */
function amongParts<Item extends EventOrHost>(
  parts: Parts,
  isOne: (item: EventOrHost) => item is Item,
): AsyncIterable<Item> {
  const iterator = parts[Symbol.asyncIterator]();
  let items: readonly EventOrHost[] = [];
  let position = 0;
  const next = (): Promise<IteratorResult<Item>> => {
    while (position < items.length) {
      const item = items[position++] as EventOrHost;
      if (isOne(item)) return Promise.resolve({ done: false, value: item });
    }
    return iterator.next().then((part): IteratorResult<Item> | Promise<IteratorResult<Item>> => {
      if (part.done === true) return { done: true, value: undefined };
      items = part.value;
      position = 0;
      return next();
    });
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

/** Each item is a part. */
export async function* oneByOne(items: AsyncIterable<EventOrHost>): AsyncGenerator<readonly EventOrHost[]> {
  for await (const item of items) yield [item];
}

async function* among<Item extends EventOrHost>(
  items: AsyncIterable<EventOrHost>,
  isOne: (item: EventOrHost) => item is Item,
): AsyncGenerator<Item> {
  for await (const item of items) if (isOne(item)) yield item;
}

function isEvent(item: EventOrHost): item is RecordedEvent {
  return "event" in item;
}

function isMarker(item: EventOrHost): item is HostMarker {
  return "marker" in item;
}

function isPrompt(item: EventOrHost): item is TurnPrompt {
  return !("event" in item || "marker" in item);
}

/** The result is what the host did. */
export async function* markersIn(store: JournalStore): AsyncGenerator<HostMarker, undefined> {
  const foreign = await store.foreign();
  yield* foreign?.markers ?? among(historyWithHost(store), isMarker);
}

/** The result is what the user asked, turn by turn. */
export async function* promptsIn(store: JournalStore): AsyncGenerator<TurnPrompt, undefined> {
  const foreign = await store.foreign();
  if (foreign !== undefined) yield* foreign.prompts;
  else if (store.file !== undefined) yield* among(historyWithHost(store), isPrompt);
}
