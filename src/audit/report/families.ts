/** The session of a subagent belongs below the one that it works for. */

interface Relative {
  readonly client: string;
  readonly session: string;
  readonly parent?: string;
}

/**
 * Answers sessions, each followed by those of its subagents. A family stands where the first of its members stood; a
 * session whose parent is not there stands alone.
 */
export function inFamilies<Session extends Relative>(sessions: readonly Session[]): Session[] {
  const isChild = childrenAmong(sessions);
  const known = new Map(sessions.map((session) => [nameOf(session), session]));
  const children = new Map<string, Session[]>();
  for (const session of sessions.filter(isChild)) {
    const parent = parentOf(session);
    children.set(parent, [...(children.get(parent) ?? []), session]);
  }
  const listed = new Set<Session>();
  const withChildren = (session: Session): Session[] => {
    if (listed.has(session)) return [];
    listed.add(session);
    return [session, ...(children.get(nameOf(session)) ?? []).flatMap(withChildren)];
  };
  /** Parents may name each other in a ring. */
  const headOf = (session: Session, passed: ReadonlySet<Session> = new Set()): Session => {
    const parent = isChild(session) ? known.get(parentOf(session)) : undefined;
    return parent === undefined || passed.has(parent) ? session : headOf(parent, new Set([...passed, parent]));
  };
  return sessions.flatMap((session) => [...withChildren(headOf(session)), ...withChildren(session)]);
}

/** Says of a session whether its parent is there, too. */
export function childrenAmong(sessions: readonly Relative[]): (session: Relative) => boolean {
  const names = new Set(sessions.map(nameOf));
  return (session) => session.parent !== session.session && names.has(parentOf(session));
}

function nameOf({ client, session }: Relative): string {
  return `${client} ${session}`;
}

function parentOf({ client, parent = "" }: Relative): string {
  return `${client} ${parent}`;
}
