/** What the compiler must accept of a user's program, and what it must refuse. It is compiled with the tests, and never run. */
import type { Answer, IsoTime, Journal, Point, StorageError, VersionConflictError } from "../../src/index.ts";
import { isJournalError, parsePoint } from "../../src/index.ts";

declare const journal: Journal;
declare const typed: string;
declare const failure: unknown;

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectType<_Same extends true>(): void {}

export function actions(): readonly Promise<Answer>[] {
  return [
    journal.apply({ action: "set_plan", content: "1. Fix" }),
    journal.apply({ action: "edit_notes", operation: "find_replace", find: "a", replace: "b" }),
    // @ts-expect-error no such action
    journal.apply({ action: "set_plans", content: "1. Fix" }),
    // @ts-expect-error its content is missing
    journal.apply({ action: "set_plan" }),
    // @ts-expect-error a parameter of another action
    journal.apply({ action: "set_plan", content: "", ref: "a" }),
    // @ts-expect-error a text of a model is no action
    journal.apply(JSON.parse(typed) as unknown),
    journal.applyUnknown(JSON.parse(typed) as unknown, { command: "toolu_01" }),
  ];
}

export function points(): readonly Promise<unknown>[] {
  const head: IsoTime = "2026-03-09T13:18:36Z";
  const all: readonly Point[] = [12, "12", "v12", "t4", "#a1b2", head, "head", parsePoint(typed)];
  return [
    ...all.map((point) => journal.at(point)),
    // @ts-expect-error no point has this form
    journal.at("yesterday"),
    // @ts-expect-error a text has to be parsed first
    journal.at(typed),
    // @ts-expect-error a turn has a number
    journal.diff("turn 4"),
  ];
}

export function errors(): number | string | undefined {
  if (isJournalError(failure, "version_conflict")) {
    expectType<Same<typeof failure, VersionConflictError>>();
    return failure.expected - failure.actual;
  }
  if (isJournalError(failure) && failure.code === "storage") {
    expectType<Same<typeof failure, StorageError>>();
    return failure.fate;
  }
  // @ts-expect-error no such code
  return isJournalError(failure, "conflict") ? "" : undefined;
}

export function members(): void {
  // @ts-expect-error the state is read-only
  journal.state.plan = "";
  // @ts-expect-error how a journal is resumed is not its user's to see
  void journal.projection;
}
