/**
 * What a handle has acknowledged, to be appended again where a host's rewrite takes it away. The bytes in the file are no
 * place to find it: a rewrite in place takes those, too. It is kept as it was printed, and all but the newest compressed.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { UnlinkedCommit } from "../line/encode.ts";

/** So many are compressed at once: in about a millisecond. */
const blockCommits = 256;

export class Acknowledged {
  #newest: string[] = [];
  readonly #blocks: Buffer[] = [];

  add({ json }: { readonly json: string }): void {
    this.#newest.push(json);
    if (this.#newest.length < blockCommits) return;
    this.#blocks.push(Buffer.from(deflateRawSync(`[${this.#newest}]`, { level: 1 })));
    this.#newest = [];
  }

  /** The oldest commit comes first. */
  *[Symbol.iterator](): Generator<UnlinkedCommit, undefined> {
    for (const block of this.#blocks) yield* JSON.parse(inflateRawSync(block).toString()) as UnlinkedCommit[];
    yield* JSON.parse(`[${this.#newest}]`) as UnlinkedCommit[];
  }
}
