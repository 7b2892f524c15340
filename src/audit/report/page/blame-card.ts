/** The card says who wrote the line under the pointer or the focus. */
import type { RecordedEvent } from "../../../event/event.ts";
import { describe } from "../describe.ts";
import { element, foreign } from "./dom.ts";
import { timeText } from "./model.ts";

const authors = new WeakMap<Element, RecordedEvent>();

/** Lines that the card speaks of when they are pointed at. */
export function authored<Line extends Element>(line: Line, author: RecordedEvent): Line {
  authors.set(line, author);
  line.setAttribute("data-author", String(author.version));
  return line;
}

/** The same is said in one sentence, for those who hear the page. */
export function authorText({ version, turn, actor, at, command, source }: RecordedEvent): string {
  const call = command === undefined ? "" : `, command ${command}`;
  const from = source === undefined ? "" : `, from ${source}`;
  return `written in version ${version}, turn ${turn}, by ${actor}${from}, ${timeText(at)}${call}`;
}

/** Watches `area`; the card stays while the pointer is on it, and Escape takes it away (WCAG 2.2, 1.4.13). */
export function blameCard(area: HTMLElement, signal: AbortSignal): HTMLElement {
  const card = element("div", { class: "blame-card", "aria-hidden": "true" });
  card.hidden = true;
  let leaving: ReturnType<typeof setTimeout> | undefined;

  const hide = (): void => {
    card.hidden = true;
    for (const line of area.querySelectorAll(".kin")) line.classList.remove("kin");
  };
  const show = (target: EventTarget | null): void => {
    const line = target instanceof Element ? target.closest("[data-author]") : null;
    const author = line === null ? undefined : authors.get(line);
    if (line === null || author === undefined) return;
    clearTimeout(leaving);
    hide();
    card.replaceChildren(...cardText(author));
    for (const kin of area.querySelectorAll(`[data-author="${author.version}"]`)) kin.classList.add("kin");
    card.hidden = false;
    place(card, line);
  };
  const leave = (): void => {
    clearTimeout(leaving);
    leaving = setTimeout(hide, 200);
  };
  area.addEventListener("pointerover", (pointed) => show(pointed.target));
  area.addEventListener("focusin", (focused) => show(focused.target));
  area.addEventListener("pointerleave", leave);
  area.addEventListener("focusout", leave);
  card.addEventListener("pointerenter", () => clearTimeout(leaving));
  card.addEventListener("pointerleave", leave);
  addEventListener("scroll", hide, { passive: true, signal });
  addEventListener(
    "keydown",
    ({ key }) => {
      if (key === "Escape") hide();
    },
    { signal },
  );
  return card;
}

function cardText(author: RecordedEvent): HTMLElement[] {
  const { version, turn, actor, at, command, source, event } = author;
  const rows: [string, HTMLElement | string][] = [
    ["turn", String(turn)],
    ["by", element("bdi", {}, ...foreign(actor))],
    ["at", timeText(at)],
  ];
  if (source !== undefined) rows.push(["source", element("bdi", {}, ...foreign(source))]);
  if (command !== undefined) rows.push(["command", element("bdi", {}, ...foreign(command))]);
  return [
    element("strong", {}, `v${version} · `, ...foreign(describe(event).title)),
    element("dl", {}, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
  ];
}

/** The card is placed below the line, or above it if there is no room, and never beyond the window. */
function place(card: HTMLElement, line: Element): void {
  const { top, bottom, left } = line.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = card;
  const below = bottom + 4 + offsetHeight <= innerHeight;
  card.style.top = `${below ? bottom + 4 : Math.max(top - offsetHeight - 4, 4)}px`;
  card.style.left = `${Math.max(Math.min(left + 48, innerWidth - offsetWidth - 8), 8)}px`;
}
