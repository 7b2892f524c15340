/**
 * The steps of a plan, read from its text line by line. Every pattern is anchored and bounded, so that time grows with
 * the text only.
 */

/** If a text is longer, only the whole lines at its beginning are read. The unit is UTF-16 code units. */
export const planUnitsMax = 65_536;

export type StepStatus = "pending" | "in_progress" | "completed" | "cancelled" | "blocked";

/** This is one step of a plan. */
export interface PlanStep {
  /** This is what is to be done: the line without its list marker, box, id, marks of being done, and without what blocks it. */
  readonly text: string;
  /** This comes from the line's box or marks. A line without either is `pending`. */
  readonly status: StepStatus;
  /** The line is counted from 1 in the text. */
  readonly line: number;
  /** The task's own id, where the line gives one as `#3`. */
  readonly id?: string;
  /** These are the ids of the tasks that block it. They are there if the line ends with `(after #1, #2)`. */
  readonly after?: readonly string[];
}

/** This is how far a plan has come. Cancelled steps count neither as done nor in the total. */
export interface PlanProgress {
  /** So many steps are completed. */
  readonly done: number;
  /** So many steps there are, without the cancelled ones. */
  readonly total: number;
  /** This is the text of the first step that is in progress. */
  readonly current?: string;
}

const statusOfBox: Readonly<Record<string, StepStatus>> = {
  "": "pending",
  " ": "pending",
  "☐": "pending",
  "⬜": "pending",
  ">": "in_progress",
  x: "completed",
  X: "completed",
  "☑": "completed",
  "✅": "completed",
  "✔": "completed",
  "-": "cancelled",
  "!": "blocked",
};

const lead =
  /^[ \t>]{0,64}(?:(?:([-*+•])|(\d{1,4}[.)]))[ \t]{1,8})?(?:\[([ >xX!-]?)\](?=[ \t]|$)|([☐⬜☑✅✔])\uFE0F?(?=[ \t]))?/u;
const fence = /^[ \t>]{0,64}(?:```|~~~)/;
const heading = /^#{1,6}[ \t]/;
const doneBefore = /^(?:\[DONE\]|\(DONE\)|DONE)(?:[ \t]{0,4}[:—–-])?[ \t]/;
/** What is of Unicode is looked up where a pattern is made. */
const doneBehind = (): RegExp => /[ \t]{0,4}[:—–-]?[ \t]{0,4}(?:\[DONE\]|\(DONE\)|(?<![\p{L}\p{N}_]|NOT )DONE)[.!]?$/u;
/** A box says itself whether it is done. Beside one, the bare word belongs to the step: "Move the ticket to DONE". */
const doneBeforeInBox = /^(?:\[DONE\]|\(DONE\)|DONE[ \t]{0,4}[:—–-])[ \t]/;
const doneBehindInBox = /[ \t]{0,4}(?:\[DONE\]|\(DONE\)|[:—–-][ \t]{0,4}DONE)[.!]?$/u;
/** In small letters, or as a sign, it may be a word of the step: only a list item without a box is marked so. */
const markBefore = /^(?:\[[Dd]one\]|\([Dd]one\)|[Dd]one[ \t]{0,4}[:—–])[ \t]/;
const markBehind = /[ \t]{0,8}(?:(?:\[[Dd]one\]|\([Dd]one\)|(?::|[ \t][—–-])[ \t]{1,8}[Dd]one)[.!]?|[☑✅✔]\uFE0F?)$/u;
/** What stands behind a struck text says why it is struck. */
const struckAsDone = /^[ \t]{0,8}[:—–-]?[ \t]{0,8}(?:[[(]?(?:done|completed|finished)[\])]?[.!]?|[☑✅✔]\uFE0F?)$/iu;
const currentBehind = /[ \t]{0,8}(?:<--|<-|←)[ \t]{0,4}current[.!]?$/i;
const idBefore = /^#([A-Za-z0-9_.-]{1,64})(?=[ \t]|$)/;
const afterBehind = /(?:^|[ \t])\(after ((?:#[A-Za-z0-9_.-]{1,64},? ?){1,64})\)$/;

/**
 * Answers the steps that a plan lists, in its order. These are steps: task list items (`- [ ]` pending, `- [>]` in progress,
 * `- [x]` completed, `- [-]` cancelled, `- [!]` blocked), numbered lines, and lines that are `~~struck~~` or say `DONE`. A step
 * that says `<-- current` at its end is in progress. Plain list items are steps where one of them is struck, says `DONE` or is
 * the current one. Beside a box, `DONE` counts only in brackets, or where a colon or a dash sets it apart. The signs ✅, ✔ and ☑
 * count like `[x]`, and ☐ and ⬜ like `[ ]`; a sign or `(done)` may also stand behind the text of an item without a box. Headings are
 * no steps, and fenced code is passed over. Every text has an answer.
 *
 * @param text The text of a plan.
 * @throws Nothing, if the types hold.
 * @example
 * planSteps("- [x] Tag\n- [ ] Tell support").map(({ status }) => status); // ["completed", "pending"]
 */
export function planSteps(text: string): PlanStep[] {
  const found: { readonly step: PlanStep; readonly plain: boolean; readonly marked: boolean }[] = [];
  let fenced = false;
  headOf(text)
    .split("\n")
    .forEach((line, index) => {
      if (fence.test(line)) fenced = !fenced;
      else if (!fenced) found.push(...stepsOf(line.replace(/\r$/, ""), index + 1));
    });
  const plainCounts = found.some(({ plain, marked }) => plain && marked);
  return found.filter(({ plain, marked }) => marked || !plain || plainCounts).map(({ step }) => step);
}

/**
 * Answers how many steps of a plan are done. `total` is 0 where it has none; cancelled steps do not count.
 *
 * @param text The text of a plan.
 * @throws Nothing, if the types hold.
 * @example
 * planProgress("- [x] Tag\n- [>] Tell support"); // { done: 1, total: 2, current: "Tell support" }
 */
export function planProgress(text: string): PlanProgress {
  const steps = planSteps(text).filter(({ status }) => status !== "cancelled");
  const done = steps.filter(({ status }) => status === "completed").length;
  const current = steps.find(({ status }) => status === "in_progress");
  return { done, total: steps.length, ...(current === undefined ? {} : { current: nameOfStep(current) }) };
}

/** This names a step by its text, or by its id if it has no text. */
export function nameOfStep({ text, id }: Pick<PlanStep, "text" | "id">): string {
  return text === "" && id !== undefined ? `#${id}` : text;
}

