/** What the session file of another client says about itself, and what was found in reading it. */
import type { RecordedEvent } from "./event.ts";
import type { HostMarker } from "./marker.ts";

/** This is the actor of a change that nothing in the file of another client accounts for: a person, or a program beside it. */
export const elsewhere = "elsewhere";

/**
 * The result says whether it is told only as long as the client has no newer list. OpenCode keeps its newest one beside its calls: once there is
 * another, nothing in its database says that this one was there.
 */
export function isOfNow(client: string, { event, actor }: Pick<RecordedEvent, "event" | "actor">): boolean {
  return client === "opencode" && actor === elsewhere && event.type === "plan.set";
}

/** A finding is something that a reader of the history should know, and that is no event. */
export interface ForeignFinding {
  readonly kind: "corrupt" | "torn" | "inherited" | "foreign";
  readonly severity: "damage" | "note";
  readonly offset: number;
  readonly line: number;
  readonly detail: string;
}

/** This is what a person asked, in one line of at most 200 UTF-16 code units. */
export interface TurnPrompt {
  readonly turn: number;
  readonly text: string;
}

/** This counts how often the client itself repeated its whole plan, and how often it was another plan than its calls make. */
export interface Repetitions {
  readonly seen: number;
  readonly equal: number;
  /** It differed, and the file says why. */
  readonly explained: number;
  /** It differed, and nothing in the file says why: somebody changed it from outside. */
  readonly elsewhere: number;
}

/** This is what the file says about its session. */
export interface ForeignFacts {
  /** This is the session's id, or "" if no line contains it. */
  readonly session: string;
  /** These versions of the client wrote the file, in this order. */
  readonly versions: readonly string[];
  readonly models: readonly string[];
  readonly cwd?: string;
  /** This says whose subagent it is, or whose conversation it began with. */
  readonly parentSession?: string;
  /** These are the ids of the subagents that it began. */
  readonly agents: readonly string[];
  /** This is the beginning of the person's first message. */
  readonly firstMessage?: string;
  /** The beginnings of what the person asked, in the order of the turns; a turn in which nothing was written has none. */
  readonly prompts: readonly TurnPrompt[];
  /** This says why there is no checklist, and how to get one. It is absent if there is one. */
  readonly noChecklist?: string;
  readonly repetitions: Repetitions;
  /** Plan calls that have no result. */
  readonly unanswered: readonly { readonly tool: string; readonly call: string; readonly line: number }[];
  /** This is how many lines there are of each type that this version does not know. */
  readonly unknownTypes: Readonly<Record<string, number>>;
}

/** A session of another client's, as it was read. */
export interface ForeignSession extends ForeignFacts {
  /** This is the client as an actor: "claude-code". */
  readonly client: string;
  /** This is the name of the client for people: "Claude Code". */
  readonly title: string;
  /** The reader was checked against files of these versions of the client. */
  readonly checkedAgainst: readonly string[];
  readonly turns: number;
  readonly lines: number;
  /** This is how many bytes were read, and their SHA-256 in hexadecimal where every line was to be read. */
  readonly bytes: number;
  readonly sha256?: string;
  readonly findings: readonly ForeignFinding[];
  readonly markers: readonly HostMarker[];
  /** This says for each version, in order, how many calls of any tool stand before it. */
  readonly calls: readonly number[];
}
