/** What the model of a story says, and how what was seen of it is compared. */
import { expect } from "vitest";
import type { RecordedEvent } from "../../../src/event/event.ts";
import type { Answer, Asked, Script } from "./model-servers.ts";
import type { Seen } from "./watched.ts";

export const steps = ["Reproduce the bug", "Fix the comparison", "Rename the module"] as const;
const boxes = { pending: " ", in_progress: ">", completed: "x", cancelled: "-" };
export type Status = keyof typeof boxes;

/** The steps of the story that have a status, in the words of a client's tool. */
export function stepsWith<Item>(
  statuses: readonly (Status | undefined)[],
  itemOf: (text: string, status: Status, index: number) => Item,
): Item[] {
  return statuses.flatMap((status, index) => (status === undefined ? [] : [itemOf(steps[index] ?? "", status, index)]));
}

/** As the history has them. */
export function list(...statuses: readonly (Status | undefined)[]): string {
  return stepsWith(statuses, (text, status) => `- [${boxes[status]}] ${text}`).join("\n");
}

/** The same with the ids of tasks. */
export function tasks(...statuses: readonly (Status | undefined)[]): string {
  return stepsWith(statuses, (text, status, index) => `- [${boxes[status]}] #${index + 1} ${text}`).join("\n");
}

export function call(name: string, args: object): Answer {
  return { calls: [{ name, args }] };
}

/** Answers from a list for each run of the client; `aside` answers what is asked outside of the story. */
export class Story {
  #answers: Answer[] = [];
  #subagents: Answer[] = [];
  readonly #aside: (asked: Asked) => Answer | undefined;

  constructor(aside: (asked: Asked) => Answer | undefined) {
    this.#aside = aside;
  }

  tell(answers: readonly Answer[], subagents: readonly Answer[] = []): void {
    this.#answers = [...answers];
    this.#subagents = [...subagents];
  }

  readonly script: Script = (asked) => {
    const aside = this.#aside(asked);
    if (aside !== undefined) return aside;
    const isSubagent = asked.body.includes("SUBAGENT:") && !asked.body.includes("The bug.");
    return (isSubagent ? this.#subagents : this.#answers).shift() ?? { text: "Done." };
  };
}

/** Turn, who, and what, in a line. */
export function said({ event, actor, turn }: RecordedEvent): string {
  switch (event.type) {
    case "plan.set":
      return `${turn} ${actor}: ${event.text}`;
    case "section.written":
      return `${turn} ${actor}: ${event.name} = ${event.text}`;
    case "action.refused":
      return `${turn} ${actor}: refused ${event.action}`;
    default:
      return `${turn} ${actor}: ${event.type}`;
  }
}

/** Who looked while it was written saw what is there when it is written, and that is what the story tells. */
export function expectStory(seen: Seen, told: readonly string[], marks: readonly string[]): void {
  const { live, printed, history, resets, foreign } = seen;
  expect(history.map(said)).toEqual(told);
  expect(live).toEqual(history.map(({ event }) => event));
  expect(printed).toEqual(live);
  expect(resets).toBe(0);
  expect(foreign.markers.map(({ marker, detail }) => `${marker} ${detail}`.trim())).toEqual(marks);
  expect(foreign.findings.filter(({ severity }) => severity === "damage")).toEqual([]);
}

/**
 * Who followed saw the lists of the branch that was left, was told once that the history is another one, and then how it went on. What the
 * client had written by then came with the news of the other history.
 */
export function expectRewind(seen: Seen, left: readonly string[], other: readonly string[]): void {
  expect(seen.resets).toBe(1);
  for (const events of [seen.live, seen.printed]) {
    const followed = events.map((event) => (event.type === "plan.set" ? event.text : event.type));
    expect(followed.slice(0, left.length)).toEqual(left);
    const rest = followed.slice(left.length);
    expect(rest).toEqual(other.slice(other.length - rest.length));
    expect(rest.length).toBeGreaterThan(0);
  }
}
