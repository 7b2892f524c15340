/** Reading what others wrote: a value may be of any type. */
import { fields } from "../event/fields.ts";

export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function texts(value: unknown): readonly string[] {
  return list(value).filter((item) => typeof item === "string");
}

/** The result is a text, or the texts of the blocks of a message, one below the other. */
export function blockText(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .map((block) => text(fields(block)["text"]))
    .filter((part) => part !== undefined)
    .join("\n");
}

/** The result is undefined if the text is not JSON. */
export function parsed(json: string | Buffer): unknown {
  try {
    return JSON.parse(typeof json === "string" ? json : json.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** These times are right whatever the year, and nearly all are such: reading a time takes longer than looking at it. */
const usualTime =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;

/** The result is an ISO time. JavaScript also reads times in words, with any text in brackets: of these it is the same time, without the text. */
export function time(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > 40) return undefined;
  return usualTime.test(value) ? value : timeOf(Date.parse(value));
}

/** The value is in milliseconds since 1970, or NaN. */
export function timeOf(value: unknown): string | undefined {
  return typeof value === "number" && Math.abs(value) <= 8.64e15 ? new Date(value).toISOString() : undefined;
}
