import type { AcceptanceFinding, Verdict } from "../../line/acceptance.ts";
import type { LineNames } from "../../line/format.ts";
import { isTornLine } from "../../line/torn.ts";

/** What was found wrong with a commit on the way, where the caller must care; `torn` and `inherited` are no damage. */
export interface ReadFinding {
  readonly kind: AcceptanceFinding | "inherited" | "torn" | "damaged";
  readonly offset: number;
  readonly detail: string;
  readonly doubtful: boolean;
}

export const findingTexts: Readonly<Record<AcceptanceFinding, string>> = {
  hash: "its hash does not match its data",
  duplicate: "its id or a command was accepted before",
  fork: "it was decided on a version that others had already passed",
  gap: "a commit before it is missing",
  sealed: "only the holder of the seal's key can check it",
};

/** `isOfBranch`: what is missing may have been left behind where the host branched into this session. */
export function findingOf(verdict: Verdict, offset: number, isOfBranch: boolean): ReadFinding | undefined {
  const { finding, doubtful = false } = verdict;
  if (finding === undefined) return undefined;
  const kind = finding === "gap" && isOfBranch ? "inherited" : finding;
  return { kind, offset, detail: findingTexts[finding], doubtful };
}

/** Of a line of ours that cannot be read. */
export function damageIn(line: Uint8Array, names: LineNames, reason: string, offset: number): ReadFinding {
  return { kind: isTornLine(line, names) ? "torn" : "damaged", offset, detail: reason, doubtful: false };
}

export function isDamage({ kind }: ReadFinding): boolean {
  return kind === "gap" || kind === "hash" || kind === "damaged";
}
