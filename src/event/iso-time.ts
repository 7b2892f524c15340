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

const internetTime = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** A runtime may write a time that is none by RFC 3339, such as a date alone, and tools of others take no other. */
export function internetTimeOf(time: string): string {
  const day = time.slice(0, "2026-01-01".length);
  // JavaScript also takes the 30th of February.
  const isOne = internetTime.test(time) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
  return isOne ? time : new Date(time).toISOString();
}
