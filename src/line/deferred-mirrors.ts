/**
 * Mirrors that were passed over without decoding their text. Most never matter: of each key only the newest is what an
 * older runtime reads, and only those behind the newest host line may become a parent. These are decoded when the reading
 * pauses. Mirrors are never events, so the fold does not wait for them.
 */
import type { SessionLine, ValueKey } from "./format.ts";
import type { LastValues } from "./legacy.ts";

interface Place {
  readonly key: ValueKey;
  readonly start: number;
  readonly end: number;
}

export interface SettledMirrors {
  readonly last: LastValues;
  /** Each of them is an entry: what hangs on it hangs on something. */
  readonly areEntries: boolean;
}

export class DeferredMirrors {
  #behindHost: Place[] = [];
  readonly #newest = new Map<ValueKey, Place>();

  /** `hostEnd`: past the newest line that is not ours. */
  defer(place: Place, hostEnd: number): void {
    const newest = this.#behindHost.at(-1);
    if (newest === undefined || newest.start < hostEnd) this.#behindHost = [place];
    else this.#behindHost.push(place);
    this.#newest.set(place.key, place);
  }

  /** A later line under the key was decoded. */
  supersede(key: ValueKey): void {
    this.#newest.delete(key);
  }

  /** Nothing was deferred since the last settling. */
  get isEmpty(): boolean {
    return this.#newest.size === 0 && this.#behindHost.length === 0;
  }

  settle(hostEnd: number, decode: (start: number, end: number) => SessionLine): SettledMirrors {
    const last: LastValues = {};
    let areEntries = true;
    const behindHost = this.#behindHost.filter(({ start }) => start >= hostEnd);
    for (const place of new Set([...this.#newest.values(), ...behindHost])) {
      const line = decode(place.start, place.end);
      const isMirror = line.kind === "value" && line.mirror !== undefined;
      if (!isMirror && place.start >= hostEnd) areEntries = false;
      if (this.#newest.get(place.key) === place) last[place.key] = isMirror ? line.data : undefined;
    }
    this.#behindHost = [];
    this.#newest.clear();
    return { last, areEntries };
  }
}
