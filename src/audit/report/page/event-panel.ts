/** The event that is looked at: what it is called, and where it is written. */
import type { RecordedEvent } from "../../../event/event.ts";
import { unreadText } from "../../unread-text.ts";
import { describe } from "../describe.ts";
import { element, excerpt, foreign, oncePerFrame } from "./dom.ts";
import { lossText, ofAuthor } from "./losses.ts";
import { eventAt, isFromOutside, type Model } from "./model.ts";

/** `choice` stands at the end of its heading. */
export function eventPanel(model: Model, choice: HTMLElement): HTMLElement {
  const title = element("h2", { id: "event-title" });
  const said = element("p", { class: "event-said", dir: "auto" });
  const facts = element("dl", { class: "event-facts" });
  const draw = (): void => {
    const recorded = eventAt(model, model.position());
    const { title: name, text } =
      recorded === undefined ? { title: "Before the first event", text: "" } : describe(recorded.event);
    title.toggleAttribute("data-refused", recorded?.event.type === "action.refused");
    title.replaceChildren(...foreign(name));
    const shown = recorded !== undefined && showsText(recorded) ? excerpt(text, 400) : "";
    said.replaceChildren(...foreign(unreadText(recorded ?? {}) ?? shown));
    facts.replaceChildren(...(recorded === undefined ? [] : factsOf(model, recorded)));
  };
  model.onMove(oncePerFrame(draw));
  draw();
  return element(
    "section",
    { class: "event-panel", "aria-labelledby": "event-title" },
    element("div", { class: "heading" }, title, choice),
    said,
    facts,
  );
}

function factsOf(model: Model, recorded: RecordedEvent): HTMLElement[] {
  const { actor, origin, source, command, commit, entryId, offset } = recorded;
  const facts: [string, string | undefined][] = [
    ["by", actor],
    ["from", isFromOutside(model, recorded) ? `an outside writer (${origin})` : undefined],
    ["source", source],
    ["command", command],
    ["commit", commit],
    ["entry", entryId],
    ["byte", offset === undefined ? undefined : offset.toLocaleString("en")],
  ];
  return facts.flatMap(([name, value]) =>
    value === undefined
      ? []
      : [element("div", {}, element("dt", {}, name), element("dd", {}, element("bdi", {}, ...foreign(value))))],
  );
}

/** What other events say stands in the scratchpad below, marked. */
function showsText({ event }: RecordedEvent): boolean {
  return event.type === "session.forked" || event.type === "unknown" || event.type.startsWith("lease.");
}

/** What the event that is looked at took away, or was refused. */
export function takenAway(model: Model): HTMLElement[] {
  const losses = model.lossesAt(model.position());
  if (losses.length === 0) return [];
  const rows = losses.flatMap((loss) => [
    element("dt", {}, element("strong", {}, loss.reason, ...ofAuthor(loss))),
    element("dd", {}, element("pre", { dir: "auto", tabindex: 0 }, ...foreign(lossText(loss)))),
  ]);
  return [element("dl", { class: "taken" }, ...rows)];
}
