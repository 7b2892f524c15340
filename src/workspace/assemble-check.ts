/** What others hand in for a working-memory file, checked where it comes in: else its faults would stand in the file. */
import { fields } from "../event/fields.ts";
import { requireOption, requireOptions } from "../options.ts";
import type { Sentiment } from "../prompt/working-memory-sections.ts";

type Check = readonly [what: string, isRight: (value: unknown) => boolean];

const text: Check = ["a text", (value) => typeof value === "string"];
const number: Check = ["a number", (value) => Number.isFinite(value)];
const flag: Check = ["true or false", (value) => typeof value === "boolean"];
const call: Check = ["a function", (value) => typeof value === "function"];
const list: Check = ["a list", (value) => Array.isArray(value)];
const texts: Check = ["a list of texts", isTexts];
const anything: Check = ["", () => true];

const options: Readonly<Record<string, Check>> = {
  journal: ["a journal", (value) => typeof value === "object" && value !== null && "applyAll" in value],
  file: text,
  workspace: text,
  messages: list,
  providers: list,
  clock: call,
  sentiment: call,
  memorySearch: call,
  routingHint: ["{ contentSensitivity?, taskComplexity?, suggestedModel? }, all texts", isHint],
  alerts: texts,
  zoneName: text,
  actor: text,
  // Checked where their meaning is known.
  utcOffsetHours: anything,
  ttlMinutes: anything,
  tokensUnder: anything,
  measure: anything,
  providerMs: anything,
  totalMs: anything,
};

/** Throws a TypeError that names the option. */
export function requireAssembleOptions(given: unknown): void {
  requireOptions(given, ...Object.keys(options));
  for (const [name, value] of Object.entries({ journal: undefined, ...(given as object) })) {
    const [what, isRight] = options[name] as Check;
    if (value !== undefined || name === "journal") requireOption(isRight(value), value, name, what);
  }
}

const sentimentFields: readonly (readonly [path: string, check: Check])[] = [
  ["primary.name", text],
  ["primary.score", number],
  ["secondary.name", text],
  ["secondary.score", number],
  ["valence", number],
  ["arousal", number],
  ["confidence", number],
  ["strategy.style", text],
  ["strategy.tone", text],
  ["strategy.verbosity", text],
  ["strategy.preamble", flag],
];

const leftOutAtWill: readonly string[] = ["secondary", "strategy"];

/** Throws a TypeError that names the field; its message is shown in the file, so it is short. */
export function requireSentiment(given: unknown): Sentiment | undefined {
  if (given === undefined || given === null) return undefined;
  for (const [path, [what, isRight]] of sentimentFields) {
    const [first = "", second] = path.split(".");
    const outer = fields(given)[first];
    if (leftOutAtWill.includes(first) && (outer === undefined || outer === null)) continue;
    const value = second === undefined ? outer : fields(outer)[second];
    if (!isRight(value)) throw new TypeError(`${path} in the result of sentiment must be ${what}`);
  }
  return given as Sentiment;
}

/** This checks hits in the same way. */
export function requireHits(given: unknown): readonly string[] {
  if (given === undefined || given === null) return [];
  if (!isTexts(given)) throw new TypeError("memorySearch must return a list of texts");
  return given;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isHint(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((each) => each === undefined || typeof each === "string")
  );
}
