/** The event that is looked at, and what was taken away. */
import type { RecordedEvent } from "../../../event/event.ts";
import type { Loss } from "../../lost.ts";
import { describe } from "../describe.ts";
import { button, element, foreign, glance, oncePerFrame } from "./dom.ts";
import { eventAt, isFromOutside, type Model } from "./model.ts";
import { longTable } from "./table.ts";

export function eventPanel(model: Model): HTMLElement {
  const panel = element("section", { class: "event-panel", "aria-labelledby": "event-title" });
  const draw = (): void => panel.replaceChildren(...eventContent(model, eventAt(model, model.position())));
  model.onMove(oncePerFrame(draw));
  draw();
  return panel;
}

function eventContent(model: Model, recorded: RecordedEvent | undefined): HTMLElement[] {
  if (recorded === undefined) return [element("h2", { id: "event-title" }, "Before the first event")];
  const { title, text } = describe(recorded.event);
  const taken = model.losses.filter(({ version, reason }) => version === recorded.version && reason !== "unfinished");
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
  const told = facts.flatMap(([name, value]) =>
    value === undefined
      ? []
      : [element("div", {}, element("dt", {}, name), element("dd", {}, element("bdi", {}, ...foreign(value))))],
  );
  return [
    element("h2", { id: "event-title", "data-refused": recorded.event.type === "action.refused" }, ...foreign(title)),
    ...(showsText(recorded) && text !== ""
      ? [element("p", { class: "event-said", dir: "auto" }, ...foreign(glance(text, 400)))]
      : []),
    ...taken.map((loss) =>
      element(
        "div",
        { class: "taken" },
        element("strong", {}, loss.reason, ...ofAuthor(loss)),
        element("pre", { dir: "auto" }, ...foreign(loss.text)),
      ),
    ),
    element("dl", { class: "event-facts" }, ...told),
  ];
}

/** What other events say stands in the scratchpad below, highlighted. */
function showsText({ event }: RecordedEvent): boolean {
  return event.type === "session.forked" || event.type === "unknown" || event.type.startsWith("lease.");
}

export function lossesPanel(model: Model): HTMLElement {
  const names = ["version", "what became of it", "by", "source", "space", "text"];
  const table = longTable("losses-title", names, model.losses, (loss) => lossRow(model, loss));
  addEventListener(
    "beforeprint",
    () => {
      for (const details of table.querySelectorAll("details")) details.open = true;
    },
    { signal: model.signal },
  );
  return element(
    "section",
    { class: "losses", "aria-labelledby": "losses-title" },
    element("h2", { id: "losses-title" }, "Refused and taken away"),
    model.losses.length === 0
      ? element("p", { class: "empty" }, "Nothing was refused, cut, overwritten or left undone.")
      : table,
  );
}

/** Whose it was, where somebody else took it. */
function ofAuthor({ author, actor }: Loss): (string | HTMLElement)[] {
  return author === undefined || author === actor ? [] : [" of ", element("bdi", {}, ...foreign(author))];
}

function lossRow(model: Model, loss: Loss): HTMLElement {
  const { version, turn, actor, reason, source, space, key, text } = loss;
  const whole = element("pre", { dir: "auto" }, ...foreign(text));
  const short = text.length <= 160 && !text.includes("\n");
  const shown = short
    ? whole
    : element("details", {}, element("summary", { dir: "auto" }, ...foreign(glance(text, 100))), whole);
  const go = button(`v${version}`, () => model.go(model.positionOf(version)), {
    "aria-label": `Go to version ${version}, turn ${turn}`,
  });
  return element(
    "tr",
    {},
    element("td", {}, go),
    element("td", {}, element("span", { class: `badge ${reason}` }, reason), ...ofAuthor(loss)),
    element("td", {}, element("bdi", {}, ...foreign(actor))),
    element("td", {}, ...(source === undefined ? [] : [element("bdi", {}, ...foreign(source))])),
    element("td", {}, space, ...(key === undefined ? [] : [" ", element("bdi", {}, ...foreign(key))])),
    element("td", { class: "wide" }, shown),
  );
}
