/** Everything that happened, turn by turn. A turn's events are put on the page when it is opened. */
import type { RecordedEvent } from "../../../event/event.ts";
import { markerTitles } from "../../../event/marker.ts";
import { describe } from "../describe.ts";
import type { ReportMark } from "../render.ts";
import { button, element, foreign, glance, oncePerFrame, unseen } from "./dom.ts";
import { isFromOutside, type Model, timeText } from "./model.ts";

/** A long turn is shown in parts, and many turns in chapters, so that the page stays small. */
const partEventsMax = 100;
const chapterPartsMax = 50;

/** A stretch of the history that unfolds: the events after position `from`, up to `to`. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly details: HTMLDetailsElement;
  /** Unfolds it; what is inside is made the first time. */
  readonly open: () => void;
  /** The stretches inside, once it was opened. */
  readonly inside: readonly Stretch[];
}

export function timeline(model: Model): HTMLElement {
  const list = element("ol", { class: "turns" });
  let stretches: readonly Stretch[] = [];
  let opened: readonly Stretch[] = [];
  const draw = (): void => {
    const parts = partsOf(model);
    const kept = stretches.filter((stretch) => stretch.details.open && !opened.includes(stretch));
    stretches =
      parts.length > 2 * chapterPartsMax ? chaptersOf(model, parts) : parts.map((part) => turnPart(model, ...part));
    for (const stretch of stretches) if (kept.some(({ from }) => from === stretch.from)) stretch.open();
    opened = [];
    list.replaceChildren(...rowsOf(model, stretches));
  };
  const reveal = (): void => {
    const path = pathTo(Math.max(model.position(), 1), stretches);
    for (const stretch of opened) if (!path.includes(stretch)) stretch.details.open = false;
    opened = path;
    markHere(model, list);
    showHere(list);
  };
  const revealSoon = oncePerFrame(reveal);
  model.onMove(revealSoon);
  const shown = (): string => JSON.stringify([model.events.length, model.data.marks, model.data.prompts]);
  let last = shown();
  model.onGrow(() => {
    const now = shown();
    if (now === last) return;
    last = now;
    draw();
    revealSoon();
  });
  draw();
  reveal();
  // At the first reveal it is not on the page yet, and has no height to scroll in.
  requestAnimationFrame(() => showHere(list));
  addEventListener(
    "beforeprint",
    () => {
      if (model.events.length > 500) return;
      for (const { open } of stretches.flatMap((stretch) => [stretch, ...stretch.inside])) open();
    },
    { signal: model.signal },
  );
  return list;
}

function partsOf(model: Model): [number, number][] {
  const parts: [number, number][] = [];
  let from = 0;
  for (let to = 1; to <= model.events.length; to++) {
    const ends = to === model.events.length || model.events[to]?.turn !== model.events[from]?.turn;
    if (!ends && to - from < partEventsMax) continue;
    parts.push([from, to]);
    from = to;
  }
  return parts;
}

function chaptersOf(model: Model, parts: readonly (readonly [number, number])[]): Stretch[] {
  const chapters: Stretch[] = [];
  for (let start = 0; start < parts.length; start += chapterPartsMax) {
    const within = parts.slice(start, start + chapterPartsMax);
    const [from, to] = [within[0]?.[0] ?? 0, within.at(-1)?.[1] ?? 0];
    const turns = `Turns ${model.events[from]?.turn} – ${model.events[to - 1]?.turn}`;
    chapters.push(
      unfolding(model, from, to, turns, () => {
        const inside = within.map((part) => turnPart(model, ...part));
        return { content: element("ol", { class: "turns" }, ...rowsOf(model, inside)), inside };
      }),
    );
  }
  return chapters;
}

function turnPart(model: Model, from: number, to: number): Stretch {
  return unfolding(model, from, to, `Turn ${model.events[from]?.turn}`, () => {
    const rows = model.events
      .slice(from, to)
      .flatMap((recorded, index) => [
        ...(index === 0 ? [] : marksAt(model, from + index).map(markRow)),
        eventRow(model, recorded, from + index + 1),
      ]);
    return { content: element("ol", { class: "events" }, ...rows), inside: [] };
  });
}

function unfolding(
  model: Model,
  from: number,
  to: number,
  name: string,
  make: () => { readonly content: HTMLElement; readonly inside: readonly Stretch[] },
): Stretch {
  const details = element("details", { class: "turn" }, summaryOf(model, name, model.events.slice(from, to)));
  let made: ReturnType<typeof make> | undefined;
  const open = (): void => {
    details.open = true;
    if (made !== undefined) return;
    made = make();
    details.append(made.content);
    markHere(model, details);
  };
  details.addEventListener("toggle", () => {
    if (details.open) open();
  });
  return {
    from,
    to,
    details,
    open,
    get inside() {
      return made?.inside ?? [];
    },
  };
}

