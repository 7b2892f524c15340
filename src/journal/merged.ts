/** What a caller says about a merge, and is told of it. */
import type { Answer } from "../action/answer.ts";
import type { MergeOptions, MergePlan } from "../audit/merge.ts";

/** This is how a session is merged; the budgets are those of the journal. */
export interface MergeFromOptions extends Pick<MergeOptions, "spaces" | "conflicts"> {
  /** True plans and appends nothing. The default is false. */
  readonly dryRun?: boolean;
  /**
   * This is who is named for all of it. The default is the name of whoever wrote it, with the beginning of the other session's
   * id.
   */
  readonly actor?: string;
}

/** This is the result of `journal.merge`. */
export interface Merged extends MergePlan {
  /** With false, nothing was appended, and `message` says why. For a dry run, it says whether anything would be. */
  readonly ok: boolean;
  /** The message is one line. */
  readonly message: string;
  /** This is what each step was answered. */
  readonly answers: readonly Answer[];
}
