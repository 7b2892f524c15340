/** From an address to the place of many sessions that it names. */
import type { SessionFileOptions } from "./session-file/session-file-options.ts";
import { sessionShelf } from "./session-file/session-shelf.ts";
import { databaseOptions, sharedOptions } from "./shared-options.ts";
import type { SessionShelf } from "./store.ts";
import { parseAddress } from "./store-at.ts";

/** A folder, `sqlite:db` or `nats://host/prefix`. `options` are those of a session file, as for `storeAt`. */
export async function shelfAt(where: string | URL, options: SessionFileOptions = {}): Promise<SessionShelf> {
  const address = parseAddress(where);
  if (address.kind !== "file" && address.session !== undefined) {
    throw new TypeError(`${where} names one session: leave out # and what follows`);
  }
  switch (address.kind) {
    case "file":
      return sessionShelf(address.path, options);
    case "sqlite": {
      const { sqliteShelf } = await import("./sqlite/sqlite-shelf.ts");
      return sqliteShelf({ ...databaseOptions(options), database: address.database });
    }
    case "nats": {
      const { jetStreamShelf } = await import("./jetstream/jetstream-shelf.ts");
      const { parseJetStreamAddress } = await import("./jetstream/address.ts");
      const { session: _, ...broker } = parseJetStreamAddress(address.address);
      return jetStreamShelf({ ...sharedOptions(options), ...broker });
    }
  }
}
