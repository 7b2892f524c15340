/** Puts the report of one session together. */
import { StepReader } from "../../steps-over-time.ts";
import { budgetView } from "./budget.ts";
import { element, jump } from "./dom.ts";
import { eventPanel } from "./event-panel.ts";
import { keyboard } from "./keyboard.ts";
import { lossesPanel } from "./losses.ts";
import { eventAt, type Model } from "./model.ts";
import { pageHead } from "./page-head.ts";
import { renewed } from "./renewed.ts";
import { search } from "./search.ts";
import { spacesView } from "./spaces.ts";
import { stepsView } from "./steps-view.ts";
import { timeline } from "./timeline.ts";
import { stepsOf, travelBar } from "./travel-bar.ts";
import { verificationPanel } from "./verification.ts";

export function skipLink(): HTMLElement {
  return jump("Skip to the scratchpad", "scratchpad", { class: "skip" });
}

/** `address` stands before the version in the address of the page. */
export function reportParts(model: Model, address: string): HTMLElement {
  followAddress(model, address);
  const steps = stepsOf(model);
  const turns = timeline(model);
  const spaces = spacesView(model);
  const lossFilter = { text: "", reason: "" };
  const isLive = address !== "";
  let [stepReader, read] = [new StepReader(), model.events];
  const stepsRead = (): StepReader => {
    if (read !== model.events) [stepReader, read] = [new StepReader(), model.events];
    return stepReader;
  };
  const finder = search(model, turns, spaces.view);
  const scroll = element("div", { class: "timeline-scroll" }, turns, finder.results);
  return element(
    "div",
    { class: "layout" },
    renewed(model, (part) => [pageHead(part, isLive)]),
    element(
      "nav",
      { class: "timeline", "aria-label": "History" },
      element("div", { class: "heading" }, element("h2", {}, "History"), keyboard(steps, finder, model.signal)),
      finder.box,
      scroll,
    ),
    element(
      "main",
      {},
      travelBar(model, steps),
      eventPanel(model, spaces.choice),
      spaces.view,
      renewed(model, (part) => stepsView(part, stepsRead()), true),
      // Nothing in the session of another client is under a budget of ours.
      ...(model.data.client === undefined ? [renewed(model, (part) => [budgetView(part)], true)] : []),
      renewed(model, (part) => [lossesPanel(part, lossFilter)], true),
      renewed(model, (part) => [verificationPanel(part, isLive)], true),
    ),
  );
}

/** `#v12` in the address opens the report at that version, and the address follows the reader, to be passed on. */
function followAddress(model: Model, address: string): void {
  const { go, positionOf, onMove, onGrow, position, signal } = model;
  let isWaiting = false;
  const read = (): void => {
    const { hash } = location;
    const asked = hash.startsWith(`#${address}`) ? /^v(\d{1,15})$/.exec(hash.slice(address.length + 1)) : null;
    isWaiting = asked !== null && model.awaited > 0 && Number(asked[1]) < (model.events[0]?.version ?? 0);
    if (asked !== null && !isWaiting) go(positionOf(Number(asked[1])));
  };
  read();
  onGrow(() => {
    if (isWaiting && model.awaited === 0) read();
  });
  addEventListener("hashchange", read, { signal });
  let soon: ReturnType<typeof setTimeout> | undefined;
  onMove(() => {
    clearTimeout(soon);
    soon = setTimeout(() => {
      const here = `#${address}v${eventAt(model, position())?.version ?? 0}`;
      if (!signal.aborted && location.hash !== here) history.replaceState(null, "", here);
    }, 300);
  });
}
