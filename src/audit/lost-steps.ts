/** Steps of the plan that left it without having been completed, and those that are open at its end. */
import type { RecordedEvent } from "../event/event.ts";
import type { Authorship } from "./blame.ts";
import { placeAmong } from "./sorted.ts";
import { nameOfStep, type PlanStep, planSteps, planUnitsMax } from "./steps.ts";

/** A step, and who wrote its line last. */
export interface AuthoredStep {
  readonly text: string;
  readonly author: RecordedEvent;
}

/** The result has the open steps of the plan before an event that the plan after it does not have in any form. */
export function droppedSteps(before: Authorship, after: Authorship, { event }: RecordedEvent): AuthoredStep[] {
  if (before.plan === after.plan) return [];
  const open = planSteps(before.state.plan).filter(isOpen);
  if (open.length === 0) return [];
  const cutOff = event.type === "plan.set" ? (event.dropped ?? "") : "";
  const text = `${after.state.plan}\n${cutOff}`;
  // Of a longer text only the first steps are read: what is not among them may stand behind.
  if (text.length > planUnitsMax) return [];
  const left = new StepsOf(text, before.state.plan);
  return left.missing(open).flatMap((step) => authored(before, step));
}

export function unfinishedSteps(end: Authorship): AuthoredStep[] {
  return planSteps(end.state.plan)
    .filter(isOpen)
    .flatMap((step) => authored(end, step));
}

/** A step is open if it is neither done nor given up. */
function isOpen({ status }: Pick<PlanStep, "status">): boolean {
  switch (status) {
    case "pending":
    case "in_progress":
    case "blocked":
      return true;
    case "completed":
    case "cancelled":
      return false;
  }
}

function authored({ plan }: Authorship, step: PlanStep): AuthoredStep[] {
  const author = plan.authors[step.line - 1];
  return author === undefined ? [] : [{ text: nameOfStep(step), author }];
}

/** A shorter beginning says too little to recognise a step by it. The unit is UTF-16 code units. */
const beginningUnitsMin = 6;

/**
 * The steps of a plan, to look for those of the plan before it that were marked, or had something added to them or taken off. A step that stood
 * in both plans as it is has no other words: it stands for itself only. An id that several steps of a plan have is none: it may be the number of
 * what they all are about.
 */
export class StepsOf {
  readonly #allIds: ReadonlySet<string>;
  /** One step has such an id in both plans. */
  readonly #ids: ReadonlySet<string>;
  readonly #texts: ReadonlySet<string>;
  /** So many open steps of the plan before may have such a text in this one. */
  readonly #room: ReadonlyMap<string, number>;
  readonly #reworded: readonly PlainStep[];

  constructor(plan: string, before: string) {
    const [steps, known] = [plainSteps(plan), plainSteps(before)];
    const [knownIds, knownTexts] = [ownIds(known), new Set(known.map(({ text }) => text))];
    this.#allIds = new Set(steps.flatMap(({ id }) => id ?? []));
    this.#ids = new Set([...ownIds(steps)].filter((id) => knownIds.has(id)));
    this.#texts = new Set(steps.map(({ text }) => text));
    const isOfText = ({ id }: Pick<PlanStep, "id">) => id === undefined || !this.#ids.has(id);
    this.#room = roomIn(steps.filter(isOfText), known.filter(isOfText));
    this.#reworded = steps.filter((step) => !knownTexts.has(step.text) && isOfText(step));
  }

