import { existsSync } from "node:fs";
import path from "node:path";
import { withoutPassword } from "../../errors.ts";
import { sessionFinder } from "../../find/find-sessions.ts";
import { finderBelow } from "../../find/lying-sessions.ts";
import { parseAddress, storeAt } from "../../open/addresses.ts";
import { aborted } from "../aborted.ts";
import { damageIn, type ReadOptions, readOptions } from "../session.ts";
import { UsageError } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";
import { tellJournal } from "../view/session-feed.ts";
import { SessionList, type SessionSource } from "../view/session-list.ts";
import { type SessionReading, SessionReadings } from "../view/session-reading.ts";
import { foundSource, placeSource, sessionSource } from "../view/sources.ts";
import { serveView } from "../view/view-server.ts";
import { isFolder, placeNamed } from "../where.ts";

export const view: Verb = {
  about: "show sessions in your browser while they are written",
  where: "session or folder",
  isWhereOptional: true,
  options: {
    all: { about: "without a place: the sessions of every folder" },
    port: { value: "PORT", about: "the port on the loopback address (default: a free one)" },
  },
  notes: [
    "Without a place: the sessions of this folder, of all clients.",
    "With one: a session, a folder, sqlite:journals.db, nats://host/prefix or postgres://host/database.",
    "The page is served only on this machine, to those who have the printed address. Nothing is written.",
    "It ends with Ctrl+C, or when the terminal closes.",
  ],
  example: "session-journal view --all",
  async run(call) {
    const { options, output, interruption } = call;
    const port = options.port("port") ?? 0;
    const { title, sources } = await shownBy(call);
    const list = new SessionList(sources);
    const readings = new SessionReadings();
    // Where the address could not be printed, nobody can open the page.
    const signal = AbortSignal.any([interruption(), output.closed]);
    const shown = {
      title,
      tellSessions: list.tell.bind(list),
      async tellSession(key: string, ...[tell, left]: Parameters<typeof list.tell>) {
        const opening = list.find(key);
        if (opening === undefined) return false;
        const title = nameOf(opening.listed.where);
        await readings.use(opening, (reading) => tellJournal({ reading, opening, title, tell, signal: left }));
        return true;
      },
    };
    const serving = await serveView(shown, port).catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`port ${port} cannot be used (${error.code ?? error.message}): leave out --port`);
    });
    const { only } = list;
    const url = only === undefined ? serving.url : `${serving.url}#s=${only.listed.key}`;
    if (options.flag("json")) output.json({ url });
    else output.line(url);
    await output.written();
    // Of one session, everything is read while the browser starts.
    const reading = only === undefined ? aborted(signal) : readings.use(only, (held) => readUntil(signal, held, call));
    try {
      await reading;
    } finally {
      await serving.close();
    }
    return 0;
  },
};

async function shownBy(call: Call): Promise<{ title: string; sources: readonly SessionSource[] }> {
  const { where, options, env } = call;
  const read = await readOptions(options, env);
  const isAll = options.flag("all");
  if (where === "") {
    const title = isAll ? "Sessions of this machine" : `Sessions of ${path.basename(process.cwd())}`;
    return { title, sources: [foundSource(() => sessionFinder({ env, all: isAll }), read)] };
  }
  if (isAll) throw new UsageError("--all looks in every folder: leave out --all, or the place");
  const named = await placeNamed(where, "read", env);
  const address = parseAddress(named);
  if (address.kind !== "file") {
    const source = address.session === undefined ? placeSource(named, read) : sessionSource(named, read);
    return { title: nameOf(named), sources: [source] };
  }
  const folder = path.resolve(address.path);
  if (isFolder(folder)) {
    const title = `Sessions of ${path.basename(folder)}`;
    const ofFolder = foundSource(() => sessionFinder({ env, folder }), read);
    const lying = foundSource(() => finderBelow(folder), read);
    // The first that knows a session speaks for it: a journal in a client's file is listed as one, as by ls.
    return { title, sources: [ofFolder, placeSource(folder, read), lying] };
  }
  // A wrong key or path, and a file that is no session, is told at once. The rest is read when the address is printed.
  if (read.seal !== undefined || !existsSync(folder)) await call.open("read");
  else await mustBeSession(address.path, read);
  return { title: nameOf(folder), sources: [sessionSource(address.path, read)] };
}

async function mustBeSession(file: string, read: ReadOptions): Promise<void> {
  const store = await storeAt(file, { ...read, readonly: true, create: false });
  await store.sessionId().finally(() => store.close());
}

/** What the page says of damage may not be looked at, so that it is said here, too. */
async function readUntil(signal: AbortSignal, reading: SessionReading, { warn }: Call): Promise<void> {
  await Promise.race([reading.refresh(), aborted(signal)]);
  if (reading.store.isDamaged()) warn(damageIn(reading.store.where));
  await aborted(signal);
}

function nameOf(where: string): string {
  return path.basename(withoutPassword(where));
}
