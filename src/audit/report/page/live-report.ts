/** This is the report of one session, which grows while the reader looks. */
import type { Version } from "../../../event/event.ts";
import { markerTitles } from "../../../event/marker.ts";
import { type PackedHistory, unpackHistory } from "../pack.ts";
import type { EarlierEvents, ReportData, ReportMark } from "../render.ts";
import { button, element, excerpt, foreign } from "./dom.ts";
import { feed } from "./feed.ts";
import { icon } from "./icons.ts";
import { type About, createModel, type LiveModel } from "./model.ts";
import { reportParts, skipLink } from "./report-parts.ts";
import type { SessionsView } from "./sessions-view.ts";

const noticesMax = 3;

export function liveReport(key: string, sessions: SessionsView, signal: AbortSignal): HTMLElement {
  const content = element("div", { class: "report" }, element("p", { class: "empty" }, "Reading the session…"));
  const state = element("span", { class: "badge", role: "status" }, "connecting");
  let model: LiveModel | undefined;
  let hasAbout = false;
  /** After a lost connection, everything is asked for anew. */
  let isAsked = true;
  let showing = new AbortController();
  const { notices, say } = noticeBoard((version) => model?.go(model.positionOf(version)));
  const close = feed(
    "/session",
    { key },
    {
      report: (value) => {
        showing.abort();
        showing = new AbortController();
        const data = value as ReportData;
        if (model !== undefined && !isAsked) say("The history was rewritten: this is what stands there now.");
        isAsked = false;
        hasAbout = false;
        model = createModel(data, AbortSignal.any([signal, showing.signal]));
        document.title = `${data.title} · session-journal`;
        content.replaceChildren(reportParts(model, `s=${key}&`));
      },
      earlier: (value) => {
        const { history, isLast } = value as EarlierEvents;
        model?.addEarlier(unpackHistory(history), isLast);
      },
      grown: (value) => {
        if (model === undefined) return;
        const before = model.events.length;
        model.grow(unpackHistory(value as PackedHistory));
        announceLosses(model, before, say);
      },
      about: (value) => {
        if (model === undefined) return;
        const { marks } = model;
        model.tell(value as About);
        // The first time it is nothing new.
        if (hasAbout) for (const mark of model.marks.slice(marks.length)) say(markText(mark));
        hasAbout = true;
      },
      failed: (value) => {
        state.textContent = "not shown";
        state.className = "badge bad";
        content.replaceChildren(element("p", { class: "empty" }, ...foreign(String(value))));
      },
    },
    (isLive) => {
      isAsked ||= !isLive;
      state.textContent = isLive ? "live" : "connection lost";
      state.className = `badge ${isLive ? "good" : "bad"}`;
    },
  );
  signal.addEventListener("abort", close, { once: true });
  return element(
    "div",
    { class: "one-session" },
    element("nav", { class: "view-bar", "aria-label": "View" }, skipLink(), backLink(sessions, signal), state),
    notices,
    content,
  );
}

/** It has the newest notices. `say` adds one, and `show` goes to its version, if it has one. */
function noticeBoard(show: (version: Version) => void) {
  const notices = element("div", { class: "notices", role: "status", "aria-live": "polite" });
  const say = (text: string, version?: Version): void => {
    const close = (): void => {
      const next = notice.nextElementSibling ?? notice.previousElementSibling;
      notice.remove();
      // Whoever came here by a key is not sent back to the top of the page.
      (next?.querySelector<HTMLElement>("button:last-child") ?? document.getElementById("version"))?.focus();
    };
    const plain = { class: "plain" };
    const dismiss = button(icon("close"), close, { ...plain, "aria-label": "Dismiss" });
    const more =
      version === undefined
        ? []
        : [button("Show", () => show(version), { ...plain, "aria-label": `Show v${version}` })];
    const notice = element("div", { class: "notice" }, element("p", {}, ...foreign(text)), ...more, dismiss);
    notices.append(notice);
    while (notices.childElementCount > noticesMax) oldestWithoutFocus(notices)?.remove();
  };
  return { notices, say };
}

function oldestWithoutFocus(notices: HTMLElement): Element | undefined {
  return [...notices.children].find((notice) => !notice.contains(document.activeElement));
}

/** The link is hidden if there is no other session to go to. */
function backLink({ title, onCount }: SessionsView, signal: AbortSignal): HTMLElement {
  const link = element("a", { href: "#" }, icon("back"), title);
  onCount((count) => {
    link.hidden = count < 2;
  }, signal);
  return link;
}

function markText({ marker, detail }: ReportMark): string {
  return detail === "" ? markerTitles[marker] : `${markerTitles[marker]}: ${excerpt(detail, 100)}`;
}

/** This announces what the new events took away. */
function announceLosses(model: LiveModel, before: number, say: (text: string, version: Version) => void): void {
  for (let position = before + 1; position <= model.events.length; position++) {
    for (const { version, reason, text } of model.lossesAt(position))
      say(`v${version} · ${reason}: ${excerpt(text, 100)}`, version);
  }
}
