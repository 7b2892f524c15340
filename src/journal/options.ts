/** This file has the options of one call. */
import { type Measure, wellFormed } from "../action/text.ts";
import type { TextSource, Version } from "../event/event.ts";
import { type OptionParsers, parseOptions } from "../options.ts";

/** These are the options of a call that carries out an action. */
export interface ApplyOptions {
  /** The call fails with a VersionConflictError where the stream is at another version. Every event counts, refusals too. */
  readonly expectedVersion?: Version;
  /** A name for this call, such as the id of a tool call. A repeated one appends nothing and is answered as the first time. */
  readonly command?: string;
  /** This is the name of the caller. The default is the actor of the journal. */
  readonly actor?: string;
  /**
   * This says where the text came from: `model`, `user`, `tool` or `imported`, with more behind a colon, such as
   * `tool:read_file`.
   */
  readonly source?: TextSource;
}

/** This is how long to wait for a version. */
export interface ReachedOptions {
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
}

/** This is what a face of its own kind decides notes under, instead of the journal's budget. */
export interface NotesBudget {
  /** This is the budget of notes, in the unit of `measure`. */
  readonly notes: number;
  /** It counts a text. Where it is undefined, UTF-16 code units are counted. */
  readonly measure: Measure | undefined;
  /** True writes notes as the single key of older runtimes. The default is false. */
  readonly singleKey?: boolean;
}

/** This is the length of the longest command and of the longest actor. */
export const textUnitsMax = 1024;

/** The TypeError for a command that was used before, for another action or on another branch, has this `code`. */
export const reusedCommandCode = "reused_command";

export function reusedCommand(problem: string): TypeError {
  return Object.assign(new TypeError(`${problem}: give every action a command of its own`), {
    code: reusedCommandCode,
  });
}

const parsers: OptionParsers<ApplyOptions> = {
  expectedVersion: (value, name) => parseVersion(name, value),
  command: (value, name) => parseName(name, value),
  actor: (value, name) => parseName(name, value),
  source: (value) => parseSource(value),
};

export const applyOptionNames = Object.keys(parsers);

/** Throws a TypeError that names the option. */
export function parseApplyOptions(options: unknown): ApplyOptions {
  return parseOptions(options, parsers);
}

const sourcePattern = /^(model|user|tool|imported)(:.+)?$/s;

/** Throws a TypeError that lists the sources. */
function parseSource(value: unknown): TextSource {
  if (isSource(value)) return wellFormed(value) as TextSource;
  throw new TypeError(
    'option "source" must be model, user, tool or imported, and may say more behind a colon, such as tool:read_file',
  );
}

export function isSource(value: unknown): value is TextSource {
  return typeof value === "string" && value.length <= textUnitsMax && sourcePattern.test(value);
}

export function parseVersion(name: string, value: unknown): Version {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as Version;
  throw new TypeError(`option ${JSON.stringify(name)} must be a version: a whole number from 0`);
}

/** A name is a short text that stands in every event: who wrote it, or by which command. Lone surrogates become U+FFFD. */
export function parseName(name: string, value: unknown): string {
  if (typeof value === "string" && value !== "" && value.length <= textUnitsMax) return wellFormed(value);
  throw new TypeError(`option ${JSON.stringify(name)} must be a text of 1 to ${textUnitsMax} characters`);
}
