// From rounds to a figure, and from a figure to a verdict.

export function median(values) {
  return quantile(values, 0.5);
}

/** Linear between neighbours; `part` is from 0 to 1. NaN where there are no values. */
export function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return below === undefined ? Number.NaN : below + (above - below) * (place - Math.floor(place));
}

/** Jain's index: 1 where all have the same, 1 / n where one has everything. */
export function fairness(shares) {
  const sum = shares.reduce((total, share) => total + share, 0);
  const squares = shares.reduce((total, share) => total + share * share, 0);
  return sum ** 2 / (shares.length * squares);
}

/** `≥ 2 ×`, `≤ 300 ms`, `= 0`, or `a table`, which holds once it is there. */
export function verdictOf(gate, value) {
  if (gate === "a table") return Number.isNaN(value) ? "missed" : "holds";
  const [, sign, limit] = /^([≤≥=]) (\d+(?:\.\d+)?)(?: \D+)?$/.exec(gate) ?? [];
  if (sign === undefined) throw new TypeError(`no gate: ${gate}`);
  if (Number.isNaN(value)) return "missed";
  const isHeld = { "≤": value <= Number(limit), "≥": value >= Number(limit), "=": value === Number(limit) }[sign];
  return isHeld ? "holds" : "missed";
}

/** The unit of a gate, for the value beside it. */
export function withUnit(gate, value) {
  const unit = /^[≤≥=] [\d.]+( \D+)?$/.exec(gate)?.[1] ?? "";
  return `${unit === " ms" || unit === " s" ? milliseconds(value) : value.toFixed(Number.isInteger(value) ? 0 : 2)}${unit}`;
}

export function milliseconds(value) {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}
