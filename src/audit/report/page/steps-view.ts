/** The plan over time: a row a step, and above it where turns began and what the host did in between. */
import { markerTitles } from "../../../event/marker.ts";
import type { DoubtfulStep } from "../../doubtful.ts";
import type { StepChange, StepReader } from "../../steps-over-time.ts";
import { button, element, foreign } from "./dom.ts";
import { type Mark, type Model, timeText } from "./model.ts";
import { byStory, isOpen, type Step, stepOf } from "./step-order.ts";
import { longTable } from "./table.ts";

/** More would be a grey area, and no marks. */
const turnMarksMax = 60;
const hostMarksMax = 60;

const orderNote = "Doubtful steps stand first, then those that are open, dropped and done.";

const statusNames: Readonly<Record<StepChange["status"], string>> = {
  pending: "pending",
  in_progress: "in progress",
  completed: "completed",
  cancelled: "cancelled",
  blocked: "blocked",
  gone: "dropped",
};

/** The result is empty if the plan never had a step, and nobody says why. `reader` is the same each time, for this history. */
export function stepsView(model: Model, reader: StepReader): HTMLElement[] {
  reader.read(model.events.slice(reader.position));
  const { histories } = reader;
  const reason = model.data.client?.noChecklist;
  if (histories.length === 0 && reason === undefined) return [];
  const axis = axisOf(model);
  const steps = histories.map((history) => stepOf(history, model.data.doubtful)).sort(byStory);
  const names = ["step", "over time", "begun", "what became of it"];
  const drawn =
    histories.length === 0
      ? [element("p", { class: "empty" }, ...foreign(reason ?? ""))]
      : [
          ...(steps.length > 1 ? [element("p", { class: "note" }, orderNote)] : []),
          longTable("What became of each step", names, steps, (step) => stepRow(model, axis, step)),
          legend(axis),
        ];
  return [
    element(
      "section",
      { class: "steps", id: "steps", "aria-labelledby": "steps-title", tabindex: -1 },
      element("h2", { id: "steps-title" }, "Steps"),
      ...drawn,
      ...marksList(model),
    ),
  ];
}

interface Axis {
  /** The place is a percentage of the width. */
  readonly place: (position: number) => number;
  /** How many events had happened when a turn began. */
  readonly turns: readonly number[];
  readonly marks: readonly Mark[];
}

function axisOf({ events, marks }: Model): Axis {
  const began = events.flatMap(({ turn }, index) => (index > 0 && turn !== events[index - 1]?.turn ? [index] : []));
  return {
    place: (position) => (events.length === 0 ? 0 : (position / events.length) * 100),
    turns: began.length > turnMarksMax ? [] : began,
    marks: marks.filter(({ marker }) => marker === "compaction" || marker === "branch").slice(0, hostMarksMax),
  };
}

function stepRow(model: Model, axis: Axis, { history, doubts, end }: Step): HTMLElement {
  const { text, id, changes } = history;
  const begun = changes.find(({ status }) => status === "in_progress");
  return element(
    "tr",
    {},
    element(
      "th",
      { scope: "row", dir: "auto" },
      ...foreign(id === undefined ? text : `#${id} ${text}`),
      ...doubts.map((doubt) => element("span", { class: "doubt" }, `doubtful: ${doubtText(doubt)}`)),
    ),
    element("td", { class: "track-cell" }, track(axis, changes)),
    element("td", { "data-label": "begun" }, begun === undefined ? "never" : place(model, begun)),
    element("td", {}, ...endText(model, end)),
  );
}

function doubtText({ doubt, compactions = 0 }: DoubtfulStep): string {
  switch (doubt) {
    case "no work":
      return "no tool was called since it was begun";
    case "never begun":
      return "it never was in progress";
    case "left in progress":
      return compactions === 0
        ? "never touched again"
        : `never touched again, across ${compactions === 1 ? "a compaction" : `${compactions} compactions`}`;
  }
}

