/** Finds events by anything that is written in them. */
import { searchText } from "../describe.ts";
import { button, element } from "./dom.ts";
import type { Model } from "./model.ts";
import { eventRow, markHere } from "./timeline.ts";

const shownMax = 200;

export interface Search {
  readonly box: HTMLElement;
  readonly results: HTMLElement;
  readonly focus: () => void;
  /** Goes to the next event that was found, or the one before; answers whether there is one. */
  readonly next: (direction: 1 | -1) => boolean;
  readonly clear: () => void;
}

/** `others` is what the results stand in for while something is searched. */
export function search(model: Model, others: HTMLElement): Search {
  const input = element("input", {
    type: "search",
    id: "search",
    placeholder: "Search texts, actors, commands…",
    autocomplete: "off",
    spellcheck: "false",
  });
  const count = element("p", { class: "search-count", role: "status" });
  const results = element("ol", { class: "events results" });
  let texts: string[] | undefined;
  let found: number[] = [];

  const find = (): void => {
    const wanted = input.value.trim().toLowerCase();
    texts ??= [];
    for (const recorded of model.events.slice(texts.length)) texts.push(searchText(recorded));
    found = wanted === "" ? [] : texts.flatMap((text, index) => (text.includes(wanted) ? [index + 1] : []));
    others.hidden = wanted !== "";
    results.hidden = wanted === "";
    count.replaceChildren(wanted === "" ? "" : countText(found.length));
    results.replaceChildren(...rows(model, found));
    markHere(model, results);
  };
  const next = (direction: 1 | -1): boolean => {
    const ahead =
      direction === 1 ? found.find((at) => at > model.position()) : found.findLast((at) => at < model.position());
    const target = ahead ?? found.at(direction === 1 ? 0 : -1);
    if (target !== undefined) model.go(target);
    return target !== undefined;
  };
  const clear = (): void => {
    input.value = "";
    find();
  };
  input.addEventListener("input", find);
  input.addEventListener("keydown", (pressed) => {
    if (pressed.key === "Enter") next(pressed.shiftKey ? -1 : 1);
  });
  model.onMove(() => markHere(model, results));
  model.onGrow(() => {
    if (input.value.trim() !== "") find();
  });
  results.hidden = true;
  if (model.data.search !== undefined) {
    input.value = model.data.search;
    find();
  }

  const box = element(
    "div",
    { class: "search", role: "search" },
    element("label", { for: "search" }, "Search the history"),
    input,
    element("div", { class: "search-row" }, count),
  );
  return { box, results, focus: () => input.focus(), next, clear };
}

function countText(count: number): string {
  if (count === 0) return "Nothing found";
  return `${count} ${count === 1 ? "event" : "events"} found · Enter goes to the next`;
}

function rows(model: Model, found: readonly number[], from = 0): HTMLElement[] {
  const made: HTMLElement[] = found.slice(from, from + shownMax).flatMap((position) => {
    const recorded = model.events[position - 1];
    return recorded === undefined ? [] : [eventRow(model, recorded, position)];
  });
  const end = from + shownMax;
  if (found.length <= end) return made;
  const more = element("li", {});
  more.append(
    button(`Show ${Math.min(shownMax, found.length - end)} more`, () => more.replaceWith(...rows(model, found, end))),
  );
  return [...made, more];
}