  /**
   * The result has those of the steps that the plan does not have in any form. A step is also recognised if it has fewer words, or more. Each step of the
   * plan stands for one of them then, for that with which it has the most in common.
   */
  missing(steps: readonly PlanStep[]): readonly PlanStep[] {
    const room = new Map(this.#room);
    const gone = steps
      .map((step) => ({ step, plain: plainText(step.text) }))
      .filter(({ step, plain }) => !this.#hasAsIs(step, plain, room));
    const reworded = new Reworded(this.#reworded.map(({ text }) => text));
    // The longest ones choose first: they have the most in common with what begins like them.
    const longest = [...gone].sort((one, other) => other.plain.length - one.plain.length);
    const found = new Set(longest.filter(({ plain }) => reworded.take(plain)));
    return gone.filter((each) => !found.has(each)).map(({ step }) => step);
  }

  /** A text has room for as many steps as the plan has with it. */
  #hasAsIs({ id }: PlanStep, plain: string, room: Map<string, number>): boolean {
    if (id !== undefined && (this.#ids.has(id) || plain === "")) return this.#allIds.has(id);
    const left = room.get(plain) ?? 0;
    room.set(plain, left - 1);
    return left > 0;
  }

  /** The result says whether the plan has the step with every word that it had. */
  holds({ id, text }: PlanStep): boolean {
    const plain = plainText(text);
    if (plain === "" && id !== undefined) return this.#allIds.has(id);
    return this.#texts.has(plain) || this.#reworded.some((other) => isBeginning(plain, other.text));
  }
}

type PlainStep = Pick<PlanStep, "id" | "text" | "status">;

function plainSteps(plan: string): PlainStep[] {
  return planSteps(plan).map((step) => ({ ...step, text: plainText(step.text) }));
}

/** A step that was done before stands for one that is done now. */
function roomIn(steps: readonly PlainStep[], before: readonly PlainStep[]): ReadonlyMap<string, number> {
  const [room, doneBefore] = [new Map<string, number>(), new Map<string, number>()];
  for (const step of before) if (!isOpen(step)) add(doneBefore, step.text, 1);
  for (const step of steps) {
    if (isOpen(step)) add(room, step.text, 1);
    else if ((doneBefore.get(step.text) ?? 0) > 0) add(doneBefore, step.text, -1);
    else add(room, step.text, 1);
  }
  return room;
}

function add(counts: Map<string, number>, text: string, count: number): void {
  counts.set(text, (counts.get(text) ?? 0) + count);
}

/** These are the texts of steps, among which those are found that begin like another one. Each stands for one step only. */
class Reworded {
  readonly #left = new Map<string, number>();
  /** What begins like a text, and stands before this place, is used up. */
  readonly #next = new Map<string, number>();
  readonly #sorted: readonly string[];
  /** These are the lengths that the texts have, the longest first. */
  readonly #lengths: readonly number[];

  constructor(texts: readonly string[]) {
    for (const text of texts) this.#left.set(text, (this.#left.get(text) ?? 0) + 1);
    this.#sorted = [...this.#left.keys()].sort();
    this.#lengths = [...new Set(this.#sorted.map(({ length }) => length))].sort((one, other) => other - one);
  }

  /** The result says whether there was a text left that begins like this one. It is used up by that. */
  take(plain: string): boolean {
    const text = this.#longer(plain) ?? this.#shorter(plain);
    if (text === undefined) return false;
    this.#left.set(text, (this.#left.get(text) ?? 0) - 1);
    return true;
  }

  #longer(plain: string): string | undefined {
    if (plain === "") return undefined;
    for (let at = this.#next.get(plain) ?? placeAmong(this.#sorted, plain); ; at++) {
      this.#next.set(plain, at);
      const text = this.#sorted[at];
      if (text?.startsWith(plain) !== true) break;
      if (this.#isLeft(text) && isBeginning(plain, text)) return text;
    }
    return undefined;
  }

  #shorter(plain: string): string | undefined {
    for (const length of this.#lengths) {
      const text = plain.slice(0, length);
      if (length <= plain.length && this.#isLeft(text) && isBeginning(text, plain)) return text;
    }
    return undefined;
  }

  #isLeft(text: string): boolean {
    return (this.#left.get(text) ?? 0) > 0;
  }
}

/** The result has the ids that only one of the steps has. */
export function ownIds(steps: readonly Pick<PlanStep, "id">[]): ReadonlySet<string> {
  const [ids, shared] = [new Set<string>(), new Set<string>()];
  for (const { id } of steps) {
    if (id === undefined) continue;
    if (ids.has(id)) shared.add(id);
    ids.add(id);
  }
  return new Set([...ids].filter((id) => !shared.has(id)));
}

/** The result says whether both begin alike, and one of them has words that the other lacks. */
export function isReworded(one: string, other: string): boolean {
  const [plain, otherPlain] = [plainText(one), plainText(other)];
  return isBeginning(plain, otherPlain) || isBeginning(otherPlain, plain);
}

function isBeginning(short: string, long: string): boolean {
  if (short === long) return true;
  return short.length >= beginningUnitsMin && long.startsWith(short) && !/[\p{L}\p{N}]/u.test(long[short.length] ?? "");
}

/** The result lacks what marks a step as the current one, emphasis, and the stop at its end. */
function plainText(text: string): string {
  return text
    .replace(/(?<!\s)\s*(?:<--|<-|←|⬅).*$/u, "")
    .replaceAll(/[*_`]/g, "")
    .replace(/(?<![\s.:;,!…])[\s.:;,!…]+$/u, "")
    .replaceAll(/\s+/g, " ")
    .toLowerCase();
}