function headOf(text: unknown): string {
  if (typeof text !== "string")
    throw new TypeError("planSteps and planProgress take a text, such as journal.state.plan");
  if (text.length <= planUnitsMax) return text;
  return text.slice(0, text.lastIndexOf("\n", planUnitsMax) + 1);
}

/** The result has at most one step. `plain` means a list item that has neither a box nor a number. */
function stepsOf(line: string, number: number): { step: PlanStep; plain: boolean; marked: boolean }[] {
  const [taken = "", bullet, ordinal, written, sign] = lead.exec(line) ?? [];
  const box = written ?? sign;
  const given = line.slice(taken.length).trim();
  const own = given.replace(currentBehind, "");
  const current = own.length < given.length;
  const plain = box === undefined && ordinal === undefined;
  if (plain && heading.test(given)) return [];
  const { text, done, struck } = withoutMarks(own, box !== undefined, (bullet ?? ordinal) !== undefined);
  // A heading or a sentence may point to the current one, too, and a mark that stands alone is of no step.
  if (plain && (text === "" || (bullet === undefined && !done && !struck))) return [];
  const step = stepOf(text, statusOf(box, { done, struck, current }), number);
  return [{ step, plain, marked: done || struck || current }];
}

/** A step that is struck out and has an unchecked box was given up, not done. */
function statusOf(
  box: string | undefined,
  { done, struck, current }: { readonly [Mark in "done" | "struck" | "current"]: boolean },
): StepStatus {
  if (box !== undefined && box.trim() !== "") return statusOfBox[box] ?? "pending";
  if (done) return "completed";
  if (struck) return box === undefined ? "completed" : "cancelled";
  return current ? "in_progress" : "pending";
}

function withoutMarks(
  given: string,
  hasBox: boolean,
  isItem: boolean,
): { text: string; done: boolean; struck: boolean } {
  // Most lines do not say so, and an engine takes a millisecond to compile what looks for it.
  const shouted = given.includes("DONE") ? withoutDone(given, hasBox) : given;
  const marked = isItem && !hasBox ? shouted.replace(markBefore, "").replace(markBehind, "").trim() : shouted;
  const end = marked.startsWith("~~") ? marked.indexOf("~~", 3) + 2 : 0;
  const behind = marked.slice(end);
  const struck = end > 4 && (behind === "" || struckAsDone.test(behind));
  const done = marked.length < given.length || (struck && behind !== "");
  return { text: struck ? marked.slice(2, end - 2).trim() : marked, done, struck };
}

function withoutDone(given: string, hasBox: boolean): string {
  const [before, behind] = hasBox ? [doneBeforeInBox, doneBehindInBox] : [doneBefore, doneBehind()];
  return given.replace(before, "").replace(behind, "").trim();
}

/** What is spread stands behind a property: Node 20 is thirty times slower where properties are added to what was spread first. */
function stepOf(given: string, status: StepStatus, line: number): PlanStep {
  const [before = "", id] = idBefore.exec(given) ?? [];
  const [behind = "", blockers] = afterBehind.exec(given) ?? [];
  const after = blockers?.match(/[A-Za-z0-9_.-]+/g) ?? undefined;
  const text = given.slice(before.length, given.length - behind.length).trim();
  return { text, ...(id === undefined ? {} : { id }), ...(after === undefined ? {} : { after }), status, line };
}
