import type { Json, RecordedRefusalCode, ScratchpadEvent } from "../event/event.ts";
import { editedLength, editedNotes, editTarget, type NotesEdit, textUnitsMax } from "../state/edit.ts";
import { evolve } from "../state/evolve.ts";
import { freezeState } from "../state/image.ts";
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { EditNotes, ParsedAction } from "./actions.ts";
import type { Answer, DecideContext } from "./answer.ts";
import { answerTo, answerToExisting, answerToUnrecorded } from "./answers.ts";
import { useOf, worsened } from "./budget.ts";
import { notesEdit } from "./edit.ts";
import { leaseNow, leaseUntil } from "./lease.ts";
import { asLegacy } from "./legacy.ts";
import { type Limits, limitNames, parseLimits } from "./limits.ts";
import { checkedMeasures, measureOf } from "./measures.ts";
import { parseAction } from "./parse.ts";
import { distinctRefs, existingRef } from "./ref-form.ts";
import { cut, type Measure } from "./text.ts";

/** A decision is the event that an action becomes, and what its answer needs. */
export interface Decision {
  readonly events: readonly ScratchpadEvent[];
  readonly answer: Answer;
}

/** What an action came to before it is an event: the event, or why it is refused. */
type EventOrRefusal = ScratchpadEvent | RecordedRefusalCode;

type EntryAction = Extract<ParsedAction, { readonly action: `entries.${string}` }>;
type WriteSection = Extract<ParsedAction, { readonly action: "sections.write" }>;

/**
 * Answers what happens when somebody asks for `action`. Nothing is written. An accepted action gives one event. A refused one
 * gives an `action.refused` that keeps what was offered. A value that is no action gives no event.
 *
 * @param state The state before the action.
 * @param action What is asked. It may be of any shape.
 * @param context The budgets, the actor and the time.
 * @throws TypeError if `state` or `context` is none, a budget is no number, or `context.measure` gives something else than a number.
 * @example
 * const { events } = decide(initialState, { action: "set_notes", content: "First" }, context);
 * events; // [{ type: "notes.set", text: "First" }]
 */
export function decide(state: ScratchpadState, action: unknown, context: DecideContext): Decision {
  const { events, answer } = reduce(state, action, context);
  return { events, answer };
}

/**
 * Does what `decide` does, and gives the state after it, too.
 *
 * @param state The state before the action.
 * @param action What is asked. It may be of any shape.
 * @param context The budgets, the actor and the time.
 * @throws TypeError if `state` or `context` is none, a budget is no number, or `context.measure` gives something else than a number.
 * @example
 * const { state, answer } = reduce(initialState, { action: "set_plan", content: "1. Fix" }, context);
 * state.plan; // "1. Fix"
 */
export function reduce(
  state: ScratchpadState,
  action: unknown,
  context: DecideContext,
): Decision & { readonly state: ScratchpadState } {
  mustBeAsked(state, context);
  const limits = wholeLimits(context.limits);
  const { measure } = context;
  if (measure !== undefined)
    return reduced(state, action, { ...context, limits, measure: checkedMeasures(measure, "context.measure") });
  return reduced(state, action, limits === context.limits ? context : { ...context, limits });
}

function reduced(state: ScratchpadState, action: unknown, context: DecideContext): ReturnType<typeof reduce> {
  const parsed = parseAction(action, context.stateAt === undefined ? "unknown" : "allowed");
  if ("refusal" in parsed) return { state, events: [], answer: answerToUnrecorded(parsed.refusal, state, context) };
  const existing = existingRefOf(state, parsed.action, context);
  if (existing !== undefined) return { state, events: [], answer: answerToExisting(existing, state, context) };
  const decided = eventOf(eventOrRefusalOf(state, parsed.action, context), parsed.action);
  const event = context.singleKey === true ? asLegacy(decided, state) : decided;
  const after = evolve(state, event);
  return { state: after, events: [event], answer: answerTo(event, state, after, context) };
}

function mustBeAsked(state: Partial<ScratchpadState> | undefined, context: Partial<DecideContext> | undefined): void {
  const isState = typeof state?.notes === "string" && typeof state.plan === "string" && Array.isArray(state.refs);
  if (!isState) throw new TypeError("decide and reduce take a state first, such as initialState or journal.state");
  const isContext = typeof context?.limits === "object" && context.limits !== null;
  if (isContext && typeof context.actor === "string" && typeof context.at === "string") return;
  throw new TypeError("decide and reduce take a context third, { limits, actor, at }: budgets, a name and an ISO time");
}

/** Nothing is over a budget that is not there: one that is left out has its default, as in a journal. */
function wholeLimits(limits: Limits): Limits {
  const isNumber = (name: keyof Limits): boolean => typeof limits[name] === "number" && limits[name] >= 0;
  return limitNames.every(isNumber) ? limits : parseLimits(limits);
}

/** The result is the ref that the action would add a second time, as it stands there; undefined if there is none. */
function existingRefOf({ refs }: ScratchpadState, action: ParsedAction, { dedupe }: DecideContext): string | undefined {
  if (dedupe === undefined || action.action !== "refs.add") return undefined;
  return existingRef(refs, action.ref, dedupe);
}

function eventOf(decided: EventOrRefusal, { action, ...offered }: ParsedAction): ScratchpadEvent {
  if (typeof decided !== "string") return Object.freeze(decided);
  return Object.freeze({ type: "action.refused", action, code: decided, offered: Object.freeze(offered) as Json });
}

