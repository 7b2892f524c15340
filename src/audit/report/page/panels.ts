/** The head of the page, the event that is looked at, what was taken away, and what verification found. */
import type { RecordedEvent } from "../../../event/event.ts";
import type { Loss } from "../../lost.ts";
import { planProgress } from "../../steps.ts";
import { describe } from "../describe.ts";
import { button, element, foreign, glance, oncePerFrame } from "./dom.ts";
import { eventAt, type Model, timeText } from "./model.ts";

const rowsMax = 100;

export function pageHead(model: Model): HTMLElement {
  const { title, session, generatedAt } = model.data;
  const [first, last] = [model.events[0], model.events.at(-1)];
  const turns = new Set(model.events.map(({ turn }) => turn)).size;
  const refused = model.events.filter(({ event }) => event.type === "action.refused").length;
  const counts = [
    counted(model.events.length, "event"),
    counted(turns, "turn"),
    counted(refused, "refusal"),
    counted(model.losses.length, "loss", "losses"),
    ...stepsDone(model),
  ];
  return element(
    "header",
    { class: "page-head" },
    element("p", { class: "kicker" }, "Scratchpad audit"),
    element("h1", { dir: "auto" }, ...foreign(title)),
    element(
      "p",
      { class: "facts" },
      counts.join(" · "),
      first === undefined || last === undefined ? "" : ` · ${timeText(first.at)} – ${timeText(last.at)}`,
    ),
    element(
      "p",
      { class: "facts" },
      verdict(model),
      session === undefined || session === title
        ? ""
        : element("bdi", { class: "mono" }, "session ", ...foreign(session)),
      element("span", {}, `made ${timeText(generatedAt)}`),
    ),
  );
}

function stepsDone({ events, travel }: Model): string[] {
  const { done, total } = planProgress(travel(events.length).state.plan);
  return total === 0 ? [] : [`${done} of ${total} steps done`];
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

function verdict({ data: { verification } }: Model): HTMLElement {
  if (verification === undefined) return element("a", { class: "badge", href: "#verification" }, "not verified");
  const damage = verification.findings.filter(({ severity }) => severity === "damage").length;
  return verification.ok
    ? element("a", { class: "badge good", href: "#verification" }, "✓ verified, no damage")
    : element("a", { class: "badge bad", href: "#verification" }, `✗ ${counted(damage, "finding")} of damage`);
}

export function eventPanel(model: Model): HTMLElement {
  const panel = element("section", { class: "event-panel", "aria-labelledby": "event-title" });
  const draw = (): void => panel.replaceChildren(...eventContent(model, eventAt(model, model.position())));
  model.onMove(oncePerFrame(draw));
  draw();
  return panel;
}

function eventContent(model: Model, recorded: RecordedEvent | undefined): HTMLElement[] {
  if (recorded === undefined) return [element("h2", { id: "event-title" }, "Before the first event")];
  const { title, text } = describe(recorded.event);
  const taken = model.losses.filter(({ version, reason }) => version === recorded.version && reason !== "unfinished");
  const { actor, origin, command, commit, entryId, offset } = recorded;
  const facts: [string, string | undefined][] = [
    ["by", actor],
    ["from", origin === "journal" ? undefined : `an outside writer (${origin})`],
    ["command", command],
    ["commit", commit],
    ["entry", entryId],
    ["byte", offset === undefined ? undefined : offset.toLocaleString("en")],
  ];
  const told = facts.flatMap(([name, value]) =>
    value === undefined
      ? []
      : [element("div", {}, element("dt", {}, name), element("dd", {}, element("bdi", {}, ...foreign(value))))],
  );
  return [
    element("h2", { id: "event-title", "data-refused": recorded.event.type === "action.refused" }, ...foreign(title)),
    ...(showsText(recorded) && text !== ""
      ? [element("p", { class: "event-said", dir: "auto" }, ...foreign(glance(text, 400)))]
      : []),
    ...taken.map((loss) =>
      element(
        "div",
        { class: "taken" },
        element("strong", {}, loss.reason, ...ofAuthor(loss)),
        element("pre", { dir: "auto" }, ...foreign(loss.text)),
      ),
    ),
    element("dl", { class: "event-facts" }, ...told),
  ];
}

/** What other events say stands in the scratchpad below, highlighted. */
function showsText({ event }: RecordedEvent): boolean {
  return event.type === "session.forked" || event.type === "unknown" || event.type.startsWith("lease.");
}

export function lossesPanel(model: Model): HTMLElement {
  const rows = element("tbody");
  const show = (from: number): void => {
    rows.append(...model.losses.slice(from, from + rowsMax).map((loss) => lossRow(model, loss)));
    const end = from + rowsMax;
    if (model.losses.length <= end) return;
    const more = element("tr", {}, element("td", { colspan: 5 }));
    more.firstElementChild?.append(
      button(`Show ${Math.min(rowsMax, model.losses.length - end)} more of ${model.losses.length}`, () => {
        more.remove();
        show(end);
      }),
    );
    rows.append(more);
  };
  show(0);
  addEventListener("beforeprint", () => {
    for (const details of rows.querySelectorAll("details")) details.open = true;
  });
  const table = element(
    "div",
    { class: "table", role: "region", "aria-labelledby": "losses-title", tabindex: 0 },
    element("table", {}, heads("version", "what became of it", "by", "space", "text"), rows),
  );
  return element(
    "section",
    { class: "losses", "aria-labelledby": "losses-title" },
    element("h2", { id: "losses-title" }, "Refused and taken away"),
    model.losses.length === 0
      ? element("p", { class: "empty" }, "Nothing was refused, cut, overwritten or left undone.")
      : table,
  );
}

function heads(...names: string[]): HTMLElement {
  return element("thead", {}, element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name))));
}

