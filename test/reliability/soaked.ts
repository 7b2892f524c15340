/** What a soak tells when it is over. */
export interface Sample {
  /** Since the beginning. */
  readonly ms: number;
  readonly events: number;
  /** Bytes, after a collection. */
  readonly heapUsed: number;
  readonly rss: number;
  readonly descriptors: number;
}

export interface Soaked {
  /** By writer, in its order. */
  readonly acknowledged: readonly (readonly string[])[];
  readonly samples: readonly Sample[];
  /** Of the writer, of two followers, and what the last of them was told. */
  readonly versions: readonly number[];
  readonly exitCode: number | null;
  readonly rewrites: number;
  readonly tears: number;
  readonly opens: number;
  readonly hostLines: number;
  /** Followers that were stale at the end. */
  readonly late: number;
}