function eventOrRefusalOf(state: ScratchpadState, action: ParsedAction, context: DecideContext): EventOrRefusal {
  switch (action.action) {
    case "set_notes":
      return {
        type: "notes.set",
        ...cutText(action.content, context.limits.notes, measureOf("notes", context.measure)),
      };
    case "set_plan":
      return { type: "plan.set", ...cutText(action.content, context.limits.plan, measureOf("plan", context.measure)) };
    case "append_notes": {
      const { content: text } = action;
      return fitsNotes(state, { operation: "append", text }, context)
        ? { type: "notes.appended", text }
        : "over_budget";
    }
    case "edit_notes":
      return editNotes(state, action, context);
    case "refs.add":
      return addRef(state, action.ref, context);
    case "refs.remove": {
      const ref = existingRef(state.refs, action.ref, context.dedupe ?? "exact");
      return ref === undefined ? "not_found" : { type: "ref.removed", ref };
    }
    case "refs.set":
      return setRefs(distinctRefs(action.items, context.dedupe), context);
    case "entries.write":
    case "entries.delete":
    case "entries.claim":
    case "entries.release":
      return isHeld(state, action.key, context) ? "held" : entryEventOrRefusal(state, action, context);
    case "sections.write":
      return writeSection(state, action, context);
    case "sections.clear": {
      const { name } = action;
      return own(state.sections, name) === undefined ? "not_found" : { type: "section.cleared", name };
    }
    case "restore":
      return restore(state, action.to, context);
  }
}

function cutText(content: string, limit: number, measure?: Measure): { text: string; dropped?: string } {
  const { kept, dropped } = cut(content, limit, measure);
  return dropped === "" ? { text: kept } : { text: kept, dropped };
}

function editNotes(state: ScratchpadState, action: EditNotes, context: DecideContext): EventOrRefusal {
  const edit = notesEdit(action);
  if (action.operation === "find_replace" || action.operation === "delete") {
    const target = editTarget(edit);
    if (target === "" || !state.notes.includes(target)) return "not_found";
  }
  return fitsNotes(state, edit, context) ? { type: "notes.edited", ...edit } : "over_budget";
}

/**
 * The edited notes fit if they are within the budget, or at least shorter than before. They are built only where a measure must
 * see them.
 */
function fitsNotes(state: ScratchpadState, edit: NotesEdit, context: DecideContext): boolean {
  const measure = measureOf("notes", context.measure);
  const units = editedLength(state.notes, edit);
  if (units > textUnitsMax) return false;
  const used = measure?.(editedNotes(state.notes, edit)) ?? units;
  return used <= context.limits.notes || used < (measure?.(state.notes) ?? state.notes.length);
}

/**
 * At capacity the oldest makes room; a list that another runtime left longer stays as long as it is. Where a measure counts
 * refs, the oldest alone may not make enough.
 */
function addRef(state: ScratchpadState, ref: string, { limits, measure: measures }: DecideContext): EventOrRefusal {
  if (limits.refs === 0) return "over_budget";
  const measure = measureOf("refs", measures) ?? one;
  const { used } = useOf("refs", state, limits, measures);
  const oldest = state.refs[0];
  const after = used + measure(ref);
  if (after <= limits.refs) return { type: "ref.added", ref };
  if (oldest === undefined || after - measure(oldest) > Math.max(limits.refs, used)) return "over_budget";
  return { type: "ref.added", ref, evicted: oldest };
}

const one: Measure = () => 1;

function setRefs(items: readonly string[], { limits, measure: measures }: DecideContext): EventOrRefusal {
  const measure = measureOf("refs", measures) ?? one;
  let used = 0;
  const over = items.findIndex((ref) => {
    used += measure(ref);
    return used > limits.refs;
  });
  const kept = over === -1 ? items.length : over;
  const refs = Object.freeze(items.slice(0, kept));
  const dropped = Object.freeze(items.slice(kept));
  return dropped.length === 0 ? { type: "refs.set", refs } : { type: "refs.set", refs, dropped };
}

function isHeld(state: ScratchpadState, key: string, { actor, at }: DecideContext): boolean {
  const lease = leaseNow(state, key, at);
  return lease !== undefined && lease.holder !== actor;
}

/** The entry is free, or the actor holds it: leases were checked before. */
function entryEventOrRefusal(state: ScratchpadState, action: EntryAction, context: DecideContext): EventOrRefusal {
  const { key } = action;
  switch (action.action) {
    case "entries.write":
      return withinBudget(state, { type: "entry.written", key, text: action.content }, context);
    case "entries.delete":
      return own(state.entries, key) === undefined ? "not_found" : { type: "entry.deleted", key };
    case "entries.claim":
      return { type: "lease.claimed", key, holder: context.actor, until: leaseUntil(context.at, action.ttlSeconds) };
    case "entries.release":
      return leaseNow(state, key, context.at) === undefined
        ? "not_found"
        : { type: "lease.released", key, holder: context.actor };
  }
}

function writeSection(state: ScratchpadState, action: WriteSection, context: DecideContext): EventOrRefusal {
  const { name, content: text, ttlMinutes } = action;
  const written = { type: "section.written", name, text, at: context.at } as const;
  return withinBudget(state, ttlMinutes === undefined ? written : { ...written, ttlMinutes }, context);
}

function withinBudget(
  state: ScratchpadState,
  event: ScratchpadEvent,
  { limits, measure }: DecideContext,
): EventOrRefusal {
  return worsened(state, evolve(state, event), limits, measure) === undefined ? event : "over_budget";
}

function restore(state: ScratchpadState, to: number, context: DecideContext): EventOrRefusal {
  const then = context.stateAt?.(to);
  return then === undefined
    ? "not_found"
    : withinBudget(state, { type: "state.restored", to, state: freezeState(then) }, context);
}
