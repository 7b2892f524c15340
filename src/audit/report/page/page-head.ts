/** The head of the page: whose record it is, what is in it, and whether it is sound. */
import { planProgress } from "../../steps.ts";
import { countOf } from "../../verify/finding.ts";
import { counted, element, excerpt, foreign, jump } from "./dom.ts";
import { type Model, timeText } from "./model.ts";

/** `isLive`: it is kept up, and was made at no time. */
export function pageHead(model: Model, isLive: boolean): HTMLElement {
  const { title, session, generatedAt, asked, omitted = [] } = model.data;
  const [first, last] = [model.events[0], model.events.at(-1)];
  const turns = model.data.client?.turns ?? (model.data.turns || new Set(model.events.map(({ turn }) => turn)).size);
  const refused = model.events.filter(({ event }) => event.type === "action.refused").length;
  const { awaited, count } = model;
  const counts = [
    counted(count.all, "event"),
    counted(turns, "turn"),
    ...(refused === 0 || awaited > 0 ? [] : [counted(refused, "refusal")]),
    ...(model.losses === undefined ? [] : [jump(counted(model.losses.length, "loss", "losses"), "losses")]),
    ...stepsDone(model).map((done) => jump(done, "steps")),
  ];
  return element(
    "header",
    { class: "page-head" },
    element(
      "p",
      { class: "kicker" },
      isLive ? "Scratchpad" : "Scratchpad audit",
      ...(asked === undefined ? [] : [" · ", element("bdi", {}, ...foreign(title))]),
    ),
    element(
      "h1",
      { dir: "auto", class: asked === undefined ? undefined : "asked" },
      ...foreign(asked === undefined ? title : excerpt(asked)),
    ),
    element(
      "p",
      { class: "facts" },
      element("span", {}, ...counts.flatMap((each, index) => (index === 0 ? [each] : [" · ", each]))),
      first === undefined || last === undefined || awaited > 0
        ? undefined
        : element("span", {}, ...rangeText(first.at, last.at).flatMap((end) => [" ", end])),
    ),
    ...[...leftOutText(model), ...omitted].map((text) => element("p", { class: "facts omitted" }, text)),
    element(
      "p",
      { class: "facts" },
      verdict(model, isLive),
      ...clientFacts(model),
      session === undefined || session === title
        ? undefined
        : element("span", {}, "session ", element("bdi", { class: "mono" }, ...foreign(session))),
      isLive ? undefined : element("span", {}, `made ${timeText(generatedAt)}`),
    ),
  );
}

function leftOutText({ count: { shown, all } }: Model): string[] {
  if (shown === all) return [];
  const [newest, every] = [shown, all].map((each) => each.toLocaleString("en"));
  return [
    `The newest ${newest} of ${every} events are shown; refusals and losses are counted among them. The first event here stands for all before them, which session-journal log lists.`,
  ];
}

/** If all is of one day, the date is said once. A time is not broken, but the range may be. */
function rangeText(first: string, last: string): HTMLElement[] {
  const [from, to] = [timeText(first), timeText(last)];
  const isOneDay = from.endsWith(" UTC") && from.slice(0, 11) === to.slice(0, 11);
  const ends = from === to ? [from] : isOneDay ? [`${from.slice(0, -4)} –`, to.slice(11)] : [`${from} –`, to];
  return ends.map((end) => element("span", { class: "time" }, end));
}

/** The facts say whose session it is. A session of our own has the models that the host says. */
function clientFacts({ data: { client }, marks }: Model): HTMLElement[] {
  const modelsSeen = marks.flatMap(({ marker, detail }) => (marker === "model" && detail !== "" ? [detail] : []));
  const { title, versions = [], models = [...new Set(modelsSeen)], cwd, parentSession, agents = [] } = client ?? {};
  const facts = [
    ...(title === undefined ? [] : [[title, ...versions].join(" ")]),
    ...(models.length === 0 ? [] : [`${models.length === 1 ? "model" : "models"} ${models.join(", ")}`]),
    ...(cwd === undefined ? [] : [`in ${cwd}`]),
    ...(parentSession === undefined ? [] : [`subagent of session ${parentSession}`]),
    ...(agents.length === 0 ? [] : [`subagents ${agents.join(", ")}`]),
  ];
  return facts.map((fact) => element("bdi", { class: "client" }, ...foreign(fact)));
}

function stepsDone({ events, travel }: Model): string[] {
  const { done, total } = planProgress(travel(events.length).state.plan);
  return total === 0 ? [] : [`${done} of ${total} steps done`];
}

function verdict({ data: { verification, client } }: Model, isLive: boolean): HTMLElement {
  if (verification === undefined)
    return jump(isLive ? "being verified…" : "not verified", "verification", { class: "badge" });
  const damage = countOf(verification, ({ severity }) => severity === "damage");
  if (!verification.ok) return jump(`${counted(damage, "finding")} of damage`, "verification", { class: "badge bad" });
  // Where there is no chain of hashes, nothing speaks for the record.
  return client === undefined
    ? jump("verified, no damage", "verification", { class: "badge good" })
    : jump("no damage found", "verification", { class: "badge" });
}
