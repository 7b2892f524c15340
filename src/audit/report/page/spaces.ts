/** The scratchpad at the version that is looked at, with what changed. */
import { type AuthoredLines, type Authorship, noLines } from "../../blame.ts";
import { blameCard } from "./blame-card.ts";
import { element, foreign, oncePerFrame, putChildren, unseen } from "./dom.ts";
import { takenAway } from "./event-panel.ts";
import { linesView, unfold } from "./lines-view.ts";
import { type Model, timeText } from "./model.ts";

interface Part {
  readonly title: string;
  readonly key?: string;
  readonly note?: string;
  readonly before: AuthoredLines;
  readonly after: AuthoredLines;
  /** A lasting space has a place of its own even when it is empty. */
  readonly lasting: boolean;
}

/** Which changes are marked: `choice` asks for it, `view` shows them. */
export function spacesView(model: Model): { readonly choice: HTMLElement; readonly view: HTMLElement } {
  const cards = element("div", { class: "spaces" });
  const since = sinceChoice(() => draw());
  const shown = new Map<string, { readonly part: Part; readonly card: HTMLElement }>();

  const draw = (): void => {
    const position = model.position();
    const base = since.turn() ? model.turnStart(position) : Math.max(position - 1, 0);
    const parts = partsOf(model.travel(base), model.travel(position));
    const names = new Set<string>();
    const cardOf = (part: Part): HTMLElement => {
      const name = `${part.title} ${part.key ?? ""}`;
      names.add(name);
      const last = shown.get(name);
      const card = last !== undefined && isSame(last.part, part) ? last.card : partCard(model, part);
      shown.set(name, { part, card });
      return card;
    };
    const changed = parts.filter(isChanged).map(cardOf);
    const others = parts.filter((part) => !isChanged(part)).map(cardOf);
    for (const name of shown.keys()) if (!names.has(name)) shown.delete(name);
    putChildren(cards, [...changed, ...takenAway(model), ...others]);
  };
  model.onMove(oncePerFrame(draw));
  draw();
  addEventListener("beforeprint", () => unfold(cards, ""), { signal: model.signal });
  const view = element(
    "section",
    { class: "scratchpad", id: "scratchpad", "aria-label": "Scratchpad", tabindex: -1 },
    cards,
    blameCard(cards, model.signal),
  );
  return { choice: since.fieldset, view };
}

function sinceChoice(changed: () => void): { fieldset: HTMLElement; turn: () => boolean } {
  const option = (value: string, label: string, checked: boolean): [HTMLInputElement, HTMLElement] => {
    const input = element("input", { type: "radio", name: "since", value, checked });
    input.addEventListener("change", changed);
    return [input, element("label", {}, input, element("span", {}, label))];
  };
  const [, event] = option("event", "this event", true);
  const [turnInput, turn] = option("turn", "this turn", false);
  const fieldset = element("fieldset", { class: "since" }, element("legend", {}, "Changes of"), event, turn);
  return { fieldset, turn: () => turnInput.checked };
}

function isChanged({ before, after }: Part): boolean {
  return before !== after && before.lines.join("\n") !== after.lines.join("\n");
}

function partsOf(before: Authorship, after: Authorship): Part[] {
  const { notes, plan, refs } = after;
  const keyed = (title: string, space: "entries" | "sections", note: (key: string) => string | undefined): Part[] => {
    const keys = new Set([...before[space].keys(), ...after[space].keys()]);
    return [...keys].sort().map((key) => {
      const texts = { before: before[space].get(key) ?? noLines, after: after[space].get(key) ?? noLines };
      const said = note(key);
      return { title, key, lasting: false, ...texts, ...(said === undefined ? {} : { note: said }) };
    });
  };
  return [
    { title: "Notes", lasting: true, before: before.notes, after: notes },
    { title: "Plan", lasting: true, before: before.plan, after: plan },
    { title: "Refs", lasting: true, before: before.refs, after: refs },
    ...keyed("Entry", "entries", (key) => leaseNote(after, key)),
    ...keyed("Section", "sections", (name) => sectionNote(after, name)),
  ];
}

function leaseNote({ state }: Authorship, key: string): string | undefined {
  const lease = state.leases[key];
  return lease && `held by ${lease.holder} until ${timeText(lease.until)}`;
}

function sectionNote({ state }: Authorship, name: string): string | undefined {
  const section = state.sections[name];
  if (section === undefined) return undefined;
  const life = section.ttlMinutes === undefined ? "" : `, for ${section.ttlMinutes} minutes`;
  return `written ${timeText(section.at)}${life}`;
}

function isSame(last: Part, next: Part): boolean {
  return last.before === next.before && last.after === next.after && last.note === next.note;
}

function partCard(model: Model, { title, key, note, before, after, lasting }: Part): HTMLElement {
  const { list, added, removed } = linesView(before, after, (author) => model.go(model.positionOf(author.version)));
  const gone = !lasting && after.lines.length === 0;
  const empty = after.lines.length === 0 && removed === 0;
  return element(
    "article",
    { class: "space", "data-space": title.toLowerCase(), "data-changed": added + removed > 0 },
    element(
      "header",
      {},
      element("h3", {}, title, ...(key === undefined ? [] : [" ", element("bdi", { class: "key" }, ...foreign(key))])),
      gone ? element("span", { class: "badge refused" }, "gone") : undefined,
      note === undefined ? undefined : element("span", { class: "note" }, ...foreign(note)),
      empty ? element("span", { class: "note" }, "empty") : undefined,
      changeCount(added, removed),
    ),
    empty ? undefined : list,
  );
}

function changeCount(added: number, removed: number): HTMLElement | undefined {
  if (added + removed === 0) return undefined;
  return element(
    "span",
    { class: "count" },
    added === 0 ? undefined : element("span", { class: "plus" }, `+${added}`, unseen(" lines added")),
    added === 0 || removed === 0 ? undefined : " ",
    removed === 0 ? undefined : element("span", { class: "minus" }, `−${removed}`, unseen(" lines removed")),
  );
}
