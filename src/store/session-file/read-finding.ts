import type { LineNames, SessionLine } from "../../line/format.ts";
import { isTornLine } from "../../line/torn.ts";
import type { AcceptanceFinding, Verdict } from "../../line/verdict.ts";

/** What was found wrong with a commit on the way, where the caller must care; `torn` and `inherited` are no damage. */
export interface ReadFinding {
  readonly kind: AcceptanceFinding | "torn" | "damaged";
  readonly offset: number;
  readonly detail: string;
  readonly doubtful: boolean;
}

export const findingTexts: Readonly<Record<AcceptanceFinding, string>> = {
  hash: "its hash does not match its data",
  duplicate: "its id or a command was accepted before",
  fork: "it was decided on a version that others had already passed",
  gap: "a commit before it is missing",
  inherited: "a commit before it is in the session that this one was branched off",
  sealed: "only the holder of the seal's key can check it",
};

export function findingOf({ finding, doubtful }: Verdict, offset: number): ReadFinding | undefined {
  if (finding === undefined) return undefined;
  return { kind: finding, offset, detail: findingTexts[finding], doubtful: doubtful === true };
}

/** Of a line of ours that cannot be read. `line`: its bytes, absent where they are too many to be a torn line. */
export function damageIn(
  { reason, broken }: Extract<SessionLine, { kind: "damaged" }>,
  names: LineNames,
  offset: number,
  line: Uint8Array | undefined,
): ReadFinding {
  const isTorn = broken && line !== undefined && isTornLine(line, names);
  return { kind: isTorn ? "torn" : "damaged", offset, detail: reason, doubtful: false };
}

export function isDamage({ kind }: ReadFinding): boolean {
  return kind === "gap" || kind === "hash" || kind === "damaged";
}
