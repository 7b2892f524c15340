/** This file watches where our lines hang in the host's tree. */
import type { Header } from "../../line/decode.ts";
import { EntryIdSet } from "../../line/entry-id-set.ts";
import type { Entry } from "../../line/format.ts";
import { IdSet } from "../../line/id-set.ts";
import type { FindingPlace } from "./finding.ts";

interface LastEntry extends FindingPlace {
  /** The newest host entry is on its path. */
  readonly isOnPath: boolean;
  readonly ours: boolean;
}

export class TreeCheck {
  readonly #ids = new EntryIdSet();
  /** That of the entry before: most entries hang on it. */
  #newest: string | undefined;
  #newestOfHost: string | undefined;
  /** These of our lines since the newest host entry have it on their path. It is undefined if there is none. */
  #onPath: IdSet | undefined;
  /** There is no host entry yet: our lines hang on nothing. */
  #isRootOnPath = true;
  #last: LastEntry | undefined;
  /** Entries of a version 1 file have no ids. */
  #hasIds = true;
  /** Lines that cannot be read, each of which may have been one entry that others hang on. */
  #broken = 0;
  readonly #excused = new IdSet();

  header(header: Header): void {
    this.#hasIds = header.version >= 2;
  }

  /** Takes the next line and says what is wrong with its place; undefined where nothing is. */
  fault(entry: Entry, ours: boolean, { offset, number }: FindingPlace): string | undefined {
    const { id, parentId } = entry;
    const fault = this.#placeFault(entry, ours, id === undefined || this.#ids.add(id));
    if (id === undefined) return fault;
    if (ours) {
      const isOnPath = this.#isOnPath(parentId);
      if (isOnPath) this.#putOnPath(id);
      this.#last = { offset, number, isOnPath, ours };
    } else {
      this.#onPath = undefined;
      this.#newestOfHost = id;
      this.#isRootOnPath = false;
      this.#last = { offset, number, isOnPath: true, ours };
    }
    this.#newest = id;
    return fault;
  }

  #isOnPath(parentId: string | null | undefined): boolean {
    if (parentId === null) return this.#isRootOnPath;
    return parentId !== undefined && (parentId === this.#newestOfHost || this.#onPath?.has(parentId) === true);
  }

  #putOnPath(id: string): void {
    this.#onPath ??= new IdSet();
    this.#onPath.add(id);
  }

  #has(id: string): boolean {
    return id === this.#newest || this.#ids.has(id);
  }

  broken(): void {
    this.#broken += 1;
  }

  misses(parentId: string): boolean {
    return !this.#has(parentId) && !this.#excused.has(parentId) && this.#broken === 0;
  }

  /** The host takes the last entry for the leaf: what is not on its path, the model no longer sees. */
  leafOffPath(): FindingPlace | undefined {
    const last = this.#last;
    return last === undefined || last.isOnPath || !last.ours ? undefined : last;
  }

  /** `isNew`: the id was not met before. By now it was. */
  #placeFault({ id, parentId }: Entry, ours: boolean, isNew: boolean): string | undefined {
    if (id === undefined) return this.#hasIds || ours ? "an entry without an id" : undefined;
    if (!isNew) return `entry ${id} is there twice`;
    if (parentId === id) return `entry ${id} is its own parent`;
    if (typeof parentId === "string" && !this.#has(parentId) && !this.#isExcused(parentId))
      return `entry ${id} hangs on ${parentId}, which is not before it`;
    return ours && parentId === undefined ? `entry ${id} has no parentId` : undefined;
  }

  #isExcused(parentId: string): boolean {
    if (this.#excused.has(parentId)) return true;
    if (this.#broken === 0) return false;
    this.#broken -= 1;
    this.#excused.add(parentId);
    return true;
  }
}
