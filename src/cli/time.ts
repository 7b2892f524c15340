/** An ISO time for people: in UTC, to the second. What is no time is shown as it stands. */
export function shortTime(at: string): string {
  const time = Date.parse(at);
  return Number.isNaN(time) ? at : `${new Date(time).toISOString().slice(0, 19).replace("T", " ")}Z`;
}
