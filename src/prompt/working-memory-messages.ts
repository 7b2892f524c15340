/** These are recent messages, in whatever shape a host keeps them. */
import { type Fields, fields } from "../event/fields.ts";

export interface Message {
  readonly role: string;
  readonly text: string;
  /** The time is in milliseconds. It is absent if the message does not have one. */
  readonly time?: number;
}

/**
 * Reads messages of the shapes `{ role, content }`, with `content` a text or parts of `{ type: "text", text }`, alone or
 * under `message` as in the lines of a session file. Their time may stand under `timestamp`, `at` or `createdAt`. What is
 * no message is passed over.
 */
export function readMessages(values: readonly unknown[]): Message[] {
  return values.flatMap((value) => {
    const line = fields(value);
    const message = typeof line["message"] === "object" ? fields(line["message"]) : line;
    const { role, content, text = content } = message;
    if (typeof role !== "string") return [];
    const time = timeOf(message) ?? timeOf(line);
    return [{ role, text: textOf(text), ...(time === undefined ? {} : { time }) }];
  });
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map(fields)
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
    .join("\n");
}

function timeOf({ timestamp, at, createdAt }: Fields): number | undefined {
  const given = timestamp ?? at ?? createdAt;
  const time = given instanceof Date ? given.getTime() : typeof given === "string" ? Date.parse(given) : given;
  return typeof time === "number" && Number.isFinite(time) ? time : undefined;
}
