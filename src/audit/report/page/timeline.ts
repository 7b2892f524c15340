/** Everything that happened, turn by turn. A turn's events are put on the page when it is opened. */
import type { RecordedEvent } from "../../../event/event.ts";
import { markerTitles } from "../../../event/marker.ts";
import type { ReportMark } from "../render.ts";
import { element, excerpt, foreign, oncePerFrame, putChildren } from "./dom.ts";
import { eventRow, markHere } from "./event-row.ts";
import { isFromOutside, type Model, timeText } from "./model.ts";
import { type Stretch, type StretchPlan, stretchPlans } from "./stretches.ts";

export function timeline(model: Model): HTMLElement {
  const list = element("ol", { class: "turns" });
  const nothing = element("li", { class: "empty" }, "Nothing has been written yet.");
  let stretches: readonly Stretch[] = [];
  let drawn = model.events;
  const draw = (): void => {
    // Every place in it has another number now.
    if (drawn !== model.events) [drawn, stretches] = [model.events, []];
    stretches = stretchesOf(model, stretchPlans(model.events), stretches);
    const rows = model.events.length === 0 ? [...marksAt(model, 0).map(markRow), nothing] : rowsOf(model, stretches);
    putChildren(list, rows);
  };
  const show = (): void => showHere(list, model.position() === model.events.length);
  const reveal = (): void => {
    const path = pathTo(Math.max(model.position(), 1), stretches);
    foldOthers(stretches, path);
    markHere(model, list);
    show();
  };
  const revealSoon = oncePerFrame(reveal);
  model.onMove(revealSoon);
  model.onGrow(() => {
    draw();
    revealSoon();
  });
  draw();
  reveal();
  // At the first reveal it is not on the page yet, and has no height to scroll in.
  requestAnimationFrame(show);
  addEventListener(
    "beforeprint",
    () => {
      if (model.events.length > printedMax) return;
      for (const { open } of stretches.flatMap((stretch) => [stretch, ...stretch.inside()])) open();
    },
    { signal: model.signal },
  );
  return list;
}

/** On paper a longer history stays folded. */
const printedMax = 500;

/** What has not changed since `before` is kept as it stands. */
function stretchesOf(model: Model, plans: readonly StretchPlan[], before: readonly Stretch[]): Stretch[] {
  const known = new Map(before.map((stretch) => [stretch.from, stretch]));
  return plans.map((plan) => {
    const old = known.get(plan.from);
    const said = saidOf(model, plan);
    if (old?.to === plan.to && old.said === said) return old;
    const next = unfolding(model, plan, said, old?.inside() ?? []);
    if (old?.details.open === true) next.open();
    next.isRevealed = old?.isRevealed ?? false;
    return next;
  });
}

/** What of a stretch may change although its events do not. */
function saidOf({ data, events, marks: all }: Model, { from, to, turn }: StretchPlan): string {
  const marks = all.filter(({ position }) => position >= from && position <= to);
  return JSON.stringify([to === events.length, marks, data.prompts.find((prompt) => prompt.turn === turn)]);
}

function unfolding(model: Model, plan: StretchPlan, said: string, before: readonly Stretch[]): Stretch {
  const { from, to } = plan;
  const events = model.events.slice(from, to);
  const details = element("details", { class: "turn" }, summaryOf(model, plan, events));
  let inside: readonly Stretch[] | undefined;
  const open = (): void => {
    details.open = true;
    if (inside !== undefined) return;
    inside = stretchesOf(model, plan.inside, before);
    const isChapter = inside.length > 0;
    const rows = isChapter ? rowsOf(model, inside) : eventRows(model, plan);
    details.append(element("ol", { class: isChapter ? "turns" : "events" }, ...rows));
    markHere(model, details);
  };
  details.addEventListener("toggle", () => {
    if (details.open) open();
  });
  return { from, to, said, details, open, inside: () => inside ?? [], isRevealed: false };
}

function eventRows(model: Model, { from, to }: StretchPlan): HTMLElement[] {
  return model.events
    .slice(from, to)
    .flatMap((_, index) => [
      ...(index === 0 ? [] : marksAt(model, from + index).map(markRow)),
      eventRow(model, from + index + 1),
    ]);
}

