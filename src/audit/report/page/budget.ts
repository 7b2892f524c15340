/** Budget use as strips: a row a space, from the initial state to the newest version, with the reader's place in it. */
import type { Space } from "../../../action/actions.ts";
import { limitsWhen } from "../../../action/limits.ts";
import { limitOf } from "../space-use.ts";
import { counted, element, oncePerFrame } from "./dom.ts";
import { drawing } from "./icons.ts";
import { eventAt, type Model } from "./model.ts";

const shown: readonly { readonly space: Space; readonly label: string; readonly unit: string }[] = [
  { space: "notes", label: "Notes", unit: "chars" },
  { space: "plan", label: "Plan", unit: "chars" },
  { space: "refs", label: "Refs", unit: "items" },
  { space: "entries", label: "Entries", unit: "bytes" },
  { space: "sections", label: "Sections", unit: "sections" },
];

/** A strip is not wider in pixels; of several positions in a column the fullest is drawn. */
const columnsMax = 600;
/** More ticks would be one area. */
const ticksMax = 60;

export function budgetView(model: Model): HTMLElement {
  const strips = [...shown.map((series) => spaceStrip(model, series)), ...refusalStrip(model)];
  const stand = (): void => {
    for (const { show } of strips) show();
  };
  model.onMove(oncePerFrame(stand));
  stand();
  return element(
    "section",
    { class: "budget", "aria-labelledby": "budget-title" },
    element("h2", { id: "budget-title" }, "Budget use"),
    element("ul", { class: "strips" }, ...strips.map(({ row }) => row)),
  );
}

interface Strip {
  readonly row: HTMLElement;
  /** Shows the place of the reader. */
  readonly show: () => void;
}

function spaceStrip(model: Model, { space, label, unit }: (typeof shown)[number]): Strip {
  /** The event at that position was decided under this budget. */
  const limitAt = (position: number): number =>
    limitOf(space, limitsWhen(eventAt(model, position) ?? {}, model.data.limits));
  const usedAt = (position: number): number => model.spaceUses[position]?.[space] ?? 0;
  const percent = (position: number): number => share(usedAt(position), limitAt(position));
  const picture = areaOf(model.spaceUses.length, percent);
  const text = element("span", { class: "strip-text" });
  const { row, stand } = stripRow(model, label, text, picture, peakText(model, label, percent));
  row.dataset["space"] = space;
  return {
    row,
    show: () => {
      const [used, limit] = [usedAt(model.position()), limitAt(model.position())];
      row.toggleAttribute("data-over", used > limit);
      text.replaceChildren(
        `${used.toLocaleString("en")} of ${limit.toLocaleString("en")} ${unit}`,
        ...(used > limit ? [" ", element("span", { class: "badge refused" }, "over")] : []),
      );
      stand();
    },
  };
}

function refusalStrip(model: Model): Strip[] {
  const refused = model.events.flatMap(({ event }, index) => (event.type === "action.refused" ? [index + 1] : []));
  if (refused.length === 0) return [];
  const width = model.events.length;
  const ticks = refused.map((position) => `M${((position / width) * 100).toFixed(2)} 0V100`).join("");
  const density = refused.length > ticksMax ? "dense" : "";
  const picture = drawing({ class: `ticks ${density}`, viewBox: "0 0 100 100", preserveAspectRatio: "none" }, ticks);
  const count = counted(refused.length, "refusal");
  const text = element("span", { class: "strip-text" }, count);
  const { row, stand } = stripRow(model, "Refused", text, picture, `Where actions were refused: ${count}`);
  return [{ row, show: stand }];
}

function stripRow(
  { events, position, go }: Model,
  label: string,
  text: HTMLElement,
  picture: SVGSVGElement,
  said: string,
): { readonly row: HTMLElement; readonly stand: () => void } {
  const here = element("span", { class: "here" });
  const strip = element("span", { class: "strip", role: "img", "aria-label": said }, here);
  strip.prepend(picture);
  strip.addEventListener("click", ({ clientX }) => {
    const { left, width } = strip.getBoundingClientRect();
    go(((clientX - left) / width) * events.length);
  });
  const stand = (): void => {
    here.style.insetInlineStart = `${events.length === 0 ? 0 : (position() / events.length) * 100}%`;
  };
  return { row: element("li", {}, element("span", { class: "strip-name" }, label), strip, text), stand };
}

function share(used: number, limit: number): number {
  return limit === 0 ? (used === 0 ? 0 : 100) : (used / limit) * 100;
}

/** The area is filled from the ground up. What is above the budget is cut there, and its row says so. */
function areaOf(positions: number, percent: (position: number) => number): SVGSVGElement {
  const columns = Math.min(positions, columnsMax);
  let path = "M0 100";
  for (let column = 0; column < columns; column++) {
    const end = Math.ceil(((column + 1) / columns) * positions);
    let most = 0;
    for (let position = Math.floor((column / columns) * positions); position < end; position++) {
      most = Math.max(most, percent(position));
    }
    path += `V${(100 - Math.min(most, 100)).toFixed(1)}H${column + 1}`;
  }
  return drawing({ class: "area", viewBox: `0 0 ${columns} 100`, preserveAspectRatio: "none" }, `${path}V100Z`);
}

function peakText({ spaceUses, events }: Model, label: string, percent: (position: number) => number): string {
  let peak = 0;
  for (let position = 1; position < spaceUses.length; position++)
    if (percent(position) > percent(peak)) peak = position;
  return `${label} at most ${Math.round(percent(peak))} percent, in version ${events[peak - 1]?.version ?? 0}`;
}
