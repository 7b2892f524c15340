/** What a page shows of a journal, read in one pass: of a long history the newest events, and what belongs to them. */
import { Newest } from "../audit/newest.ts";
import { type NewestEvents, newestEvents, omissions } from "../audit/report/newest-events.ts";
import type { ReportOptions } from "../audit/report/render.ts";
import type { Verification } from "../audit/verify/finding.ts";
import type { RecordedEvent } from "../event/event.ts";
import type { ForeignSession, TurnPrompt } from "../event/foreign.ts";
import { type HostMarker, isBehind } from "../event/marker.ts";
import type { Journal } from "../journal/public.ts";
import { given } from "../options.ts";

export interface PageReading
  extends Pick<ReportOptions, "prompts" | "turns" | "markers" | "omitted" | "leftOut" | "foreign"> {
  readonly events: readonly RecordedEvent[];
  readonly verification: Verification;
  /** The history has so many events. */
  readonly all: number;
}

const markersMax = 10_000;

/** At most so many turns have their prompts read. */
const promptsMax = 20_000;

/** `number`: of events; absent, as many as are usual. */
export async function readForPage(
  journal: Journal,
  { number, withPrompts }: { readonly number?: number | undefined; readonly withPrompts: boolean },
): Promise<PageReading> {
  let newest: NewestEvents = { events: [], leftOut: 0, shortened: 0, all: 0 };
  let markers = new Newest<HostMarker>(markersMax, Number.POSITIVE_INFINITY);
  let prompts: readonly TurnPrompt[] | undefined;
  const verification = await journal.verify({
    history: async (all) => {
      newest = await newestEvents(all, number);
    },
    markers: async (all) => {
      markers = await newestOf(all, markersMax);
    },
    ...(withPrompts && {
      prompts: async (all) => {
        prompts = (await newestOf(all, promptsMax)).items;
      },
    }),
  });
  const { events } = newest;
  const turns = new Set(events.map(({ turn }) => turn));
  const shown = markersOf(newest, markers.items);
  // Older ones than the first event that is shown are not missed.
  const all = shown.length + (shown.length === markers.items.length ? markers.leftOut : 0);
  return {
    events,
    verification,
    all: newest.all,
    turns: journal.turn,
    markers: shown,
    omitted: omissions(newest, { shown: shown.length, all }),
    leftOut: newest.leftOut,
    ...given({
      prompts: prompts?.filter(({ turn }) => turns.has(turn)),
      foreign: await foreignOf(journal, newest),
    }),
  };
}

function markersOf({ events: [first], leftOut }: NewestEvents, markers: readonly HostMarker[]): readonly HostMarker[] {
  return leftOut === 0 || first === undefined ? markers : markers.filter((marker) => isBehind(marker, first));
}

async function foreignOf(journal: Journal, { leftOut }: NewestEvents): Promise<ForeignSession | undefined> {
  const foreign = await journal.foreign({ whole: true });
  // What stands first stands for all that was left out.
  return foreign && { ...foreign, calls: leftOut === 0 ? foreign.calls : foreign.calls.slice(leftOut - 1) };
}

async function newestOf<Item>(items: AsyncIterable<Item>, itemsMax: number): Promise<Newest<Item>> {
  const newest = new Newest<Item>(itemsMax, Number.POSITIVE_INFINITY);
  for await (const item of items) newest.add(item, 0);
  return newest;
}
