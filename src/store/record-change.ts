/** What lists of sessions say of a session's newest record. */

/** When and by whom, as the record says. Another writer's commit may hold anything there. */
export function changeOf(record: string): [at: string | null, actor: string | null] {
  const { kind, data, timestamp } = JSON.parse(record) as {
    kind: string;
    data: { at?: unknown; events: { actor?: unknown }[] };
    timestamp?: unknown;
  };
  if (kind !== "commit") return [textOr(timestamp, null), "host"];
  return [textOr(data.at, null), textOr(data.events.at(-1)?.actor, "agent")];
}

/** A database takes no `true`: libsql ends the process over it. */
function textOr<Fallback>(value: unknown, fallback: Fallback): string | Fallback {
  return typeof value === "string" ? value : fallback;
}
