/** Texts that are too long to be shown or compared: what stands for them says how long they are, and what they are known by. */
import type { RecordedEvent } from "../event/event.ts";
import { hashText } from "../line/chain.ts";
import { longTextUnits } from "./long-text-units.ts";

/** `place`: where the whole text stands. */
export function longTextNotice(text: string, place: string): string {
  return `(${text.length} characters, too many to be shown here; SHA-256 ${hashText(text)}…; ${place})`;
}

/** The event with what stands for its long texts; the very event where it has none. */
export function withoutLongTexts(recorded: RecordedEvent): RecordedEvent {
  if (!hasLongText(recorded.event)) return recorded;
  const { version, offset } = recorded;
  const place = offset === undefined ? `version ${version}` : `version ${version}, in the line at byte ${offset}`;
  return { ...recorded, event: shortened(recorded.event, place) as RecordedEvent["event"] };
}

function hasLongText(value: unknown): boolean {
  if (typeof value === "string") return value.length > longTextUnits;
  return typeof value === "object" && value !== null && Object.values(value).some(hasLongText);
}

function shortened(value: unknown, place: string): unknown {
  if (typeof value === "string") return value.length > longTextUnits ? longTextNotice(value, place) : value;
  if (Array.isArray(value)) return value.map((item) => shortened(item, place));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, content]) => [field, shortened(content, place)]));
}