function summaryOf(model: Model, { turn, name }: StretchPlan, events: readonly RecordedEvent[]): HTMLElement {
  const [first, last] = [events[0]?.version, events.at(-1)?.version];
  const refused = events.filter(({ event }) => event.type === "action.refused").length;
  const outside = events.filter((recorded) => isFromOutside(model, recorded)).length;
  const prompt = model.data.prompts.find((each) => each.turn === turn);
  return element(
    "summary",
    {},
    element("span", { class: "turn-name" }, name),
    // What the user asked, which a chapter of many turns has no room for.
    prompt === undefined ? undefined : element("bdi", { class: "turn-title" }, ...foreign(excerpt(prompt.text))),
    element(
      "span",
      { class: "turn-range" },
      first === last ? `v${first}` : `v${first} – v${last}`,
      ` · ${whenText(model, events[0]?.at ?? "")}`,
      ...byWhom(events),
      ...(refused > 0 ? [" ", element("span", { class: "badge refused" }, `${refused} refused`)] : []),
      ...(outside > 0 ? [" ", element("span", { class: "badge outside" }, `${outside} from outside`)] : []),
    ),
  );
}

const actorsMax = 3;

/** The day is said only where the history has several. */
function whenText({ events }: Model, at: string): string {
  const text = timeText(at);
  if (!text.endsWith(" UTC")) return text;
  const day = text.slice(0, 10);
  const isOneDay = [events[0], events.at(-1)].every((each) => each !== undefined && timeText(each.at).startsWith(day));
  return isOneDay ? text.slice(11, 16) : text.slice(0, 16);
}

/** The result names who wrote in a stretch. */
function byWhom(events: readonly RecordedEvent[]): (HTMLElement | string)[] {
  const actors = [...new Set(events.map(({ actor }) => actor))];
  const more = actors.length > actorsMax ? [` and ${actors.length - actorsMax} more`] : [];
  const named = actors
    .slice(0, actorsMax)
    .flatMap((actor) => [" · ", element("bdi", {}, ...foreign(excerpt(actor, 40)))]);
  return [...named, ...more];
}

const rows = new WeakMap<Stretch, readonly HTMLElement[]>();

/** The rows are stretches, and between them what the host did there. */
function rowsOf(model: Model, stretches: readonly Stretch[]): HTMLElement[] {
  return stretches.flatMap((stretch) => {
    const end = stretch.to === model.events.length ? marksAt(model, stretch.to) : [];
    const made = rows.get(stretch) ?? [
      ...marksAt(model, stretch.from).map(markRow),
      element("li", {}, stretch.details),
      ...end.map(markRow),
    ];
    rows.set(stretch, made);
    return [...made];
  });
}

/** The result has what the host did behind so many events. */
function marksAt({ marks }: Model, position: number): readonly ReportMark[] {
  return marks.filter((mark) => mark.position === position);
}

function markRow({ marker, detail }: ReportMark): HTMLElement {
  return element(
    "li",
    { class: "host-mark", "data-marker": marker },
    markerTitles[marker],
    ...(detail === "" ? [] : [element("bdi", { class: "event-text" }, ...foreign(excerpt(detail, 60)))]),
  );
}

/** Opens the stretches that hold a position, from the outermost in. */
function pathTo(position: number, stretches: readonly Stretch[]): Stretch[] {
  const holder = stretches.find(({ from, to }) => from < position && position <= to);
  if (holder === undefined) return [];
  if (!holder.details.open) holder.isRevealed = true;
  holder.open();
  return [holder, ...pathTo(position, holder.inside())];
}

/** What was opened to show the reader's place folds when the reader leaves it; what the reader opened stays. */
function foldOthers(stretches: readonly Stretch[], path: readonly Stretch[]): void {
  for (const stretch of stretches) {
    foldOthers(stretch.inside(), path);
    if (!stretch.isRevealed || path.includes(stretch)) continue;
    stretch.details.open = false;
    stretch.isRevealed = false;
  }
}

/** Scrolls the timeline alone; `scrollIntoView` would move the page under the reader too. */
function showHere(list: HTMLElement, isNewest: boolean): void {
  const row = list.querySelector('[aria-current="step"]');
  const scroller = list.closest<HTMLElement>(".timeline-scroll");
  if (row === null || scroller === null || scroller.scrollHeight <= scroller.clientHeight) return;
  const [seen, frame] = [row.getBoundingClientRect(), scroller.getBoundingClientRect()];
  // What the host did behind the newest event is seen with it.
  const end = isNewest ? list.getBoundingClientRect().bottom : seen.bottom;
  if (seen.top < frame.top || end > frame.bottom) scroller.scrollTop += seen.top - frame.top - frame.height / 3;
}
