/** What a caller says about a merge, and is told of it. */
import type { Answer } from "../action/answer.ts";
import type { MergeOptions, MergePlan } from "../audit/merge.ts";

/** How a session is merged; the budgets are those of the journal. */
export interface MergeFromOptions extends Pick<MergeOptions, "spaces" | "conflicts"> {
  /** True plans and appends nothing. The default is false. */
  readonly dryRun?: boolean;
  /** Who is named for all of it. The default is who wrote it, with the beginning of the other session's id. */
  readonly actor?: string;
}

/** This is the result of `journal.merge`. */
export interface Merged extends MergePlan {
  /** False: nothing was appended, and `message` says why. Of a dry run: whether it would be. */
  readonly ok: boolean;
  /** The message is one line. */
  readonly message: string;
  /** What each step was answered. */
  readonly answers: readonly Answer[];
}
