/** What every reducer promises besides its budgets: nothing is lost, nothing is hidden. Each answers what was broken. */
import { isDeepStrictEqual } from "node:util";
import type { Answer, DecideContext } from "../action/answer.ts";
import { parseAction } from "../action/parse.ts";
import { wellFormed } from "../action/text.ts";
import type { ScratchpadEvent } from "../event/event.ts";
import { fold } from "../state/fold.ts";
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";

/** This is one step of a reducer. */
export interface Step {
  readonly before: ScratchpadState;
  readonly action: unknown;
  readonly after: ScratchpadState;
  readonly given: { readonly events?: readonly ScratchpadEvent[]; readonly answer?: Answer };
  readonly context: DecideContext;
}

/** The result names the promise that the step broke, and is undefined if it kept all. It stands between the name of the reducer and the script. */
export function unkept(step: Step): string | undefined {
  const { answer } = step.given;
  return (
    unfolded(step) ?? (answer === undefined ? undefined : answer.ok ? lostText(step, answer) : hidden(step, answer))
  );
}

function unfolded({ before, after, given: { events } }: Step): string | undefined {
  if (events === undefined || isSameData(fold(events, before), after)) return undefined;
  return "gives events that add up to another state than it gives: who resumes sees something else";
}

/** A refusal says so, keeps what was offered where it is recorded, and leaves the state alone. */
function hidden({ before, action, after, given: { events } }: Step, { code, message }: Answer): string | undefined {
  if (!isSameData(before, after)) return "refuses, and changes the state";
  if (code === undefined || message.trim() === "") return "refuses without saying why: code and message";
  const [event] = events ?? [];
  const parsed = parseAction(action, "allowed");
  if (event === undefined || "refusal" in parsed) return undefined;
  return isOffered(event, parsed) ? undefined : "refuses without recording what was offered";
}

/** What was offered can be asked for again. A reducer of others may record it as it came, without what parameters default to. */
function isOffered(event: ScratchpadEvent, parsed: Parsed): boolean {
  if (event.type !== "action.refused") return false;
  const { offered, action } = event;
  return isSameData(parseAction({ ...(offered as object), action }, "allowed"), parsed);
}

/** Accepted text is in the state, or in the event that says what was cut off. */
function lostText(step: Step, answer: Answer): string | undefined {
  const parsed = parseAction(step.action, "allowed");
  if ("refusal" in parsed) return "accepts what is no action";
  const events = step.given.events ?? [];
  const cut = events.flatMap((event) => {
    const parts = "dropped" in event ? event.dropped : undefined;
    const evicted = "evicted" in event ? event.evicted : undefined;
    return [...(parts === undefined ? [] : [parts].flat()), ...(evicted === undefined ? [] : [evicted])];
  });
  const lost = missing(step, parsed, cut.join(""));
  if (lost !== undefined) return lost;
  const { action } = parsed.action;
  const isToBeSaid = cut.length > 0 && (action === "set_notes" || action === "set_plan");
  return isToBeSaid && answer.warnings.length === 0 ? "cuts text off, and no warning of its answer says so" : undefined;
}

type Parsed = Extract<ReturnType<typeof parseAction>, { readonly action: unknown }>;

function missing({ before, after, given }: Step, { action }: Parsed, cut: string): string | undefined {
  const whole = (shown: string, meant: string): string | undefined =>
    shown + cut === wellFormed(meant) || given.events === undefined
      ? undefined
      : "loses text that it accepts: it is neither in the state nor in what the event says was dropped";
  switch (action.action) {
    case "set_notes":
      return whole(after.notes, action.content);
    case "set_plan":
      return whole(after.plan, action.content);
    case "append_notes":
      return whole(after.notes, before.notes === "" ? action.content : `${before.notes}\n${action.content}`);
    case "refs.add": {
      const isThere = after.refs.at(-1) === wellFormed(action.ref);
      const gone = before.refs.slice(0, Math.max(0, before.refs.length + 1 - after.refs.length));
      if (!isThere) return "loses a ref that it accepts";
      return whole("", gone.join(""));
    }
    case "refs.set":
      return whole(after.refs.join(""), action.items.join(""));
    case "entries.write":
      return whole(own(after.entries, action.key) ?? "", action.content);
    case "sections.write":
      return whole(own(after.sections, action.name)?.text ?? "", action.content);
    default:
      return undefined;
  }
}

/** True where two values read back from a file would be equal. Most are equal as they are; printing a long text takes longer than a look. */
export function isSameData(one: unknown, other: unknown): boolean {
  if (isDeepStrictEqual(one, other)) return true;
  const [first, second] = [JSON.stringify(one), JSON.stringify(other)];
  if (first === second) return true;
  return first !== undefined && second !== undefined && isDeepStrictEqual(JSON.parse(first), JSON.parse(second));
}
