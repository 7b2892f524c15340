/** Values as people read them. */

/** An ISO time for people: in UTC, to the second. What is no time is shown as it stands. */
export function shortTime(at: string): string {
  const time = Date.parse(at);
  return Number.isNaN(time) ? at : `${new Date(time).toISOString().slice(0, 19).replace("T", " ")}Z`;
}

export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
