/**
 * What a handle has acknowledged, to be appended again where a host's rewrite takes it away. The bytes in the file are no
 * place to find it: a rewrite in place takes those, too. All but the newest is kept compressed, outside of the heap.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { UnlinkedCommit } from "../line/encode.ts";

/** So many are compressed at once: in about a millisecond. */
const blockCommits = 256;

export class Acknowledged {
  #newest: UnlinkedCommit[] = [];
  readonly #blocks: Buffer[] = [];

  add({ v, id, at, events }: UnlinkedCommit): void {
    this.#newest.push({ v, id, at, events });
    if (this.#newest.length < blockCommits) return;
    this.#blocks.push(Buffer.from(deflateRawSync(JSON.stringify(this.#newest))));
    this.#newest = [];
  }

  /** The oldest commit comes first. */
  *[Symbol.iterator](): Generator<UnlinkedCommit, undefined> {
    for (const block of this.#blocks) yield* JSON.parse(inflateRawSync(block).toString()) as UnlinkedCommit[];
    yield* this.#newest;
  }
}
