/** Values as people read them. */

/** As our lines write it: taken as it is, because the first date that is printed makes Node load its time zones. */
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** An ISO time for people: in UTC, to the second. What is no time is shown as it stands. */
export function shortTime(at: string): string {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return at;
  const iso = isoTime.test(at) ? at : new Date(time).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}Z`;
}

export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
