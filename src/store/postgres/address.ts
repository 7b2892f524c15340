/**
 * Addresses have the form `postgres://[user[:password]@]host[:port]/database[?option=…&schema=…][#session]`.
 */
import { withoutPassword } from "../../errors.ts";
import { given } from "../../options.ts";
import { idOfAddress } from "../session-id.ts";

export interface PostgresAddress {
  /** The client takes it in this form. */
  readonly database: string;
  readonly schema?: string;
  /** This is undefined if the address names no session. */
  readonly session: string | undefined;
}

const schemaPattern = /([?&])schema=([^&]*)(&|$)/;

export function parsePostgresAddress(address: string): PostgresAddress {
  const cut = address.lastIndexOf("#");
  const place = cut === -1 ? address : address.slice(0, cut);
  const schema = schemaPattern.exec(place)?.[2];
  return given({
    database: place.replace(schemaPattern, (_, before, __, after) => (after === "" ? "" : before)),
    schema: schema && decodeURIComponent(schema),
    session: cut === -1 ? undefined : idOfAddress(address.slice(cut + 1)),
  });
}

/** The result is for messages, so it has no password. It opens the same database as `database`, where no password is asked for. */
export function shownAddress(database: string, schema: string | undefined): string {
  const shown = withoutPassword(database);
  if (schema === undefined) return shown;
  return `${shown}${shown.includes("?") ? "&" : "?"}schema=${schema}`;
}