function summaryOf(model: Model, name: string, events: readonly RecordedEvent[]): HTMLElement {
  const [first, last] = [events[0]?.version, events.at(-1)?.version];
  const refused = events.filter(({ event }) => event.type === "action.refused").length;
  const outside = events.filter((recorded) => isFromOutside(model, recorded)).length;
  return element(
    "summary",
    {},
    element("span", { class: "turn-name" }, name),
    ...titleOf(model, name, events),
    element("span", { class: "turn-range" }, first === last ? `v${first}` : `v${first} – v${last}`, ...byWhom(events)),
    refused > 0 ? element("span", { class: "badge refused" }, `${refused} refused`) : undefined,
    outside > 0 ? element("span", { class: "badge outside" }, `${outside} from outside`) : undefined,
  );
}

/** What the user asked, which a chapter of many turns has no room for. */
function titleOf(model: Model, name: string, [first]: readonly RecordedEvent[]): HTMLElement[] {
  const prompt = model.data.prompts.find(({ turn }) => turn === first?.turn);
  if (prompt === undefined || !name.startsWith("Turn ")) return [];
  return [element("bdi", { class: "turn-title" }, ...foreign(glance(prompt.text)))];
}

const actorsMax = 3;

/** When a stretch began, and who wrote in it. */
function byWhom(events: readonly RecordedEvent[]): (HTMLElement | string)[] {
  const actors = [...new Set(events.map(({ actor }) => actor))];
  const more = actors.length > actorsMax ? [` and ${actors.length - actorsMax} more`] : [];
  const named = actors
    .slice(0, actorsMax)
    .flatMap((actor) => [" · ", element("bdi", {}, ...foreign(glance(actor, 40)))]);
  return [` · ${timeText(events[0]?.at ?? "").slice(0, 16)}`, ...named, ...more];
}

/** Stretches, and between them what the host did there. */
function rowsOf(model: Model, stretches: readonly Stretch[]): HTMLElement[] {
  const rows = stretches.flatMap(({ from, details }) => [
    ...marksAt(model, from).map(markRow),
    element("li", {}, details),
  ]);
  const end = model.events.length;
  return stretches.at(-1)?.to === end ? [...rows, ...marksAt(model, end).map(markRow)] : rows;
}

/** What the host did behind so many events. */
function marksAt({ data }: Model, position: number): readonly ReportMark[] {
  return data.marks.filter((mark) => mark.position === position);
}

function markRow({ marker, detail }: ReportMark): HTMLElement {
  return element(
    "li",
    { class: "host-mark", "data-marker": marker },
    markerTitles[marker],
    ...(detail === "" ? [] : [element("bdi", { class: "event-text" }, ...foreign(glance(detail, 60)))]),
  );
}

/** Opens the stretches that hold a position, from the outermost in. */
function pathTo(position: number, stretches: readonly Stretch[]): Stretch[] {
  const holder = stretches.find(({ from, to }) => from < position && position <= to);
  if (holder === undefined) return [];
  holder.open();
  return [holder, ...pathTo(position, holder.inside)];
}

/** One event as a button that leads to it. */
export function eventRow(model: Model, recorded: RecordedEvent, position: number): HTMLLIElement {
  const { title, text, space } = describe(recorded.event);
  const refused = recorded.event.type === "action.refused";
  const row = button("", () => model.go(position), {
    class: "event",
    "data-position": position,
    "data-space": space,
    "data-refused": refused,
  });
  row.append(
    element("span", { class: "event-version" }, `v${recorded.version}`),
    element("span", { class: "event-title" }, ...foreign(title)),
    text === "" ? "" : element("bdi", { class: "event-text" }, unseen(": "), ...foreign(glance(text, 90))),
  );
  return element("li", {}, row);
}

/** Scrolls the timeline alone; `scrollIntoView` would move the page under the reader too. */
function showHere(list: HTMLElement): void {
  const row = list.querySelector('[aria-current="step"]');
  const scroller = list.closest<HTMLElement>(".timeline-scroll");
  if (row === null || scroller === null || scroller.scrollHeight <= scroller.clientHeight) return;
  const [seen, frame] = [row.getBoundingClientRect(), scroller.getBoundingClientRect()];
  if (seen.top < frame.top || seen.bottom > frame.bottom) scroller.scrollTop += seen.top - frame.top - frame.height / 3;
}

export function markHere(model: Model, within: HTMLElement): void {
  for (const row of within.querySelectorAll('[aria-current="step"]')) row.removeAttribute("aria-current");
  within.querySelector(`[data-position="${model.position()}"]`)?.setAttribute("aria-current", "step");
}
