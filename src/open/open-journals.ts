/** Many sessions at once: listed, opened one by one, followed together. */
import { ClosedError } from "../errors.ts";
import type { SessionChange } from "../journal/follow-all.ts";
import type { Journal } from "../journal/public.ts";
import { requireOptions } from "../options.ts";
import type { SessionFileOptions } from "../store/session-file/session-file-options.ts";
import type { SessionCatalog, SessionSummary } from "../stream/catalog.ts";
import { parseAddress } from "./addresses.ts";
import { openOwnStore } from "./open-journal.ts";
import { type OpenOptions, parseOpenOptions, requireOfPlace } from "./open-options.ts";

/** This is a place of many journals, as `openJournals` opens it. */
export interface Journals {
  /** This is the folder or address, for messages. */
  readonly where: string;
  /** This lists every session once, in no particular order. */
  list(): AsyncIterable<SessionSummary>;
  /**
   * Opens a session by the name that `list` gives it, or a new one. Closing the journal leaves the others open. `options` go
   * before those of all.
   */
  open(session: string, options?: OpenOptions): Promise<Journal>;
  /**
   * This is what happens in every session once the list has been read, which the first step does: each event in its session's
   * order, exactly once. Memory holds a version for each session, and the news of a few.
   */
  follow(options?: { readonly signal?: AbortSignal }): AsyncIterableIterator<SessionChange>;
  /** Ends what follows. Journals that were opened here are their callers' to close, before. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a place of many sessions, to list, open and follow them.
 *
 * @param where A folder, which stands for the session files in it and in the folders below, an address (`sqlite:db`,
 *   `nats://host/prefix`, `postgres://host/database`), or a `SessionCatalog`, which stays open when this is closed.
 * @param options The options of the journals that are opened here, as for `openJournal`.
 * @throws StorageError where the place cannot be read.
 * @throws TypeError for an option that does not exist.
 * @example
 * const journals = await openJournals("sessions");
 * for await (const { session, version } of journals.list()) console.log(session, version);
 * await journals.close();
 */
export async function openJournals(where: string | URL | SessionCatalog, options?: OpenOptions): Promise<Journals> {
  const parsed = parseOpenOptions(options);
  if (isCatalog(where)) return new OpenedJournals(where, parsed, false);
  if (typeof where === "string" || where instanceof URL) {
    requireOfPlace(parseAddress(where), parsed);
    return new OpenedJournals(await openCatalog(where, ofFile(parsed)), parsed, true);
  }
  throw new TypeError(
    "name a folder, an address of many sessions (sqlite:db, nats://host/prefix, postgres://host/database) or a catalog",
  );
}

function isCatalog(where: unknown): where is SessionCatalog {
  return typeof where === "object" && where !== null && "list" in where && "open" in where;
}

async function openCatalog(where: string | URL, options: SessionFileOptions): Promise<SessionCatalog> {
  const { catalogAt } = await import("./catalog-at.ts");
  return catalogAt(where, options);
}

function ofFile({
  limits: _,
  actor: __,
  measure: ___,
  follow: ____,
  dedupe: _____,
  ...options
}: OpenOptions): SessionFileOptions {
  return options;
}

class OpenedJournals implements Journals {
  readonly where: string;
  readonly #catalog: SessionCatalog;
  readonly #options: OpenOptions;
  readonly #ownsCatalog: boolean;
  readonly #closing = new AbortController();

  constructor(catalog: SessionCatalog, options: OpenOptions, ownsCatalog: boolean) {
    this.where = catalog.where;
    this.#catalog = catalog;
    this.#options = options;
    this.#ownsCatalog = ownsCatalog;
  }

  async *list(): AsyncGenerator<SessionSummary> {
    this.#mustBeOpen();
    yield* this.#catalog.list();
  }

  async open(session: string, options?: OpenOptions): Promise<Journal> {
    this.#mustBeOpen();
    const merged = { ...this.#options, ...parseOpenOptions(options) };
    return openOwnStore(this.#catalog.open(session, ofFile(merged)), merged);
  }

  follow(options: { readonly signal?: AbortSignal } = {}): AsyncIterableIterator<SessionChange> {
    requireOptions(options, "signal");
    const { signal } = options;
    const closing = this.#closing.signal;
    return this.#changes(signal === undefined ? closing : AbortSignal.any([closing, signal]));
  }

  async *#changes(signal: AbortSignal): AsyncGenerator<SessionChange> {
    const { followAll } = await import("../journal/follow-all.ts");
    yield* followAll(this.#catalog, signal);
  }

  #mustBeOpen(): void {
    if (!this.#closing.signal.aborted) return;
    throw new ClosedError(`the journals in ${this.where} were closed: open them again`);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#ownsCatalog) await this.#catalog.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
