/** This is one session in the list. Most are never looked at: what a row says is made when it comes near the window. */
import type { ListedSession } from "../listed-session.ts";
import { counted, element, excerpt, foreign } from "./dom.ts";
import { timeText } from "./model.ts";

/** Many sessions begin with the same words. So much of an id tells them apart, also where the id begins with the time, and names the session on a command line. */
const idUnits = 13;
/** Whoever wrote within so long is at work. */
const workingMs = 60_000;

export class SessionRow {
  readonly item = element("li", { class: "session" });
  #session: ListedSession;
  #drawn: ListedSession | undefined;
  #link: HTMLElement | undefined;

  constructor(session: ListedSession) {
    this.#session = session;
  }

  get session(): ListedSession {
    return this.#session;
  }

  /** It is drawn when it is filled the next time. */
  put(session: ListedSession): void {
    this.#session = session;
  }

  /** Its parent stands above it. */
  set isChild(value: boolean) {
    if (value !== this.item.hasAttribute("data-child")) this.item.toggleAttribute("data-child", value);
  }

  /** The focus stays in it, if it was there. */
  fill(): void {
    if (this.#drawn === this.#session) return;
    this.#drawn = this.#session;
    if (this.#link === undefined) {
      this.#link = element("a", { href: `#s=${this.#session.key}` });
      this.item.append(this.#link);
    }
    this.#link.replaceChildren(...contentOf(this.#session));
    this.showTime();
  }

  showTime(): void {
    const time = this.item.querySelector("time");
    const { at } = this.#session;
    const age = Date.now() - Date.parse(at ?? "");
    this.item.classList.toggle("is-working", age < workingMs);
    const text = ageText(age);
    // Of thousands of rows few say something else: a text that is put anew is laid out anew.
    if (time === null || at === undefined || (time.textContent === text && time.dateTime === at)) return;
    time.setAttribute("datetime", at);
    time.title = timeText(at);
    time.textContent = text;
  }
}

function contentOf({
  title,
  clientVersion = "",
  where,
  session,
  folder,
  firstMessage = "",
  progress,
  turns,
  version,
  actor,
  parent,
}: ListedSession): HTMLElement[] {
  const name = firstMessage === "" ? (where.split(/[\\/]/).at(-1) ?? where) : firstMessage;
  return [
    element("span", { class: "session-name", dir: "auto" }, ...foreign(excerpt(name, 160))),
    element(
      "span",
      { class: "session-facts" },
      element("bdi", { class: "badge client-name" }, ...foreign(`${title} ${clientVersion}`.trim())),
      parent === undefined ? undefined : element("span", { class: "badge" }, "subagent"),
      element("span", { class: "badge good working" }, "at work"),
      element("time", {}),
      turns === undefined || turns === 0 ? undefined : element("span", {}, counted(turns, "turn")),
      version === undefined ? undefined : element("span", {}, counted(version, "event")),
      actor === undefined ? undefined : element("bdi", {}, "by ", ...foreign(actor)),
      folder === undefined ? undefined : element("bdi", { class: "mono" }, ...foreign(folder)),
      element("bdi", { class: "mono", title: session }, ...foreign(session.slice(0, idUnits))),
    ),
    ...(progress === undefined ? [] : [progressElement(progress)]),
  ];
}

function progressElement({ done, total, current }: NonNullable<ListedSession["progress"]>): HTMLElement {
  const bar = element("span", { class: "meter-bar", "aria-hidden": "true" }, element("span", { class: "meter-fill" }));
  const fill = bar.firstElementChild;
  if (fill instanceof HTMLElement) fill.style.width = `${total === 0 ? 0 : (done / total) * 100}%`;
  return element(
    "span",
    { class: "session-progress", "data-space": "plan" },
    bar,
    element(
      "span",
      { dir: "auto" },
      `${done} of ${total} steps done`,
      ...(current === undefined ? [] : [", now: ", ...foreign(excerpt(current, 80))]),
    ),
  );
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

function ageText(ageMs: number): string {
  const [unit, length] = units.find(([, unitMs]) => ageMs >= unitMs) ?? ["", 0];
  if (unit === "") return "just now";
  return `${counted(Math.floor(ageMs / length), unit)} ago`;
}
