/** A session that was found, and where it is. */
import type { PlanProgress } from "../audit/steps.ts";
import type { Client } from "./clients.ts";

/** This is a session that a client has kept on this machine. */
export interface FoundSession {
  /** This is the client as an actor in its history: "claude-code", "codex"… */
  readonly client: Client;
  /** This is the name of the client for people: "Claude Code". */
  readonly title: string;
  readonly clientVersion?: string;
  readonly session: string;
  /** This is what opens it, as the first argument of `openJournal`. */
  readonly where: string;
  /** This is when it was changed last, as an ISO time. */
  readonly at: string;
  /** This is the folder in which it was begun. */
  readonly cwd?: string;
  readonly turns: number;
  /** This is the progress of its plan. It is absent if the plan has no steps. */
  readonly progress?: PlanProgress;
  /** This is the beginning of the person's first message, in one line. */
  readonly firstMessage?: string;
  /** This is the id of the session that began it as a subagent. */
  readonly parent?: string;
}

/** This is known of a session without reading the whole of it. */
export type SessionPlace = Pick<FoundSession, "client" | "title" | "session" | "where" | "at" | "cwd" | "parent">;
