/** The list of sessions: who works, how far the plan is, when it changed last. The newest stands on top. */

import { childrenAmong, inFamilies } from "../families.ts";
import type { ListedSession, ListNews } from "../listed-session.ts";
import { button, element, foreign, oncePerFrame, putChildren } from "./dom.ts";
import { feed } from "./feed.ts";
import { nearWindow } from "./near-window.ts";
import { SessionRow } from "./session-row.ts";

export interface SessionsView {
  readonly title: string;
  readonly list: HTMLElement;
  /** This is called once all are known. If there is one alone, it gets its key. */
  readonly onWhole: (whole: (only: string | undefined) => void) => void;
  /** Called now, and whenever the list has changed, with how many there are. */
  readonly onCount: (counted: (count: number) => void, signal: AbortSignal) => void;
}

const timesEveryMs = 10_000;

export function sessionsView(): SessionsView {
  const { title } = document;
  const rows = new Map<string, SessionRow>();
  const filters = new Filters(() => draw());
  const count = element("p", { class: "facts", role: "status" }, "Looking for sessions…");
  const list = element("ul", { class: "sessions" });
  const nothing = element("p", { class: "empty no-sessions" });
  const whole: ((only: string | undefined) => void)[] = [];
  const counts = new Set<(count: number) => void>();
  const fillNearWindow = nearWindow<SessionRow>((row) => row.fill());
  let isWhole = false;
  let isLive = true;

  const draw = oncePerFrame(() => {
    const sorted = [...rows.values()].sort((one, other) => byTime(one.session, other.session));
    const listed = sorted.map(({ session }) => session);
    const wanted = listed.filter((session) => filters.wants(session));
    const isChild = childrenAmong(wanted);
    const shown = inFamilies(wanted).flatMap((session) => rows.get(session.key) ?? []);
    for (const row of shown) row.isChild = isChild(row.session);
    filters.offer(listed);
    count.textContent = [
      `${shown.length.toLocaleString("en")} of ${sorted.length.toLocaleString("en")} sessions`,
      ...(isWhole ? [] : ["still reading…"]),
      ...(isLive ? [] : ["connection lost"]),
    ].join(" · ");
    putChildren(
      list,
      shown.map(({ item }) => item),
    );
    nothing.hidden = shown.length > 0 || !isWhole;
    nothing.replaceChildren(...(sorted.length === 0 ? [noneYet] : ["No session matches. ", filters.clear]));
    for (const heard of counts) heard(sorted.length);
  });
  feed(
    "/sessions",
    {},
    {
      sessions: (value) => {
        const news = value as ListNews;
        for (const session of news.rows) {
          const known = rows.get(session.key);
          known?.put(session);
          const row = known ?? new SessionRow(session);
          rows.set(session.key, row);
          fillNearWindow(row.item, row);
        }
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
    for (const row of rows.values()) row.showTime();
  }, timesEveryMs);
  return {
    title,
    list: element(
      "main",
      { class: "session-list" },
      element("header", { class: "page-head" }, element("h1", {}, title), count),
      filters.box,
      list,
      nothing,
    ),
    onWhole: (heard) => whole.push(heard),
    onCount: (heard, signal) => {
      counts.add(heard);
      signal.addEventListener("abort", () => counts.delete(heard), { once: true });
      heard(rows.size);
    },
  };
}

const noneYet = "There is no session here yet. One appears as soon as an agent has written something.";

function byTime({ at: one = "" }: ListedSession, { at: other = "" }: ListedSession): number {
  return one === other ? 0 : one < other ? 1 : -1;
}

class Filters {
  readonly box: HTMLElement;
  /** Shows all again. */
  readonly clear: HTMLElement;
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
    this.clear = button("Show all", () => {
      this.#text.value = "";
      for (const select of [this.#client, this.#folder]) select.value = "";
      changed();
    });
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
