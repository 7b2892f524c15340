/** A folder for each test, removed after it, and what is closed before that. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { SessionFileOptions } from "../../../src/store/session-file/session-file-options.ts";
import { sessionFileStore } from "../../../src/store/session-file/session-file-store.ts";
import type { JournalStore } from "../../../src/stream/stream-store.ts";
import { StoreReader } from "../../../src/testing/store-reader.ts";
import { Session } from "../../fixtures/session.ts";

export const sessionId = "6f1d2c3b-0000-4000-8000-0000000000aa";

export interface Folder {
  /** Its path, or that of a file in it. */
  path(name?: string): string;
  /** A new session file with its header. */
  session(name?: string): Session;
  store(file: string, options?: SessionFileOptions): JournalStore;
  /** As `store`, with a reader that remembers what it was told. */
  reader(file: string, options?: SessionFileOptions): StoreReader;
}

export function useFolder(): Folder {
  let folder = "";
  let stores: JournalStore[] = [];
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
    stores = [];
    fs.rmSync(folder, { recursive: true, force: true });
  });
  const store = (file: string, options: SessionFileOptions = {}): JournalStore => {
    const opened = sessionFileStore(file, { durability: "os", ...options });
    stores.push(opened);
    return opened;
  };
  return {
    path: (name = "") => path.join(folder, name),
    session: (name = "session.jsonl") => new Session(path.join(folder, name), sessionId),
    store,
    reader: (file, options) => new StoreReader(store(file, options)),
  };
}

export interface Line {
  readonly type: string;
  readonly id?: string;
  readonly parentId?: string | null;
  readonly customType?: string;
  readonly data?: unknown;
  readonly mirror?: string;
}

/** The whole lines of a file, parsed; what is no JSON is left out. */
export function linesOf(file: string): Line[] {
  return fs
    .readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Line];
      } catch {
        return [];
      }
    });
}

/** The ids from the last entry to the root, as the host walks them. */
export function pathOf(file: string): string[] {
  const entries = linesOf(file).filter(({ type, id }) => type !== "session" && id !== undefined);
  const parents = new Map(entries.map(({ id, parentId }) => [id, parentId]));
  const path: string[] = [];
  for (let at = entries.at(-1)?.id; at !== undefined && !path.includes(at); at = parents.get(at) ?? undefined) {
    path.push(at);
  }
  return path;
}

/** What a three-key runtime finds: the last value under each key. */
export function valuesIn(file: string): { notes: unknown; plan: unknown; refs: unknown; legacy: unknown } {
  const last = (customType: string): unknown => linesOf(file).findLast((line) => line.customType === customType)?.data;
  const prefix = "openclaw:scratchpad";
  return {
    notes: last(`${prefix}:notes`) ?? "",
    plan: last(`${prefix}:plan`) ?? "",
    refs: last(`${prefix}:refs`) ?? [],
    legacy: last(prefix),
  };
}
