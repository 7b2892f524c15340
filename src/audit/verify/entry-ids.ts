/**
 * Does an entry id prove the line that carries it? What we write has an id of our making. A host's migration gives new
 * ids, of 8 hex digits. A live host that appends our commits gives them ids of its own: whether those are UUIDs too is
 * told by its other entries.
 */
import { checkEntryId, type EntryFields } from "../../line/chain.ts";
import type { JournalLine, LineNames } from "../../line/format.ts";
import { damage, type Finding, type VerifiedLine } from "./finding.ts";

const renumbered = /^[0-9a-f]{8}$/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export class EntryIdCheck {
  readonly #names: LineNames;
  #hostHasUuids = false;
  readonly #suspects: Finding[] = [];

  constructor(names: LineNames) {
    this.#names = names;
  }

  host(id: string | undefined): void {
    this.#hostHasUuids ||= id !== undefined && uuid.test(id);
  }

  ours(decoded: JournalLine, line: VerifiedLine): Finding[] {
    const fields = entryFields(decoded, this.#names);
    const { id, timestamp } = decoded.entry;
    if (timestamp === undefined) return [damage("tree", line, "an entry without a timestamp")];
    if (fields === undefined || id === undefined || renumbered.test(id) || checkEntryId(id, fields)) return [];
    const found = damage("tree", line, `entry ${id} does not belong to the line that carries it`);
    if (decoded.kind !== "commit") return [found];
    this.#suspects.push(found);
    return [];
  }

  /** A host entry hangs on `parentId`, which is not in the file: it may have been one of ours. */
  missing(parentId: string, line: VerifiedLine): void {
    if (uuid.test(parentId)) this.#suspects.push(damage("tree", line, `it hangs on ${parentId}, which was removed`));
  }

  finish(): readonly Finding[] {
    return this.#hostHasUuids ? [] : this.#suspects;
  }
}

function entryFields(line: JournalLine, names: LineNames): EntryFields | undefined {
  const { parentId, timestamp } = line.entry;
  if (parentId === undefined || timestamp === undefined) return undefined;
  const place = { parentId, timestamp };
  switch (line.kind) {
    case "commit":
      return { customType: names.events, ...place, content: line.data.hash };
    case "value": {
      const customType = line.key === "legacy" ? names.legacy : names[line.key];
      return { customType, ...place, content: line.data ?? null, mirror: String(line.mirror) };
    }
    case "mark":
      return { customType: names.mark, ...place, content: null, mirror: String(line.mirror) };
    case "damaged":
      return undefined;
  }
}
