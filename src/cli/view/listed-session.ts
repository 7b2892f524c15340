/** A session as the list of a view shows it. */

import { createHash } from "node:crypto";
import type { ListedSession } from "../../audit/report/listed-session.ts";
import type { FoundSession, SessionPlace } from "../../find/found-session.ts";
import { given } from "../../options.ts";
import type { JournalStore } from "../../stream/stream-store.ts";

/** This is a listed session, with the function that opens it. */
export interface Opening {
  readonly listed: ListedSession;
  readonly open: () => Promise<JournalStore>;
}

/** Stands for a place in the page and in its address: what the page asks for is never a path. */
export function keyOf(where: string): string {
  return createHash("sha256").update(where).digest("base64url").slice(0, 16);
}

/** A session that was not read yet is listed with what its place says. */
export function listedFound(found: SessionPlace & Partial<FoundSession>): ListedSession {
  const { client, title, clientVersion, session, where, at, cwd, turns, progress, firstMessage, parent } = found;
  return {
    ...{ key: keyOf(where), client, title, session, where, at },
    ...given({ clientVersion, turns, folder: cwd, progress, firstMessage, parent }),
  };
}
