/** What lists and searches say of a record. Another writer's commit may hold anything there. */
import type { Version } from "../../event/event.ts";

export interface Hit {
  readonly session: string;
  readonly version: Version;
  /** The text is the place of the hit in what the event carries, with `[` and `]` around each match. */
  readonly text: string;
}

interface Written {
  readonly kind: string;
  readonly data?: { readonly at?: unknown; readonly events: readonly Readonly<Record<string, unknown>>[] };
  readonly timestamp?: unknown;
}

/** The result says when the newest event was written, and by whom. */
export function changeOf(record: string): [at: string | null, actor: string | null] {
  const { kind, data, timestamp } = JSON.parse(record) as Written;
  if (kind !== "commit") return [textOr(timestamp, null), "host"];
  return [textOr(data?.at, null), textOr(data?.events.at(-1)?.["actor"], "agent")];
}

/** The text of each event in a record that ends at `version`: what it carries, not its type, actor and command. */
export function searchedIn(record: string, version: Version): { readonly version: Version; readonly text: string }[] {
  const { kind, data } = JSON.parse(record) as Written;
  const carried =
    kind === "commit" ? (data?.events ?? []).map(({ type: _, actor: __, command: ___, ...rest }) => rest) : [data];
  return carried
    .map((each, index) => ({ version: version - carried.length + index + 1, text: textIn(each) }))
    .filter(({ text }) => text !== "");
}

/** A database takes no `true`: libsql ends the process over it. */
function textOr<Fallback>(value: unknown, fallback: Fallback): string | Fallback {
  return typeof value === "string" ? value : fallback;
}

function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value)
    .map(textIn)
    .filter((text) => text !== "")
    .join("\n");
}
