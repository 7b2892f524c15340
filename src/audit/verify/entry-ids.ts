/**
 * Does an entry id prove the line that carries it? What we write has an id of our making. A host's migration, a live host
 * that appends our commits and another writer of the format give ids of their own, which prove nothing. So an id that does
 * not fit is damage only where it fits again once a single character of the line is put back.
 */
import { checkEntryId, type EntryFields } from "../../line/chain.ts";
import type { JournalLine, LineNames } from "../../line/format.ts";
import { isChangedEntry } from "./changed-entry.ts";
import { damage, type Finding, type FindingPlace, type VerifiedLine } from "./finding.ts";
import { FindingList } from "./finding-list.ts";

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const uuidLength = 36;

/** So many wait until it is known whether any line is proven. */
const waitingMax = 1024;

interface Suspect {
  readonly id: string;
  readonly fields: EntryFields;
  readonly place: FindingPlace;
}

export class EntryIdCheck {
  readonly #names: LineNames;
  #hostHasUuids = false;
  /** A line of ours has an id that proves it. */
  #proven = false;
  #waiting: Suspect[] = [];
  readonly #changed = new FindingList();
  readonly #removed = new FindingList();

  constructor(names: LineNames) {
    this.#names = names;
  }

  host(id: string | undefined): void {
    this.#hostHasUuids ||= id?.length === uuidLength && uuid.test(id);
  }

  ours(decoded: JournalLine, line: VerifiedLine): Finding[] {
    const fields = entryFields(decoded, this.#names);
    const { id, timestamp } = decoded.entry;
    if (timestamp === undefined) return [damage("tree", line, "an entry without a timestamp")];
    if (fields === undefined || id === undefined) return [];
    if (checkEntryId(id, fields)) this.#proven = true;
    else if (id.length === uuidLength) {
      // Not the line itself: its bytes would be held until the end of the file.
      const { offset, number } = line;
      this.#waiting.push({ id, fields, place: { offset, number } });
      if (this.#waiting.length === waitingMax) this.#judge();
    }
    return [];
  }

  #judge(): void {
    for (const { id, fields, place } of this.#waiting) {
      if (!isChangedEntry(id, fields)) continue;
      this.#changed.add(damage("tree", place, `entry ${id} does not belong to the line that carries it`));
    }
    this.#waiting = [];
  }

  /** A host entry hangs on `parentId`, which is not in the file: it may have been one of ours. */
  missing(parentId: string, line: VerifiedLine): void {
    if (uuid.test(parentId)) this.#removed.add(damage("tree", line, `it hangs on ${parentId}, which was removed`));
  }

  /** All of it is damage. */
  finish(): readonly FindingList[] {
    if (this.#proven) this.#judge();
    return [...(this.#proven ? [this.#changed] : []), ...(this.#hostHasUuids ? [] : [this.#removed])];
  }
}

function entryFields(line: JournalLine, names: LineNames): EntryFields | undefined {
  const { parentId, timestamp } = line.entry;
  if (parentId === undefined || timestamp === undefined) return undefined;
  const place = { parentId, timestamp };
  switch (line.kind) {
    case "commit":
      return { customType: names.events, ...place, content: line.data.hash };
    case "value":
      return { customType: names[line.key], ...place, content: line.data ?? null, mirror: String(line.mirror) };
    case "mark":
      return { customType: names.mark, ...place, content: null, mirror: String(line.mirror) };
    case "damaged":
      return undefined;
  }
}
