/** Budget use over the whole history. The only file that names the plotting library. */
import uPlot from "uplot";
import type { Space } from "../../../action/actions.ts";
import { limitsWhen } from "../../../action/limits.ts";
import { limitOf } from "../usage.ts";
import { element, oncePerFrame } from "./dom.ts";
import { eventAt, type Model } from "./model.ts";

const plotted: readonly {
  readonly space: Space;
  readonly label: string;
  readonly unit: string;
  readonly dash: number[];
}[] = [
  { space: "notes", label: "Notes", unit: "chars", dash: [] },
  { space: "plan", label: "Plan", unit: "chars", dash: [8, 4] },
  { space: "refs", label: "Refs", unit: "items", dash: [2, 3] },
  { space: "entries", label: "Entries", unit: "bytes", dash: [10, 3, 2, 3] },
  { space: "sections", label: "Sections", unit: "sections", dash: [4, 6] },
];

const heightPx = 150;

export function budgetView(model: Model): HTMLElement {
  const frame = element("div", { class: "plot", role: "img", "aria-label": summary(model) });
  const meters = element("ul", { class: "meters" });
  const drawMeters = (): void => meters.replaceChildren(...plotted.map((series) => meter(model, series)));
  model.onMove(oncePerFrame(drawMeters));
  drawMeters();
  drawPlot(model, frame);
  return element(
    "section",
    { class: "budget", "aria-labelledby": "budget-title" },
    element("h2", { id: "budget-title" }, "Budget use"),
    frame,
    meters,
  );
}

/** The budget that the event at that position was decided under. */
function limitAt(model: Model, space: Space, position: number): number {
  return limitOf(space, limitsWhen(eventAt(model, position) ?? {}, model.data.limits));
}

function percent(model: Model, space: Space, position: number): number {
  const limit = limitAt(model, space, position);
  const used = model.usages[position]?.[space] ?? 0;
  return limit === 0 ? (used === 0 ? 0 : 100) : (used / limit) * 100;
}

function meter(model: Model, { space, label, unit }: (typeof plotted)[number]): HTMLElement {
  const used = model.usages[model.position()]?.[space] ?? 0;
  const limit = limitAt(model, space, model.position());
  const share = percent(model, space, model.position());
  const bar = element("span", { class: "meter-bar", "aria-hidden": "true" }, element("span", { class: "meter-fill" }));
  const fill = bar.firstElementChild;
  if (fill instanceof HTMLElement) fill.style.width = `${Math.min(share, 100)}%`;
  return element(
    "li",
    { "data-space": space, "data-over": used > limit },
    element("span", { class: "meter-name" }, label),
    bar,
    element("span", { class: "meter-text" }, `${used.toLocaleString("en")} of ${limit.toLocaleString("en")} ${unit}`),
    used > limit ? element("span", { class: "badge refused" }, "over") : undefined,
  );
}

function summary(model: Model): string {
  const peaks = plotted.map(({ space, label }) => {
    let peak = 0;
    for (let position = 1; position <= model.events.length; position++) {
      if (percent(model, space, position) > percent(model, space, peak)) peak = position;
    }
    const version = model.events[peak - 1]?.version ?? 0;
    return `${label} at most ${Math.round(percent(model, space, peak))} percent, in version ${version}`;
  });
  return `Budget use over the versions. ${peaks.join("; ")}.`;
}

function drawPlot(model: Model, frame: HTMLElement): void {
  const positions = model.usages.map((_, position) => position);
  const values = plotted.map(({ space }) => positions.map((position) => percent(model, space, position)));
  const here = element("span", { class: "here" });
  const stand = (drawn: uPlot): void => {
    here.style.translate = `${drawn.valToPos(model.position(), "x")}px`;
  };
  let plot: uPlot | undefined;
  const draw = (): void => {
    plot?.destroy();
    plot = new uPlot(optionsFor(model, frame, stand), [positions, ...values], frame);
    plot.over.append(here);
  };
  new ResizeObserver(() => {
    if (plot === undefined) draw();
    else if (frame.clientWidth !== plot.width) plot.setSize({ width: frame.clientWidth, height: heightPx });
  }).observe(frame);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw, { signal: model.signal });
  model.onMove(() => {
    if (plot !== undefined) stand(plot);
  });
  frame.addEventListener("click", (clicked) => {
    if (plot === undefined) return;
    const left = clicked.clientX - plot.over.getBoundingClientRect().left;
    model.go(plot.posToVal(left, "x"));
  });
}

function optionsFor(model: Model, frame: HTMLElement, drawn: (plot: uPlot) => void): uPlot.Options {
  const color = (name: string): string => getComputedStyle(frame).getPropertyValue(name).trim();
  const font = `12px ${getComputedStyle(frame).fontFamily}`;
  const axis = { stroke: color("--muted"), font, grid: { stroke: color("--line"), width: 1 }, ticks: { show: false } };
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  return {
    width: frame.clientWidth,
    height: heightPx,
    padding: [10, 24, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(100, most * 1.05)] } },
    axes: [
      { ...axis, size: 28, values: (_, at) => at.map((position) => versionLabel(model, position)) },
      { ...axis, size: 44, values: (_, at) => at.map((share) => `${share}%`) },
    ],
    series: [
      {},
      ...plotted.map(({ space, label, dash }) => ({
        label,
        stroke: color(`--${space}`),
        width: 1.75,
        dash,
        points: { show: false },
        ...(stepped === undefined ? {} : { paths: stepped }),
      })),
    ],
    hooks: { draw: [(plot) => drawMarks(model, plot, color), drawn] },
  };
}

function versionLabel(model: Model, position: number): string {
  return Number.isInteger(position) ? `v${model.events[position - 1]?.version ?? 0}` : "";
}

/** Refusals as ticks on the ground, and the full budget as a line. */
function drawMarks(model: Model, plot: uPlot, color: (name: string) => string): void {
  const { ctx } = plot;
  const { top, height, left, width } = plot.bbox;
  const x = (position: number): number => plot.valToPos(position, "x", true);
  const stroke = (name: string, lineWidth: number, from: [number, number], to: [number, number]): void => {
    ctx.strokeStyle = color(name);
    ctx.lineWidth = lineWidth * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(...from);
    ctx.lineTo(...to);
    ctx.stroke();
  };
  ctx.save();
  ctx.setLineDash([]);
  const full = plot.valToPos(100, "y", true);
  stroke("--muted", 0.75, [left, full], [left + width, full]);
  const ground = top + height;
  for (const [index, { event }] of model.events.entries()) {
    if (event.type === "action.refused")
      stroke("--warn", 2, [x(index + 1), ground], [x(index + 1), ground - height / 12]);
  }
  ctx.restore();
}
