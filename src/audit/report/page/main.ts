/** Puts the page together. */
import type { ReportData } from "../render.ts";
import { element } from "./dom.ts";
import { keyboard } from "./keyboard.ts";
import { createModel, eventAt, type Model } from "./model.ts";
import { pageHead } from "./page-head.ts";
import { eventPanel, lossesPanel } from "./panels.ts";
import { budgetView } from "./plot.ts";
import { search } from "./search.ts";
import { spacesView } from "./spaces.ts";
import { stepsView } from "./steps-view.ts";
import { timeline } from "./timeline.ts";
import { stepsOf, travelBar } from "./travel-bar.ts";
import { verificationPanel } from "./verification.ts";

const data = JSON.parse(document.getElementById("data")?.textContent ?? "") as ReportData;
const model = createModel(data);
followAddress(model);

const steps = stepsOf(model);
const turns = timeline(model);
const finder = search(model, turns);
const scroll = element("div", { class: "timeline-scroll" }, turns, finder.results);

document.body.append(
  element("a", { class: "skip", href: "#scratchpad" }, "Skip to the scratchpad"),
  pageHead(model),
  element(
    "div",
    { class: "layout" },
    element(
      "nav",
      { class: "timeline", "aria-label": "History" },
      element("div", { class: "heading" }, element("h2", {}, "History"), keyboard(steps, finder)),
      finder.box,
      scroll,
    ),
    element(
      "main",
      {},
      // Nothing in the session of another client is under a budget of ours.
      ...(data.client === undefined ? [budgetView(model)] : []),
      ...stepsView(model),
      travelBar(model, steps),
      eventPanel(model),
      spacesView(model),
      lossesPanel(model),
      verificationPanel(model),
    ),
  ),
);

/** `#v12` in the address opens the report at that version, and the address follows the reader, to be passed on. */
function followAddress({ go, positionOf, onMove, position }: Model): void {
  const read = (): void => {
    const asked = /^#v(\d{1,15})$/.exec(location.hash);
    if (asked !== null) go(positionOf(Number(asked[1])));
  };
  read();
  addEventListener("hashchange", read);
  let soon: ReturnType<typeof setTimeout> | undefined;
  onMove(() => {
    clearTimeout(soon);
    soon = setTimeout(() => {
      const address = `#v${eventAt(model, position())?.version ?? 0}`;
      if (location.hash !== address) history.replaceState(null, "", address);
    }, 300);
  });
}
