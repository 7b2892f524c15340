/** The bar says where in the history the reader stands, and leads elsewhere. */
import { describe } from "../describe.ts";
import { button, counted, element, foreign, unseen } from "./dom.ts";
import { type IconName, icon } from "./icons.ts";
import { eventAt, type Model, timeText } from "./model.ts";

export interface Steps {
  readonly first: () => void;
  readonly last: () => void;
  readonly back: () => void;
  readonly on: () => void;
  readonly turnBack: () => void;
  readonly turnOn: () => void;
}

export function stepsOf(model: Model): Steps {
  const { position, go, turnStart } = model;
  const turnEnd = (from: number): number => {
    const { events } = model;
    const turn = events[from]?.turn;
    let end = from;
    while (end < events.length && events[end]?.turn === turn) end++;
    return end;
  };
  return {
    first: () => go(0),
    last: () => go(model.events.length),
    back: () => go(position() - 1),
    on: () => go(position() + 1),
    turnBack: () => go(turnStart(position())),
    turnOn: () => go(turnEnd(position())),
  };
}

export function travelBar(model: Model, steps: Steps): HTMLElement {
  const slider = element("input", { type: "range", id: "version", min: 0, max: model.events.length, step: 1 });
  slider.addEventListener("input", () => model.go(Number(slider.value)));
  const where = element("p", { class: "where" });
  const announcement = element("p", { class: "unseen", role: "status", "aria-live": "polite", id: "announcement" });
  let soon: ReturnType<typeof setTimeout> | undefined;
  /** So many events have come while the reader stood elsewhere. */
  let seen = model.events.length;
  let known = model.events;

  const [toFirst, toTurnBack, toBack, toOn, toTurnOn, toLast] = [
    stepButton("first", "Initial state", "Home", steps.first),
    stepButton("turnBack", "Turn before", "Shift + Left", steps.turnBack),
    stepButton("back", "Version before", "Left or k", steps.back),
    stepButton("on", "Next version", "Right or j", steps.on),
    stepButton("turnOn", "Next turn", "Shift + Right", steps.turnOn),
    stepButton("last", "Newest version", "End", steps.last),
  ];
  const newer = button("", steps.last, { class: "newer" });
  const show = (): void => {
    slider.max = String(model.events.length);
    if (known !== model.events) [known, seen] = [model.events, model.events.length];
    const count = model.events.length - seen;
    newer.hidden = count === 0 || model.position() === model.events.length;
    newer.textContent = `${counted(count, "newer event")}: show`;
    if (model.position() === model.events.length) seen = model.events.length;
    slider.value = String(model.position());
    slider.setAttribute("aria-valuetext", spoken(model));
    where.replaceChildren(...whereText(model));
    // Not `disabled`: whoever came here by a key keeps the focus.
    for (const each of [toFirst, toTurnBack, toBack]) each.ariaDisabled = String(model.position() === 0);
    for (const each of [toOn, toTurnOn, toLast]) each.ariaDisabled = String(model.position() === model.events.length);
    clearTimeout(soon);
    soon = setTimeout(() => announcement.replaceChildren(spoken(model)), 400);
  };
  model.onMove(show);
  model.onGrow(show);
  show();

  return element(
    "section",
    { class: "travel", "aria-label": "Travel through versions" },
    element(
      "div",
      { class: "travel-row" },
      toFirst,
      toTurnBack,
      toBack,
      element("label", { class: "unseen", for: "version" }, "Version"),
      slider,
      toOn,
      toTurnOn,
      toLast,
    ),
    element("div", { class: "where-row" }, where, newer),
    announcement,
  );
}

function stepButton(name: IconName, label: string, key: string, act: () => void): HTMLElement {
  return button(icon(name), act, { class: "step", "aria-label": label, title: `${label} (${key})` });
}

function whereText(model: Model): (Node | string)[] {
  const recorded = eventAt(model, model.position());
  const newest = model.events.at(-1)?.version ?? 0;
  if (recorded === undefined) return [element("strong", {}, "v0"), ` of v${newest} · the initial state`];
  return [
    element("strong", {}, `v${recorded.version}`),
    ` of v${newest}`,
    element("span", { class: "dot", "aria-hidden": "true" }, " · "),
    `turn ${recorded.turn}`,
    element("span", { class: "dot", "aria-hidden": "true" }, " · "),
    element("time", { datetime: recorded.at }, timeText(recorded.at)),
    element("span", { class: "dot", "aria-hidden": "true" }, " · "),
    element("bdi", { class: "actor" }, ...foreign(recorded.actor)),
    unseen("."),
  ];
}

function spoken(model: Model): string {
  const recorded = eventAt(model, model.position());
  if (recorded === undefined) return "Version 0, the initial state";
  return `Version ${recorded.version}, turn ${recorded.turn}: ${describe(recorded.event).title}, by ${recorded.actor}`;
}
