/**
 * Which lines belong to the branch that the conversation is on. Entries form a tree by `parentId`; the last
 * entry is the leaf. Our lines hang where the host stood when they were written, so a line of ours belongs to a branch
 * when its nearest ancestor that is not ours lies on the path from the leaf to the root. An ancestor that cannot be
 * read is taken to be the last host line before.
 */
import type { Entry } from "./format.ts";

interface Node {
  readonly parentId: string | null;
  readonly ours: boolean;
}

/** Where a line hangs: a host entry, or the root. */
export type Anchor = string | null;

export class EntryTree {
  readonly #nodes = new Map<string, Node>();
  /** Where lines of ours hang, so that a long chain of them is walked once. */
  readonly #anchors = new Map<string, Anchor>();
  #leaf: Anchor = null;
  #lastHost: Anchor = null;

  /**
   * Takes the next line of the file and answers where it hangs: a line of the host's hangs on itself. `target` is for an entry that only
   * says where the conversation goes on from: it is that place, and null for the root.
   */
  add(entry: Entry, ours: boolean, target?: Anchor): Anchor {
    const isKnown = target === null || (target !== undefined && this.#nodes.has(target));
    const parentId = isKnown ? target : this.#readableParent(entry, ours);
    if (entry.id !== undefined) {
      // An id that is there twice may move what hangs on it.
      if (this.#nodes.has(entry.id)) this.#anchors.clear();
      this.#nodes.set(entry.id, { parentId, ours });
      this.#leaf = entry.id;
    }
    if (ours) return this.#nearestHost(parentId);
    if (entry.id !== undefined) this.#lastHost = entry.id;
    return entry.id ?? this.#lastHost;
  }

  /** The path has the ids from the leaf to the root. The leaf is the last entry, unless a live host says where it stands. */
  path(leafId?: string | null): ReadonlySet<string> {
    const path = new Set<string>();
    let at = leafId === undefined ? this.#leaf : leafId;
    while (at !== null && !path.has(at)) {
      path.add(at);
      at = this.#nodes.get(at)?.parentId ?? null;
    }
    return path;
  }

  #readableParent(entry: Entry, ours: boolean): Anchor {
    const { parentId } = entry;
    if (parentId === null) return null;
    if (parentId !== undefined && (!ours || this.#nodes.has(parentId))) return parentId;
    return ours ? this.#lastHost : null;
  }

  #nearestHost(from: Anchor): Anchor {
    const seen = new Set<string>();
    let at = from;
    while (at !== null && !seen.has(at) && !this.#anchors.has(at)) {
      const node = this.#nodes.get(at);
      if (node === undefined || !node.ours) break;
      seen.add(at);
      at = node.parentId;
    }
    const anchor = at === null || seen.has(at) ? null : this.#anchors.has(at) ? (this.#anchors.get(at) ?? null) : at;
    for (const id of seen) this.#anchors.set(id, anchor);
    return anchor;
  }
}
