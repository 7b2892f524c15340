/** What a full-text search looks through. */

/** The texts of each event in a record, in order: what it carries, not its type, actor and command. */
export function textsOfRecord(record: string): string[] {
  const { kind, data } = JSON.parse(record) as { kind: string; data?: { events: Record<string, unknown>[] } };
  if (kind !== "commit") return [textOf(data)];
  return (data?.events ?? []).map(({ type: _, actor: __, command: ___, ...payload }) => textOf(payload));
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value)
    .map(textOf)
    .filter((text) => text !== "")
    .join("\n");
}
