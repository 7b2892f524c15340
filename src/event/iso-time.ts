let printedMs = Number.NaN;
let printed = "";

/** The time as ISO text. A commit, its lines and the next commit mostly fall into the same millisecond: it is printed once. */
export function isoTime(time: Date | number): string {
  const ms = typeof time === "number" ? time : time.getTime();
  if (ms !== printedMs) {
    printed = new Date(ms).toISOString();
    printedMs = ms;
  }
  return printed;
}

/** The newest text that was found to be a time. Those that are asked for one after the other are mostly alike. */
let newestTime = "";

export function isTime(text: unknown): text is string {
  if (typeof text !== "string") return false;
  if (text === newestTime) return text !== "";
  const isOne = !Number.isNaN(Date.parse(text));
  if (isOne) newestTime = text;
  return isOne;
}
