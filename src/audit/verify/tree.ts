/** Where our lines hang in the host's tree. */
import type { Header } from "../../line/decode.ts";
import type { Entry } from "../../line/format.ts";
import type { VerifiedLine } from "./finding.ts";

interface LastEntry {
  readonly line: VerifiedLine;
  /** The newest host entry is on its path. */
  readonly sound: boolean;
  readonly ours: boolean;
}

export class TreeCheck {
  readonly #ids = new Set<string>();
  /** Of our lines since the newest host entry, those that have it on their path. */
  #sound = new Set<string | null>([null]);
  #last: LastEntry | undefined;
  /** Entries of a version 1 file have no ids. */
  #hasIds = true;
  #hasBroken = false;

  header(header: Header): void {
    this.#hasIds = header.version >= 2;
  }

  /** Takes the next line and says what is wrong with its place; undefined where nothing is. */
  fault(entry: Entry, ours: boolean, line: VerifiedLine): string | undefined {
    const { id, parentId } = entry;
    const fault = this.#placeFault(entry, ours);
    if (id === undefined) return fault;
    if (ours) {
      const sound = parentId !== undefined && this.#sound.has(parentId);
      if (sound) this.#sound.add(id);
      this.#last = { line, sound, ours };
    } else {
      this.#sound = new Set([id]);
      this.#last = { line, sound: true, ours };
    }
    this.#ids.add(id);
    return fault;
  }

  /** A line that cannot be read may have been anyone's parent. */
  broken(): void {
    this.#hasBroken = true;
  }

  /** The host takes the last entry for the leaf: what is not on its path, the model no longer sees. */
  unsoundLeaf(): VerifiedLine | undefined {
    const last = this.#last;
    return last === undefined || last.sound || !last.ours ? undefined : last.line;
  }

  #placeFault(entry: Entry, ours: boolean): string | undefined {
    const { id, parentId } = entry;
    if (id === undefined) return this.#hasIds || ours ? "an entry without an id" : undefined;
    if (this.#ids.has(id)) return `entry ${id} is there twice`;
    if (parentId === id) return `entry ${id} is its own parent`;
    if (typeof parentId === "string" && !this.#ids.has(parentId) && !this.#hasBroken)
      return `entry ${id} hangs on ${parentId}, which is not before it`;
    return ours && parentId === undefined ? `entry ${id} has no parentId` : undefined;
  }
}
