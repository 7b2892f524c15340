/**
 * A journal inside a live host: commits go through the host's own append, so that its tree and its memory stay whole, and
 * are read back through its own read and its file. Mirrors go to the file directly, as those of any other writer.
 */
import { StorageError } from "../../errors.ts";
import type { CommitData } from "../../event/commit.ts";
import type { Fields } from "../../event/fields.ts";
import { type LineNames, lineNames } from "../../line/format.ts";
import { canonicalJson } from "../../line/json.ts";
import { parseOptions } from "../../options.ts";
import { StreamStore } from "../../stream/stream-store.ts";
import { type SessionAccess, SessionFileLog } from "../session-file/session-file-log.ts";
import { defaultLock, hostSessionParsers, type SessionFileOptions } from "../session-file/session-file-options.ts";
import { sidePaths } from "../session-file/session-path.ts";
import { watchSession } from "../session-file/watch.ts";
import { type HostEntry, type HostSession, HostView, requireHost } from "./host-view.ts";

/** The options are those of a session file. `durability` applies to what the host has written; until then a commit is as safe as the host. */
export type HostSessionOptions = Pick<SessionFileOptions, keyof typeof hostSessionParsers>;

/**
 * Keeps a journal in the session that a live host holds, through the host's own append. One store serves one session: where
 * the host goes on to another, its calls reject with {@link NotASessionError}.
 *
 * @param host What the host offers: `append`, `entries` and `sessionId`.
 * @param options How the journal is kept.
 * @throws TypeError for a host without what it needs.
 * @example
 * const journal = await openJournal(hostSessionStore({ append, entries, sessionId }));
 */
export function hostSessionStore(host: HostSession, options: HostSessionOptions = {}): StreamStore {
  requireHost(host);
  const parsed = parseOptions<HostSessionOptions>(options, hostSessionParsers);
  return new StreamStore(hostSessionLog(host, parsed), parsed);
}

/** A host raises no event when it appends or navigates. */
const pollMs = 200;

function hostSessionLog(host: HostSession, options: HostSessionOptions): SessionFileLog {
  const where = host.file ?? `host session ${host.sessionId}`;
  const names = lineNames(options.namespace);
  const view = new HostView(host);
  const wakes = new Set<() => void>();
  const place: SessionAccess = {
    where,
    open: () => view.open(),
    hasMoved: (opened) => view.hasMoved(opened),
    host: {
      append: async (data) => {
        await appendToHost(host, where, names, data);
        for (const wake of wakes) queueMicrotask(wake);
      },
      leafId: host.leafId && (() => host.leafId?.()),
      hasWritten: () => view.isWritten(),
    },
    session: async () => view.requireSession(),
    lock: (take) => {
      view.requireSession();
      const { file } = host;
      // Before the host's first flush nobody else can write.
      if (file === undefined || !view.isWritten()) return undefined;
      return take(file, sidePaths(file), { ...defaultLock, ...options.lock });
    },
    bytes: () => view.open().bytes,
    watch: (wake) => watchHost(host, wakes, wake),
  };
  return new SessionFileLog(place, options);
}

async function watchHost(host: HostSession, wakes: Set<() => void>, wake: () => void): Promise<() => Promise<void>> {
  const look = (): string => {
    const entries = host.entries();
    return `${entries.length} ${entries.at(-1)?.id} ${host.leafId?.()}`;
  };
  const own = (): void => wake();
  wakes.add(own);
  let seen = look();
  const poll = setInterval(() => {
    const now = look();
    if (now !== seen) wake();
    seen = now;
  }, pollMs);
  const unwatch = host.file === undefined ? undefined : await watchSession(host.file, wake);
  return async () => {
    wakes.delete(own);
    clearInterval(poll);
    await unwatch?.();
  };
}

/** The host gets a copy in canonical form: whatever it does to it, and whenever it prints it, our own stays true. */
async function appendToHost(host: HostSession, where: string, { events }: LineNames, data: CommitData): Promise<void> {
  const text = canonicalJson(data);
  let cause: unknown;
  try {
    // @guard deep-copy
    await host.append(events, JSON.parse(text));
    const shown = host.entries().findLast((entry) => dataOf(entry, events)?.["id"] === data.id);
    if (shown !== undefined && canonicalJson(dataOf(shown, events)) === text) return;
  } catch (error) {
    cause = error;
  }
  const fault = cause === undefined ? "does not return the commit that it received" : `failed to append: ${cause}`;
  throw new StorageError(
    `the host of ${where} ${fault}: check its functions append and entries, then try again with the same command`,
    "unknown",
    { file: host.file },
    cause,
  );
}

function dataOf(entry: HostEntry, customType: string): Fields | undefined {
  const custom = entry as { readonly customType?: unknown; readonly data?: unknown };
  const isCommit = custom.customType === customType && typeof custom.data === "object" && custom.data !== null;
  return isCommit ? (custom.data as Fields) : undefined;
}
