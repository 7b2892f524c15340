/** Everything that was refused or taken away, as a list that can be searched. */
import type { Loss } from "../../lost.ts";
import { unreadText } from "../../unread-text.ts";
import { button, element, excerpt, foreign } from "./dom.ts";
import { snippet, withHit } from "./hits.ts";
import type { Model } from "./model.ts";
import { appendInParts } from "./parts.ts";

const shownMax = 50;
const allReasons = "";

/** What of the losses is shown: "" is all of them. It outlives the panel, which is made anew as the history grows. */
export interface LossFilter {
  text: string;
  reason: string;
}

export function lossesPanel(model: Model, filter: LossFilter): HTMLElement {
  const section = element(
    "section",
    { class: "losses", id: "losses", "aria-labelledby": "losses-title", tabindex: -1 },
    element("h2", { id: "losses-title" }, "Refused and taken away"),
  );
  // The newest losses come first, because they are looked for most.
  const losses = [...(model.losses ?? [])].sort((one, other) => other.version - one.version);
  if (losses.length === 0) {
    const said =
      model.losses === undefined ? "Reading the history…" : "Nothing was refused, cut, overwritten or left undone.";
    section.append(element("p", { class: "empty" }, said));
    return section;
  }
  const list = element("ol", { class: "loss-list" });
  const count = element("p", { class: "search-count", role: "status" });
  const text = element("input", { type: "search", id: "losses-text", autocomplete: "off", spellcheck: "false" });
  const reason = element("select", { id: "losses-reason" }, ...reasonOptions(losses));
  text.value = filter.text;
  reason.value = filter.reason;
  const draw = (): void => {
    filter.text = text.value;
    filter.reason = reason.value;
    const wanted = text.value.trim().toLowerCase();
    const found = losses.filter(
      (loss) => (reason.value === allReasons || reason.value === loss.reason) && fieldsOf(loss).includes(wanted),
    );
    const isFiltered = wanted !== "" || reason.value !== allReasons;
    count.textContent = isFiltered
      ? `${found.length.toLocaleString("en")} of ${losses.length.toLocaleString("en")} found`
      : "";
    list.replaceChildren();
    appendInParts(
      list,
      found,
      shownMax,
      (loss) => lossItem(model, loss, wanted),
      (more) => element("li", {}, more),
    );
  };
  text.addEventListener("input", draw);
  reason.addEventListener("change", draw);
  draw();
  addEventListener(
    "beforeprint",
    () => {
      for (const details of list.querySelectorAll("details")) details.open = true;
    },
    { signal: model.signal },
  );
  section.append(
    losses.length > 1 ? element("p", { class: "note" }, "The newest stands first.") : "",
    element(
      "div",
      { class: "filters" },
      element("div", { class: "filter" }, element("label", { for: text.id }, "Search what was lost"), text),
      element("div", { class: "filter" }, element("label", { for: reason.id }, "What became of it"), reason),
    ),
    count,
    list,
  );
  return section;
}

function reasonOptions(losses: readonly Loss[]): HTMLElement[] {
  const counts = new Map<string, number>();
  for (const { reason } of losses) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [
    element("option", { value: allReasons }, "all"),
    ...[...counts].map(([reason, count]) => element("option", { value: reason }, `${reason} (${count})`)),
  ];
}

function fieldsOf({ version, turn, actor, author = "", reason, source, space, key = "", text }: Loss): string {
  const origin = source === undefined ? "" : `source:${source}`;
  return [`v${version}`, `t${turn}`, actor, author, reason, origin, space, key, text].join("\n").toLowerCase();
}

/** The result names the author, if somebody else took it. */
export function ofAuthor({ author, actor }: Loss): (string | HTMLElement)[] {
  return author === undefined || author === actor ? [] : [" of ", element("bdi", {}, ...foreign(author))];
}

/** The result is the text, or what stands for it. */
export function lossText(loss: Loss): string {
  return unreadText(loss) ?? loss.text;
}

function lossItem(model: Model, loss: Loss, wanted: string): HTMLElement {
  const { version, turn, actor, reason, source, space, key } = loss;
  const text = lossText(loss);
  const isShort = text.length <= 160 && !text.includes("\n");
  const whole = element("pre", { dir: "auto" }, ...withHit(text, wanted));
  const summary = wanted === "" ? foreign(excerpt(text, 140)) : snippet(text, wanted);
  return element(
    "li",
    { class: "loss" },
    element(
      "p",
      { class: "loss-facts" },
      button(`v${version}`, () => model.go(model.positionOf(version)), {
        "aria-label": `v${version}: go to version ${version}, turn ${turn}`,
      }),
      element("span", { class: `badge ${reason}` }, reason),
      element("span", {}, space, ...(key === undefined ? [] : [" ", element("bdi", {}, ...foreign(key))])),
      element("span", {}, ...ofAuthor(loss), " by ", element("bdi", {}, ...foreign(actor))),
      source === undefined ? undefined : element("span", {}, "from ", element("bdi", {}, ...foreign(source))),
    ),
    isShort ? whole : element("details", {}, element("summary", { dir: "auto" }, ...summary), whole),
  );
}
