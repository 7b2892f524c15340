/** Choices that a seed repeats. */
export interface Random {
  readonly seed: number;
  /** From 0 up to `end`, without it. */
  below(end: number): number;
  /** True so often of a hundred times. */
  chance(percent: number): boolean;
}

/** Mulberry32. `SESSION_JOURNAL_SEED` names the seed of an earlier run. */
export function newRandom(seed = Number(process.env["SESSION_JOURNAL_SEED"] ?? Date.now() % 2 ** 31)): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    seed,
    below: (end) => Math.floor(next() * end),
    chance: (percent) => next() * 100 < percent,
  };
}
