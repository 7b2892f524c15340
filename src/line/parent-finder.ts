/**
 * The end of the file, as far as the next line of ours depends on it. Its parent must be such that the host, which takes
 * the last entry for the leaf, finds its own newest entry on the path from there.
 */
import type { Entry } from "./format.ts";
import { NewestIds } from "./newest-ids.ts";

/** This says where an entry of ours hangs. */
export interface OurEntry {
  readonly id: string;
  readonly parentId: string | null | undefined;
}

export interface NewestHostEntry {
  /** Null where the header is all there is. */
  readonly id: string | null;
  /** Those between it and the place that was looked back from, oldest first: litter may stand behind them. */
  readonly ours: readonly OurEntry[];
}

/** How it is found when it is needed. */
export type FindHost = (before: number) => NewestHostEntry;

/** The image has what is remembered of the end of a file, to go on from there. */
export interface ParentFinderImage {
  readonly hostEnd: number;
  readonly oursEnd: number;
  readonly hostId: string | null;
  /** Entries of ours that have the host's newest on their path, oldest first. */
  readonly onPath: readonly string[];
  readonly lastId?: string | undefined;
}

/**
 * An image keeps so many of them. A line that hangs on an older one is judged to be off the path by who goes on from the image, and costs
 * one mark line.
 */
const onPathMax = 64;

/** At least so many the one that goes on keeps: an agent that works without its host would fill the memory with them. */
const heldMax = 4096;

/** A list that a line costs one object: most are dropped again at the next line of the host's. */
interface Link extends OurEntry {
  readonly before: Link | undefined;
}

/** The links come with the oldest first. The result has the newest of them, and parents that go are replaced by what those hang on. */
function newestOf(links: readonly Link[]): Link[] {
  const places = new Map<string, OurEntry["parentId"]>();
  const placeOf = (parentId: OurEntry["parentId"]) =>
    typeof parentId === "string" && places.has(parentId) ? places.get(parentId) : parentId;
  const kept: Link[] = [];
  for (const [index, { id, parentId }] of links.entries()) {
    const place = placeOf(parentId);
    if (index < links.length - heldMax) places.set(id, place);
    else kept.push({ id, parentId: place, before: kept.at(-1) });
  }
  return kept;
}

export class ParentFinder {
  /** A live host may stand at any of our entries. */
  readonly #isBesideHost: boolean;
  /** Offset past the newest line that is not ours. */
  #hostEnd = 0;
  /** This is the newest of our entries that were taken since then. */
  #newest: Link | undefined;
  /** There are so many of them. */
  #links = 0;
  /** Up to this one it is known whether they are on the path. */
  #judged: Link | undefined;
  #oursEnd = 0;
  #hostId: string | null | undefined;
  #onPath = new NewestIds(heldMax);
  #lastId: string | undefined;

  constructor(isBesideHost = false) {
    this.#isBesideHost = isBesideHost;
  }

  line(entry: Entry, ours: boolean, start: number, end: number): void {
    if (!ours) {
      this.others(end);
      return;
    }
    if (start > this.#oursEnd) this.others(start);
    this.#oursEnd = end;
    if (entry.id === undefined) return;
    this.#newest = { id: entry.id, parentId: entry.parentId, before: this.#newest };
    this.#links += 1;
    if (this.#links >= 2 * heldMax) this.#dropOldest();
  }

  /** A session in which no line is the host's would fill the memory with them. */
  #dropOldest(): void {
    const links: Link[] = [];
    let judged = 0;
    for (let link = this.#newest; link !== undefined; link = link.before) {
      if (link === this.#judged) judged = links.length;
      links.push(link);
    }
    const kept = newestOf(links.reverse());
    this.#newest = kept.at(-1);
    this.#judged = this.#judged && kept.at(-1 - judged);
    this.#links = kept.length;
  }

  /** Everything up to `end` that was not told of is the host's. */
  others(end: number): void {
    if (end <= this.#hostEnd || end <= this.#oursEnd) return;
    this.#hostEnd = end;
    this.#oursEnd = end;
    this.#hostId = undefined;
    this.#lastId = undefined;
    this.#newest = undefined;
    this.#links = 0;
    this.#judged = undefined;
    this.#onPath.clear();
  }

  /** The parent for the next line, and whether the last entry has the newest host line on its path. */
  parent(findHost: FindHost): { readonly parentId: string | null; readonly isOnPath: boolean } {
    const { hostId, ours } = this.#lookBack(findHost);
    for (const { id, parentId } of ours) {
      if (parentId === hostId || (typeof parentId === "string" && this.#onPath.has(parentId))) this.#onPath.add(id);
      this.#lastId = id;
    }
    if (this.#lastId === undefined) return { parentId: hostId, isOnPath: true };
    return this.#onPath.has(this.#lastId)
      ? { parentId: this.#lastId, isOnPath: true }
      : { parentId: hostId, isOnPath: false };
  }

  /** With our entries that have not been judged, oldest first. */
  #lookBack(findHost: FindHost): { readonly hostId: string | null; readonly ours: readonly OurEntry[] } {
    const ours: OurEntry[] = [];
    for (let link = this.#newest; link !== this.#judged && link !== undefined; link = link.before) ours.push(link);
    ours.reverse();
    const found = this.#hostId === undefined ? findHost(this.#hostEnd) : { id: this.#hostId, ours: [] };
    this.#hostId = found.id;
    // A line that was judged is not looked at again.
    if (!this.#isBesideHost && this.#newest !== undefined) {
      const { id, parentId } = this.#newest;
      this.#newest = { id, parentId, before: undefined };
      this.#links = 1;
    }
    this.#judged = this.#newest;
    return { hostId: found.id, ours: found.ours.length === 0 ? ours : [...found.ours, ...ours] };
  }

  /** This does what `parent` does beside a live host that stands at `leafId`, be it on a line of ours. */
  parentUnder(leafId: string | null): { readonly parentId: string | null; readonly isOnPath: boolean } {
    const newestId = this.#newest?.id;
    if (newestId === undefined) return { parentId: leafId, isOnPath: true };
    const parents = new Map<string, string | null | undefined>();
    for (let link = this.#newest; link !== undefined; link = link.before) {
      if (!parents.has(link.id)) parents.set(link.id, link.parentId);
    }
    let at: string | null | undefined = newestId;
    // Entries may hang on each other in a circle: each is gone through once.
    while (typeof at === "string" && at !== leafId) {
      const parentId = parents.get(at);
      parents.delete(at);
      at = parentId;
    }
    return at === leafId ? { parentId: newestId, isOnPath: true } : { parentId: leafId, isOnPath: false };
  }

  image(findHost: FindHost): ParentFinderImage {
    this.parent(findHost);
    return {
      hostEnd: this.#hostEnd,
      oursEnd: this.#oursEnd,
      hostId: this.#hostId ?? null,
      onPath: this.#onPath.newest(onPathMax),
      lastId: this.#lastId,
    };
  }

  restore(image: ParentFinderImage): void {
    this.#hostEnd = image.hostEnd;
    this.#oursEnd = image.oursEnd;
    this.#newest = undefined;
    this.#links = 0;
    this.#judged = undefined;
    this.#hostId = image.hostId;
    this.#onPath.clear();
    for (const id of image.onPath) this.#onPath.add(id);
    this.#lastId = image.lastId;
  }
}
