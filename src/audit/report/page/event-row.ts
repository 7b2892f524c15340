/** One event in a list, as a button that leads to it. */

import { planProgress } from "../../steps.ts";
import { unreadText } from "../../unread-text.ts";
import { describe, searchFields } from "../describe.ts";
import { button, element, excerpt, foreign, unseen } from "./dom.ts";
import { snippet } from "./hits.ts";
import type { Model } from "./model.ts";

const textUnitsMax = 90;

/** `wanted`: what was searched, in lower case; where it was found is shown, and marked. */
export function eventRow(model: Model, position: number, wanted = ""): HTMLLIElement {
  const recorded = model.events[position - 1];
  if (recorded === undefined) return element("li");
  const { title, space } = describe(recorded.event);
  const text = wanted === "" ? foreign(excerpt(newText(model, position), textUnitsMax)) : hit(model, position, wanted);
  const row = button("", () => model.go(position), {
    class: "event",
    "data-position": position,
    "data-space": space,
    "data-refused": recorded.event.type === "action.refused",
  });
  row.append(
    element("span", { class: "event-version" }, `v${recorded.version}`),
    element("span", { class: "event-title" }, ...foreign(title)),
    text.length === 0 ? "" : element("bdi", { class: "event-text" }, unseen(": "), ...text),
  );
  return element("li", {}, row);
}

export function markHere(model: Model, within: HTMLElement): void {
  for (const row of within.querySelectorAll('[aria-current="step"]')) row.removeAttribute("aria-current");
  within.querySelector(`[data-position="${model.position()}"]`)?.setAttribute("aria-current", "step");
}

/** What an event says that was not there before: of a text that is written whole again and again, its first new line. */
function newText({ events, states }: Model, position: number): string {
  const recorded = events[position - 1];
  const unread = unreadText(recorded ?? {});
  if (unread !== undefined) return unread;
  const event = recorded?.event;
  const [before, after] = [states[position - 1], states[position]];
  if (event === undefined || before === undefined || after === undefined) return "";
  if (event.type === "refs.set") return newRefs(before.refs, after.refs) ?? describe(event).text;
  if (event.type !== "plan.set" && event.type !== "notes.set") return describe(event).text;
  const space = event.type === "plan.set" ? "plan" : "notes";
  const known = new Set(before[space].split("\n"));
  const line = after[space].split("\n").find((each) => !known.has(each));
  const { done, total } = planProgress(space === "plan" ? after.plan : "");
  // How far the plan is says more than the mark of the step that is new.
  const said = space === "plan" ? line?.replace(/^\s*(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?/, "") : line;
  return [...(total === 0 ? [] : [`${done} of ${total} done`]), ...(said === undefined ? [] : [said])].join(" · ");
}

function newRefs(before: readonly string[], after: readonly string[]): string | undefined {
  const known = new Set(before);
  const more = after.filter((ref) => !known.has(ref));
  return known.size === 0 || more.length === 0 ? undefined : `+ ${more.join(", ")}`;
}

function hit({ events }: Model, position: number, wanted: string): (HTMLElement | string)[] {
  const recorded = events[position - 1];
  if (recorded === undefined) return [];
  const { title, text } = describe(recorded.event);
  // The title is left out, because the row shows it anyway.
  const fields = [text, ...searchFields(recorded).filter((field) => field !== title)];
  const holder = fields.find((field) => field.toLowerCase().includes(wanted));
  return holder === undefined ? foreign(excerpt(text, textUnitsMax)) : snippet(holder, wanted);
}
