/** What the sections of a working-memory file say, field by field. */
import { cut } from "../action/text.ts";
import type { Message } from "./working-memory-messages.ts";

/** A feeling has a name and a score. */
export interface Feeling {
  readonly name: string;
  /** The score is from 0 to 1. */
  readonly score: number;
}

/** This is what a sentiment engine finds in recent messages, and what it makes of it. */
export interface Sentiment {
  readonly primary: Feeling;
  readonly secondary?: Feeling;
  /** The valence is from -1 (negative) to 1 (positive). */
  readonly valence: number;
  /** The arousal is from 0 to 1. */
  readonly arousal: number;
  /** The confidence is from 0 to 1. */
  readonly confidence: number;
  readonly strategy?: ResponseStrategy;
}

/** This says what to answer a user with that feeling. */
export interface ResponseStrategy {
  readonly style: string;
  readonly tone: string;
  readonly verbosity: string;
  readonly preamble: boolean;
}

/** This hint says which model a task needs. */
export interface RoutingHint {
  readonly contentSensitivity?: string;
  readonly taskComplexity?: string;
  readonly suggestedModel?: string;
}

/** `before` has the sections that were written earlier, oldest first. */
export function emotionalContext(sentiment: Sentiment, before: readonly string[]): string {
  const { primary, secondary, valence, arousal, confidence } = sentiment;
  const trajectory = trajectoryOf(primary, before);
  return lines([
    `- **Primary:** ${feeling(primary)}`,
    secondary && `- **Secondary:** ${feeling(secondary)}`,
    `- **Valence:** ${decimal(valence)} (${valenceWord(valence)}) | **Arousal:** ${decimal(arousal)} (${arousalWord(arousal)})`,
    `- **Confidence:** ${decimal(confidence)}`,
    trajectory && `- **Trajectory:** ${trajectory}`,
  ]);
}

export function responseStrategy({ style, tone, verbosity, preamble }: ResponseStrategy): string {
  return lines([
    `- **Style:** ${oneLine(style)}`,
    `- **Tone:** ${oneLine(tone)}`,
    `- **Verbosity:** ${oneLine(verbosity)}`,
    `- **Preamble:** ${preamble ? "YES" : "NO"}`,
  ]);
}

export function routingHint(hint: RoutingHint): string {
  const { contentSensitivity, taskComplexity, suggestedModel } = hint;
  return lines([
    contentSensitivity && `- Content sensitivity: ${oneLine(contentSensitivity)}`,
    taskComplexity && `- Task complexity: ${oneLine(taskComplexity)}`,
    suggestedModel && `- Suggested model: ${oneLine(suggestedModel)}`,
  ]);
}

export function bullets(items: readonly string[]): string {
  return lines(items.map((item) => `- ${oneLine(item)}`));
}

/** What the agent is at, as far as its plan, the messages and the time since anybody wrote tell. */
export function activeContext(
  step: string | undefined,
  messages: readonly Message[],
  gapMs: number | undefined,
): string {
  const topic = messages.findLast(({ role, text }) => role === "user" && text.trim() !== "")?.text;
  return lines([
    step && `- Working on: ${oneLine(step)}`,
    topic && `- Last topic: ${oneLine(topic.trim().split("\n")[0] ?? "")}`,
    gapMs === undefined ? "" : `- Session gap: ${gapText(Math.max(0, gapMs))}`,
  ]);
}

const primaryLine = /^- \*\*Primary:\*\* (.+) \((-?\d+(?:\.\d+)?)\)$/m;

/** The result says how the feeling changed: "0.8 at the start, falling". It is undefined if there was no such feeling before. */
function trajectoryOf({ name, score }: Feeling, before: readonly string[]): string | undefined {
  const scores = before.flatMap((text) => {
    const [, primary, written] = primaryLine.exec(text) ?? [];
    return primary === oneLine(name) ? [Number(written)] : [];
  });
  const [first, last] = [scores[0], scores.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const change = Math.round((score - last) * 100);
  return `${decimal(first)} at the start, ${change < 0 ? "falling" : change > 0 ? "rising" : "steady"}`;
}

const hourMs = 3_600_000;

/** After so long a recap is worth its tokens. */
const longGapMs = 6 * hourMs;

function gapText(gapMs: number): string {
  const hours = Math.floor(gapMs / hourMs);
  const length =
    hours < 1 ? `${Math.floor(gapMs / 60_000)} min` : hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
  return `${length} (${gapMs < longGapMs ? "short, no context resurrection needed" : "long, recap before going on"})`;
}

function feeling({ name, score }: Feeling): string {
  return `${oneLine(name)} (${decimal(score)})`;
}

function valenceWord(valence: number): string {
  return valence < -0.1 ? "negative" : valence > 0.1 ? "positive" : "neutral";
}

function arousalWord(arousal: number): string {
  return arousal < 0.35 ? "low" : arousal < 0.65 ? "medium" : "high";
}

/** The number has at most two decimal places. It throws a TypeError for a value that is not a number. */
function decimal(value: number): string {
  if (Number.isFinite(value)) return String(Math.round(value * 100) / 100);
  throw new TypeError(`a score must be a number, not ${String(value)}`);
}

const fieldUnitsMax = 160;

/** A field takes one line, and not a long one, so that it cannot pass for another field. */
function oneLine(text: string): string {
  const { kept, dropped } = cut(text.replace(/\s+/g, " ").trim(), fieldUnitsMax);
  return dropped === "" ? kept : `${kept}…`;
}

function lines(fields: readonly (string | undefined)[]): string {
  return fields.filter((field) => field !== undefined && field !== "").join("\n");
}
