/**
 * Does an entry id prove the line that carries it? What we write has an id of our making. A host's migration, a live host
 * that appends our commits and another writer of the format give ids of their own, which prove nothing. So an id that does
 * not fit is damage only where it fits again once a single character of the line is put back.
 */
import { checkEntryId, type EntryFields } from "../../line/chain.ts";
import type { JournalLine, LineNames } from "../../line/format.ts";
import { damage, type Finding, type FindingPlace, type VerifiedLine } from "./finding.ts";

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const uuidLength = 36;

/** What ids and times are made of. */
const alphabet = [..."0123456789abcdef-T:.Z"];

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
  readonly #suspects: Suspect[] = [];
  readonly #removed: Finding[] = [];

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
    if (fields === undefined || id === undefined) return [];
    if (checkEntryId(id, fields)) this.#proven = true;
    else if (id.length === uuidLength) {
      // Not the line itself: its bytes would be held until the end of the file.
      const { offset, number } = line;
      this.#suspects.push({ id, fields, place: { offset, number } });
    }
    return [];
  }

  /** A host entry hangs on `parentId`, which is not in the file: it may have been one of ours. */
  missing(parentId: string, line: VerifiedLine): void {
    if (uuid.test(parentId)) this.#removed.push(damage("tree", line, `it hangs on ${parentId}, which was removed`));
  }

  finish(): readonly Finding[] {
    const changed = this.#proven ? this.#suspects.filter(isChanged) : [];
    const found = changed.map(({ id, place }) =>
      damage("tree", place, `entry ${id} does not belong to the line that carries it`),
    );
    return this.#hostHasUuids ? found : [...found, ...this.#removed];
  }
}

function isChanged({ id, fields }: Suspect): boolean {
  const { parentId, timestamp, mirror } = fields;
  const isProof = (repaired: string, change: Partial<EntryFields>) => checkEntryId(repaired, { ...fields, ...change });
  return (
    repairs(id).some((text) => isProof(text, {})) ||
    repairs(timestamp).some((text) => isProof(id, { timestamp: text })) ||
    repairs(parentId ?? "").some((text) => isProof(id, { parentId: text })) ||
    repairs(mirror ?? "").some((text) => isProof(id, { mirror: text }))
  );
}

/** The result has the text with each single character replaced in every possible way. */
function repairs(text: string): string[] {
  return Array.from(text, (_, at) => at).flatMap((at) =>
    alphabet.map((char) => text.slice(0, at) + char + text.slice(at + 1)),
  );
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
