/** This file leads from an address to the place of many sessions that it names. */

import { withoutPassword } from "../errors.ts";
import { folderCatalog } from "../find/folder/folder-catalog.ts";
import { databaseOptions, sharedOptions } from "../store/records/record-options.ts";
import type { SessionFileOptions } from "../store/session-file/session-file-options.ts";
import type { SessionCatalog } from "../stream/catalog.ts";
import { parseAddress } from "./addresses.ts";

/**
 * The place is a folder, `sqlite:db`, `nats://host/prefix` or `postgres://host/database`. `options` are those of a session
 * file, as for `storeAt`.
 */
export async function catalogAt(where: string | URL, options: SessionFileOptions = {}): Promise<SessionCatalog> {
  const address = parseAddress(where);
  if (address.kind !== "file" && address.session !== undefined) {
    throw new TypeError(`${withoutPassword(String(where))} names one session: leave out # and what follows`);
  }
  switch (address.kind) {
    case "file":
      return folderCatalog(address.path, options);
    case "sqlite": {
      const { sqliteCatalog } = await import("../store/sqlite/sqlite-store.ts");
      return sqliteCatalog({ ...databaseOptions(options), database: address.database });
    }
    case "nats": {
      const { jetStreamCatalog } = await import("../store/jetstream/jetstream-store.ts");
      const { parseJetStreamAddress } = await import("../store/jetstream/address.ts");
      const { session: _, ...broker } = parseJetStreamAddress(address.address);
      return jetStreamCatalog({ ...sharedOptions(options), ...broker });
    }
    case "postgres": {
      const { postgresCatalog } = await import("../store/postgres/postgres-store.ts");
      const { parsePostgresAddress } = await import("../store/postgres/address.ts");
      const { session: _, ...server } = parsePostgresAddress(address.address);
      return postgresCatalog({ ...databaseOptions(options), ...server });
    }
  }
}
