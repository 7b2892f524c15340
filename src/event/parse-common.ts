/**
 * This file parses by hand the events that histories mostly consist of: a table that serves every type takes three times as long, and a
 * first reading parses thousands before that code is compiled. With undefined as its result, the table has to decide.
 */
import type { WrittenEvent } from "./commit.ts";
import type { ScratchpadEvent } from "./event.ts";

interface CommonFields {
  readonly type: string;
  readonly text?: unknown;
  readonly key?: unknown;
  readonly ref?: unknown;
  readonly evicted?: unknown;
  readonly dropped?: unknown;
  readonly ignored?: unknown;
}

export function parseCommon(raw: WrittenEvent): ScratchpadEvent | undefined {
  const { type, text, key, ref, evicted, dropped, ignored }: CommonFields = raw;
  switch (type) {
    case "notes.set":
    case "plan.set":
      if (typeof text !== "string" || dropped !== undefined || ignored !== undefined) return undefined;
      return Object.freeze({ type, text });
    case "notes.appended":
      return typeof text === "string" ? Object.freeze({ type, text }) : undefined;
    case "entry.written":
      return typeof key === "string" && typeof text === "string" ? Object.freeze({ type, key, text }) : undefined;
    case "ref.added":
      if (typeof ref !== "string") return undefined;
      if (evicted === undefined) return Object.freeze({ type, ref });
      return typeof evicted === "string" ? Object.freeze({ type, ref, evicted }) : undefined;
  }
  return undefined;
}
