/** Icons are drawn, so that none depends on which characters the fonts of a system have. */

const paths = {
  first: "M3.5 3v10M12.5 3l-5 5 5 5",
  turnBack: "M8 3 3 8l5 5M13 3 8 8l5 5",
  back: "M10.5 3l-5 5 5 5",
  on: "M5.5 3l5 5-5 5",
  turnOn: "M3 3l5 5-5 5M8 3l5 5-5 5",
  last: "M3.5 3l5 5-5 5M12.5 3v10",
  close: "M4 4l8 8M12 4l-8 8",
} as const;

export type IconName = keyof typeof paths;

const svgNamespace = "http://www.w3.org/2000/svg";

/** Without a name of its own: what it stands in has one. */
export function icon(name: IconName): SVGSVGElement {
  return drawing({ class: "icon", viewBox: "0 0 16 16" }, paths[name]);
}

/** This draws a picture of paths, each of which is an element. */
export function drawing(attributes: Readonly<Record<string, string>>, ...shapes: readonly string[]): SVGSVGElement {
  const svg = document.createElementNS(svgNamespace, "svg");
  for (const [name, value] of Object.entries({ ...attributes, "aria-hidden": "true" })) svg.setAttribute(name, value);
  for (const shape of shapes) {
    const path = document.createElementNS(svgNamespace, "path");
    path.setAttribute("d", shape);
    svg.append(path);
  }
  return svg;
}
