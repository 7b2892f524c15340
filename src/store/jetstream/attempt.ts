/** One try to append a record to a subject, and what may have become of it. */
import type { Sent } from "./broker.ts";

/** What is being appended. */
export interface Attempt {
  readonly json: string;
  /** For the broker, which drops what it has had under the same id. */
  readonly id: string;
  /** The place that it follows on. */
  readonly after: number;
}

export type Fate = "not-written" | "unknown";

/** Why it was not kept. */
export function causeOf(sent: Sent): unknown {
  return "cause" in sent ? sent.cause : new Error("other writers were always faster");
}