function endText(model: Model, end: StepChange | undefined): (HTMLElement | string)[] {
  if (end === undefined) return [];
  const badge = { completed: "good", gone: "replaced", cancelled: "", pending: "", in_progress: "", blocked: "" }[
    end.status
  ];
  const said = element("span", { class: `badge ${badge}` }, `${isOpen(end) ? "still " : ""}${statusNames[end.status]}`);
  return [said, " ", place(model, end)];
}

function place(model: Model, { recorded: { version, turn, at }, position }: StepChange): HTMLElement {
  return element(
    "span",
    { class: "place", title: timeText(at) },
    button(`v${version}`, () => model.go(position), { "aria-label": `v${version}: go to version ${version}` }),
    ` turn ${turn}`,
  );
}

/** A track is not wider in pixels; of more changes than that the last one in each column is drawn. */
const columnsMax = 300;

/** The table says the same in words. */
function track({ place, turns, marks }: Axis, changes: readonly StepChange[]): HTMLElement {
  const drawn = changes.length <= columnsMax ? changes : lastInColumns(changes, place);
  const parts = drawn.map(({ status, position }, index) => {
    const start = place(position - 1);
    const next = drawn[index + 1];
    return placed(
      "track-part",
      { "data-status": status },
      start,
      (next === undefined ? 100 : place(next.position - 1)) - start,
    );
  });
  return element(
    "div",
    { class: "track", "aria-hidden": "true" },
    ...parts,
    ...turns.map((position) => placed("track-turn", {}, place(position))),
    ...marks.map(({ marker, position }) => placed("track-mark", { "data-marker": marker }, place(position))),
  );
}

function lastInColumns(changes: readonly StepChange[], place: Axis["place"]): StepChange[] {
  const columns = new Map<number, StepChange>();
  for (const change of changes) columns.set(Math.floor((place(change.position - 1) / 100) * columnsMax), change);
  const last = [...columns.values()];
  return last.filter(({ status }, index) => status !== last[index - 1]?.status);
}

function placed(name: string, attributes: Record<string, string>, start: number, width?: number): HTMLElement {
  const made = element("span", { class: name, ...attributes });
  made.style.insetInlineStart = `${start}%`;
  if (width !== undefined) made.style.width = `${width}%`;
  return made;
}

function legend({ turns, marks }: Axis): HTMLElement {
  const shown: readonly StepChange["status"][] = ["pending", "in_progress", "completed", "blocked", "cancelled"];
  const sample = (name: string, attributes: Record<string, string>, text: string): HTMLElement =>
    element("li", {}, element("span", { class: `sample ${name}`, ...attributes }), text);
  return element(
    "ul",
    { class: "legend", "aria-hidden": "true" },
    ...shown.map((status) => sample("track-part", { "data-status": status }, statusNames[status])),
    ...(turns.length === 0 ? [] : [sample("track-turn", {}, "a turn begins")]),
    ...(marks.some(({ marker }) => marker === "compaction")
      ? [sample("track-mark", { "data-marker": "compaction" }, markerTitles.compaction)]
      : []),
    ...(marks.some(({ marker }) => marker === "branch")
      ? [sample("track-mark", { "data-marker": "branch" }, markerTitles.branch)]
      : []),
  );
}

function marksList(model: Model): HTMLElement[] {
  const marks = [...model.marks].reverse();
  if (marks.length === 0) return [];
  const row = ({ marker, at, detail, position }: Mark): HTMLElement => {
    const event = model.events[position - 1];
    const version = event?.version ?? 0;
    return element(
      "tr",
      {},
      element(
        "td",
        { "data-label": "after" },
        button(`v${version}`, () => model.go(position), { "aria-label": `v${version}: go to version ${version}` }),
      ),
      element("td", { "data-label": "turn" }, event === undefined ? "" : String(event.turn)),
      element("td", { class: "marker" }, markerTitles[marker]),
      element("td", { class: "wide", dir: "auto" }, ...foreign(detail)),
      element("td", { class: "time" }, at === undefined ? "" : timeText(at)),
    );
  };
  return [
    element("h3", {}, "What the host did in between"),
    ...(marks.length > 1 ? [element("p", { class: "note" }, "The newest stands first.")] : []),
    longTable("What the host did in between", ["after version", "turn", "what", "detail", "time"], marks, row),
  ];
}