/** Whose it was, where somebody else took it. */
function ofAuthor({ author, actor }: Loss): (string | HTMLElement)[] {
  return author === undefined || author === actor ? [] : [" of ", element("bdi", {}, ...foreign(author))];
}

function lossRow(model: Model, loss: Loss): HTMLElement {
  const { version, turn, actor, reason, space, key, text } = loss;
  const whole = element("pre", { dir: "auto" }, ...foreign(text));
  const short = text.length <= 160 && !text.includes("\n");
  const shown = short
    ? whole
    : element("details", {}, element("summary", { dir: "auto" }, ...foreign(glance(text, 100))), whole);
  const go = button(`v${version}`, () => model.go(model.positionOf(version)), {
    "aria-label": `Go to version ${version}, turn ${turn}`,
  });
  return element(
    "tr",
    {},
    element("td", {}, go),
    element("td", {}, element("span", { class: `badge ${reason}` }, reason), ...ofAuthor(loss)),
    element("td", {}, element("bdi", {}, ...foreign(actor))),
    element("td", {}, space, ...(key === undefined ? [] : [" ", element("bdi", {}, ...foreign(key))])),
    element("td", { class: "wide" }, shown),
  );
}

export function verificationPanel({ data: { verification } }: Model): HTMLElement {
  const section = element(
    "section",
    { class: "verification", id: "verification", "aria-labelledby": "verification-title" },
    element("h2", { id: "verification-title" }, "Verification"),
  );
  if (verification === undefined) {
    section.append(element("p", { class: "empty" }, "This report was made without verifying the record."));
    return section;
  }
  const { ok, findings, head } = verification;
  section.append(
    element(
      "p",
      { class: `verdict ${ok ? "good" : "bad"}` },
      ok ? "✓ No damage was found." : "✗ The record is damaged.",
    ),
    element(
      "p",
      { class: "note" },
      "A chain of hashes without a key shows what was changed by accident or without care; to prove more, compare the head with one that was kept elsewhere.",
    ),
  );
  section.append(element("p", {}, `Head at version ${head.version}: `, element("code", {}, ...foreign(head.hash))));
  if (findings.length > 0) {
    const rows = findings
      .slice(0, 1000)
      .map(({ kind, severity, line, offset, detail }) =>
        element(
          "tr",
          {},
          element("td", {}, element("span", { class: `badge ${severity === "damage" ? "bad" : ""}` }, severity)),
          element("td", {}, kind),
          element("td", { class: "number" }, String(line)),
          element("td", { class: "number" }, offset.toLocaleString("en")),
          element("td", { class: "wide", dir: "auto" }, ...foreign(detail)),
        ),
      );
    const table = element(
      "table",
      {},
      heads("severity", "finding", "line", "byte", "detail"),
      element("tbody", {}, ...rows),
    );
    section.append(
      element("div", { class: "table", role: "region", "aria-labelledby": "verification-title", tabindex: 0 }, table),
    );
  }
  return section;
}
