/** This file checks the options of `openJournal` in one place. */
import { type Limits, parseLimits } from "../action/limits.ts";
import { checkedMeasures, type Measures } from "../action/measures.ts";
import type { Dedupe } from "../action/ref-form.ts";
import { parseName } from "../journal/options.ts";
import type { MirrorMode } from "../line/legacy.ts";
import { flag, type OptionParsers, oneOf, parseOptions } from "../options.ts";
import type { ScratchpadConfig } from "../prompt/config.ts";
import { type SessionFileOptions, sessionFileParsers } from "../store/session-file/session-file-options.ts";
import type { Address } from "./addresses.ts";

/**
 * `limits`, `actor`, `measure`, `readonly` and `follow` are the journal's; the others are the session file's. A database or a
 * broker has none of `namespace`, `fold`, `mirror` and `files`, and refuses them. A store that is handed in has its own
 * options: there `namespace`, `fold`, `mirror`, `seal` and `strict` are refused, the rest says nothing.
 */
export interface OpenOptions extends Omit<SessionFileOptions, "cwd" | "clock" | "parentSession" | "sessionId"> {
  /** These budgets replace the default ones. */
  readonly limits?: Partial<Limits>;
  /** This is the name under which changes are recorded, unless a call gives another one. The default is "agent". */
  readonly actor?: string;
  /**
   * Counts texts in another unit than that of their budget, such as tokens: a function for notes, plan and entries, or one for
   * each space by its name. What it counts must grow with the text.
   */
  readonly measure?: Measures;
  /**
   * A ref is kept once: with `exact` if the text is the same, with `normalised` if the URL or path is the same. Adding one that
   * is there appends nothing, and the answer says which it is. The default keeps refs as they come: false.
   */
  readonly dedupe?: Dedupe | false;
  /** Writes nothing, and refuses to: false. */
  readonly readonly?: boolean;
  /** Keep `state` in step with the stream until the journal is closed, which also keeps the process alive: false. */
  readonly follow?: boolean;
}

/** What is repeated for older runtimes: those with a single key know of that one alone. */
export function mirrorOf({ face }: Pick<ScratchpadConfig, "face">): MirrorMode {
  return face === "single-key" ? "single-key" : true;
}

const { clock: _, cwd: __, sessionId: ___, parentSession: ____, ...ofFile } = sessionFileParsers;

const parsers: OptionParsers<OpenOptions> = {
  ...ofFile,
  limits: (value) => parseLimits(value),
  actor: (value, name) => parseName(name, value),
  measure: (value, name) => checkedMeasures(value, `option ${JSON.stringify(name)}`),
  dedupe: oneOf(false, "exact", "normalised"),
  follow: flag,
};

/** Throws a TypeError that names the option. */
export function parseOpenOptions(options: unknown): OpenOptions {
  return parseOptions(options, parsers);
}

/** A store that is handed in was told already: a seal that it does not have would seal nothing. Throws a TypeError. */
export function requireOfJournal(options: OpenOptions): void {
  const name = ofFormat.find((each) => options[each] !== undefined);
  if (name === undefined) return;
  throw new TypeError(`option ${JSON.stringify(name)} belongs to the store: set it where you create the store`);
}

/** Says it of what only a session file has. Throws a TypeError. */
export function requireOfPlace({ kind }: Address, options: OpenOptions): void {
  if (kind === "file") return;
  const name = ofFiles.find((each) => options[each] !== undefined && !isSoAnyway(each, options));
  if (name === undefined) return;
  throw new TypeError(
    `option ${JSON.stringify(name)} belongs to session files, and ${kind}: is none: leave it out, or open a session file`,
  );
}

/** A place that keeps records has no lines with types, no branches, no runtimes that read values, and no other client's files. */
const ofFiles = ["namespace", "fold", "mirror", "files"] as const satisfies readonly (keyof OpenOptions)[];
/** The value says what such places do without it. */
function isSoAnyway(name: (typeof ofFiles)[number], { fold, mirror }: OpenOptions): boolean {
  return (name === "fold" && fold === "file") || (name === "mirror" && mirror !== "single-key");
}

/**
 * What is written and read hangs on these options. How safely and how fast it is done hangs on the others, and a store answers for that.
 */
const ofFormat = ["namespace", "fold", "mirror", "seal", "strict"] as const satisfies readonly (keyof OpenOptions)[];
