/**
 * The end of the file, as far as the next line of ours depends on it. Its parent must be such that the host, which takes
 * the last entry for the leaf, finds its own newest entry on the path from there.
 */
import type { Entry } from "../../line/format.ts";

/** How the newest entry of the host's is found when it is needed: its id, or null where the header is all there is. */
export type FindHost = (before: number) => string | null;

export class Tail {
  /** Offset past the newest line that is not ours. */
  #hostEnd = 0;
  #ours: { readonly id: string; readonly parentId: string | null | undefined }[] = [];
  #oursEnd = 0;
  #hostId: string | null | undefined;
  #onPath = new Set<string>();
  #lastId: string | undefined;

  line(entry: Entry, ours: boolean, start: number, end: number): void {
    if (!ours) {
      this.others(end);
      return;
    }
    if (start > this.#oursEnd) this.others(start);
    this.#oursEnd = end;
    if (entry.id !== undefined) this.#ours.push({ id: entry.id, parentId: entry.parentId });
  }

  /** Everything up to `end` that was not told of is the host's. */
  others(end: number): void {
    if (end <= this.#hostEnd || end <= this.#oursEnd) return;
    this.#hostEnd = end;
    this.#oursEnd = end;
    this.#ours = [];
    this.#hostId = undefined;
    this.#onPath = new Set();
    this.#lastId = undefined;
  }

  /** The parent for the next line, and whether the last entry has the newest host line on its path. */
  parent(findHost: FindHost): { readonly parentId: string | null; readonly sound: boolean } {
    this.#hostId ??= findHost(this.#hostEnd);
    const hostId = this.#hostId;
    for (const { id, parentId } of this.#ours) {
      if (parentId === hostId || (typeof parentId === "string" && this.#onPath.has(parentId))) this.#onPath.add(id);
      this.#lastId = id;
    }
    this.#ours = [];
    if (this.#lastId === undefined) return { parentId: hostId, sound: true };
    return this.#onPath.has(this.#lastId)
      ? { parentId: this.#lastId, sound: true }
      : { parentId: hostId, sound: false };
  }
}
