/** The page of a view: the list of sessions, or one of them, each kept up by the server. */
import { element } from "./dom.ts";
import { liveReport } from "./live-report.ts";
import { type SessionsView, sessionsView } from "./sessions-view.ts";

export function viewPage(): void {
  const stage = element("div", { class: "stage" });
  const sessions: SessionsView = sessionsView();
  document.body.append(stage);
  let shown: string | undefined;
  let leaving = new AbortController();
  const show = (): void => {
    const key = /^#s=([\w-]+)/.exec(location.hash)?.[1] ?? "";
    if (key === shown) return;
    shown = key;
    leaving.abort();
    leaving = new AbortController();
    if (key === "") {
      document.title = sessions.title;
      stage.replaceChildren(sessions.list);
    } else stage.replaceChildren(liveReport(key, sessions, leaving.signal));
    scrollTo(0, 0);
  };
  addEventListener("hashchange", show);
  // With a single session there is nothing to choose from.
  sessions.onWhole((only) => {
    if (only !== undefined && location.hash === "") location.replace(`#s=${only}`);
  });
  show();
}
