/** A session in the list of a view, as the page reads it. */
import type { PlanProgress } from "../steps.ts";

export interface ListedSession {
  /** Stands for the session in what the page asks and in its address. */
  readonly key: string;
  /** This is the client's id, such as "claude-code" or "session-journal". */
  readonly client: string;
  /** This is the name of the client for people, such as "Claude Code". */
  readonly title: string;
  readonly clientVersion?: string;
  readonly session: string;
  /** This is the file or address of the session. */
  readonly where: string;
  /** When it changed last, as an ISO time. */
  readonly at?: string;
  /** This actor wrote last. It is absent if nobody knows. */
  readonly actor?: string;
  /** The session was begun in this folder. */
  readonly folder?: string;
  readonly turns?: number;
  readonly version?: number;
  readonly progress?: PlanProgress;
  readonly firstMessage?: string;
  /** This is the id of the session whose subagent it is. */
  readonly parent?: string;
}

/** What the page is told of the list: `rows` are new or changed, `gone` are the keys of those that are not there any more. */
export interface ListNews {
  readonly rows: readonly ListedSession[];
  readonly gone: readonly string[];
  /** Everything has been looked at once. */
  readonly isWhole: boolean;
}
