/** Finds events by anything that is written in them. */
import { searchFields } from "../describe.ts";
import { counted, element, oncePerFrame } from "./dom.ts";
import { eventRow, markHere } from "./event-row.ts";
import { highlight } from "./hits.ts";
import { unfold } from "./lines-view.ts";
import type { Model } from "./model.ts";
import { appendInParts } from "./parts.ts";

const shownMax = 200;

export interface Search {
  readonly box: HTMLElement;
  readonly results: HTMLElement;
  readonly focus: () => void;
  /** Goes to the next event that was found, or the one before; answers whether there is one. */
  readonly next: (direction: 1 | -1) => boolean;
  /** Leaves the field, so that keys go from hit to hit; ends the search if the field was left before. */
  readonly leave: () => void;
}

/** `others` is what the results stand in for while something is searched; in `shown` what was searched is marked. */
export function search(model: Model, others: HTMLElement, shown: HTMLElement): Search {
  const input = element("input", {
    type: "search",
    id: "search",
    placeholder: "Search texts, actors, commands…",
    autocomplete: "off",
    spellcheck: "false",
  });
  const count = element("p", { class: "search-count", role: "status" });
  const results = element("ol", { class: "events results" });
  let texts: string[] = [];
  let searched = model.events;
  let found: number[] = [];

  const wantedText = (): string => input.value.trim().toLowerCase();
  const mark = oncePerFrame(() => {
    if (wantedText() !== "") unfold(shown, wantedText());
    highlight(shown, wantedText());
  });
  const find = (): void => {
    const wanted = wantedText();
    if (searched !== model.events) [texts, searched] = [[], model.events];
    for (const recorded of model.events.slice(texts.length)) {
      texts.push(searchFields(recorded).join("\n").toLowerCase());
    }
    found = wanted === "" ? [] : texts.flatMap((text, index) => (text.includes(wanted) ? [index + 1] : []));
    others.hidden = wanted !== "";
    results.hidden = wanted === "";
    count.replaceChildren(wanted === "" ? "" : countText(found.length));
    results.replaceChildren();
    appendInParts(
      results,
      found,
      shownMax,
      (position) => eventRow(model, position, wanted),
      (more) => element("li", {}, more),
    );
    markHere(model, results);
    mark();
  };
  const next = (direction: 1 | -1): boolean => {
    const ahead =
      direction === 1 ? found.find((at) => at > model.position()) : found.findLast((at) => at < model.position());
    const target = ahead ?? found.at(direction === 1 ? 0 : -1);
    if (target !== undefined) model.go(target);
    return target !== undefined;
  };
  const leave = (): void => {
    if (document.activeElement === input) {
      input.blur();
      return;
    }
    input.value = "";
    find();
  };
  input.addEventListener("input", find);
  input.addEventListener("keydown", (pressed) => {
    if (pressed.key === "Enter") next(pressed.shiftKey ? -1 : 1);
  });
  model.onMove(() => {
    markHere(model, results);
    // Behind the parts that draw themselves in the same frame.
    requestAnimationFrame(mark);
  });
  model.onGrow(() => {
    if (wantedText() !== "") find();
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
  return { box, results, focus: () => input.focus(), next, leave };
}

function countText(count: number): string {
  if (count === 0) return "Nothing found";
  return `${counted(count, "event")} found · Enter goes to the next`;
}
