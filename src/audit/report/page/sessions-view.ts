/** The list of sessions: who works, how far the plan is, when it changed last. The newest stands on top. */
import type { ListedSession, ListNews } from "../listed-session.ts";
import { element, foreign, glance, oncePerFrame, putChildren } from "./dom.ts";
import { feed } from "./feed.ts";
import { timeText } from "./model.ts";

export interface SessionsView {
  readonly title: string;
  readonly list: HTMLElement;
  /** Called once all are known, with the key of the only one where there is one alone. */
  readonly onWhole: (whole: (only: string | undefined) => void) => void;
}

/** Whoever wrote within so long is at work. */
const workingMs = 60_000;
const timesEveryMs = 10_000;

export function sessionsView(): SessionsView {
  const { title } = document;
  const rows = new Map<string, { readonly session: ListedSession; readonly row: HTMLElement }>();
  const filters = new Filters(() => draw());
  const count = element("p", { class: "facts", role: "status" }, "Looking for sessions…");
  const list = element("ul", { class: "sessions" });
  const whole: ((only: string | undefined) => void)[] = [];
  let isWhole = false;
  let isLive = true;

  const draw = oncePerFrame(() => {
    const sorted = [...rows.values()].sort((one, other) => byTime(one.session, other.session));
    const shown = sorted.filter(({ session }) => filters.wants(session));
    filters.offer(sorted.map(({ session }) => session));
    count.textContent = [
      `${shown.length.toLocaleString("en")} of ${sorted.length.toLocaleString("en")} sessions`,
      ...(isWhole ? [] : ["still looking…"]),
      ...(isLive ? [] : ["connection lost"]),
    ].join(" · ");
    putChildren(
      list,
      shown.map(({ row }) => row),
    );
  });
  feed(
    "/sessions",
    {},
    {
      sessions: (value) => {
        const news = value as ListNews;
        for (const session of news.rows) rows.set(session.key, { session, row: sessionRow(session) });
        for (const key of news.gone) rows.delete(key);
        const ends = news.isWhole && !isWhole;
        isWhole = news.isWhole;
        draw();
        const [only] = rows.size === 1 ? rows.keys() : [];
        if (ends) for (const heard of whole) heard(only);
      },
      failed: (value) => count.replaceChildren(...foreign(String(value))),
    },
    (connected) => {
      isLive = connected;
      draw();
    },
  );
  setInterval(() => {
    for (const { session, row } of rows.values()) showTime(session, row);
  }, timesEveryMs);
  return {
    title,
    list: element(
      "main",
      { class: "session-list" },
      element("header", { class: "page-head" }, element("h1", {}, title), count),
      filters.box,
      list,
    ),
    onWhole: (heard) => whole.push(heard),
  };
}

function byTime({ at: one = "" }: ListedSession, { at: other = "" }: ListedSession): number {
  return one === other ? 0 : one < other ? 1 : -1;
}

class Filters {
  readonly box: HTMLElement;
  readonly #text = element("input", {
    type: "search",
    id: "filter",
    placeholder: "Text, id, path…",
    autocomplete: "off",
  });
  readonly #client = element("select", { id: "client" });
  readonly #folder = element("select", { id: "folder" });

  constructor(changed: () => void) {
    const labelled = (label: string, control: HTMLElement): HTMLElement =>
      element("div", { class: "filter" }, element("label", { for: control.id }, label), control);
    this.#text.addEventListener("input", changed);
    for (const select of [this.#client, this.#folder]) {
      select.append(element("option", { value: "" }, "all"));
      select.addEventListener("change", changed);
    }
    this.box = element(
      "div",
      { class: "filters", role: "search" },
      labelled("Find", this.#text),
      labelled("Client", this.#client),
      labelled("Folder", this.#folder),
    );
  }

  wants({ client, title, folder = "", where, session, firstMessage = "" }: ListedSession): boolean {
    const wanted = this.#text.value.trim().toLowerCase();
    if (this.#client.value !== "" && this.#client.value !== title) return false;
    if (this.#folder.value !== "" && this.#folder.value !== folder) return false;
    return [client, title, folder, where, session, firstMessage].join("\n").toLowerCase().includes(wanted);
  }

  offer(sessions: readonly ListedSession[]): void {
    offer(this.#client, new Set(sessions.map(({ title }) => title)));
    offer(this.#folder, new Set(sessions.map(({ folder = "" }) => folder).filter((folder) => folder !== "")));
  }
}

/** Only adds: what somebody is about to choose does not move away. */
function offer(select: HTMLSelectElement, values: ReadonlySet<string>): void {
  const known = new Set([...select.options].map(({ value }) => value));
  for (const value of [...values].sort()) {
    if (!known.has(value)) select.append(element("option", { value }, ...foreign(value).map(textIn)));
  }
}

/** An option holds text alone. */
function textIn(part: HTMLElement | string): string {
  return typeof part === "string" ? part : (part.textContent ?? "");
}

function sessionRow(session: ListedSession): HTMLElement {
  const {
    key,
    title,
    clientVersion = "",
    where,
    folder,
    firstMessage,
    progress,
    turns,
    version,
    actor,
    parent,
  } = session;
  const name =
    firstMessage === undefined || firstMessage === "" ? (where.split(/[\\/]/).at(-1) ?? where) : firstMessage;
  const row = element(
    "li",
    { class: "session", "data-child": parent !== undefined },
    element(
      "a",
      { href: `#s=${key}` },
      element("span", { class: "session-name", dir: "auto" }, ...foreign(glance(name, 160))),
      element(
        "span",
        { class: "session-facts" },
        element("bdi", { class: "badge client-name" }, ...foreign(`${title} ${clientVersion}`.trim())),
        parent === undefined ? undefined : element("span", { class: "badge" }, "subagent"),
        element("span", { class: "badge good working" }, "at work"),
        element("time", {}),
        turns === undefined ? undefined : element("span", {}, counted(turns, "turn")),
        version === undefined ? undefined : element("span", {}, counted(version, "event")),
        actor === undefined ? undefined : element("bdi", {}, "by ", ...foreign(actor)),
        folder === undefined ? undefined : element("bdi", { class: "mono" }, ...foreign(folder)),
      ),
      progress === undefined ? undefined : progressElement(progress),
    ),
  );
  showTime(session, row);
  return row;
}

function counted(count: number, one: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : `${one}s`}`;
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
      ...(current === undefined ? [] : [": ", ...foreign(glance(current, 80))]),
    ),
  );
}

function showTime({ at }: ListedSession, row: HTMLElement): void {
  const time = row.querySelector("time");
  const age = Date.now() - Date.parse(at ?? "");
  row.classList.toggle("is-working", age < workingMs);
  if (time === null || at === undefined) return;
  time.setAttribute("datetime", at);
  time.title = timeText(at);
  time.textContent = ageText(age);
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

function ageText(ageMs: number): string {
  const [unit, length] = units.find(([, unitMs]) => ageMs >= unitMs) ?? ["", 0];
  if (unit === "") return "just now";
  const count = Math.floor(ageMs / length);
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}
