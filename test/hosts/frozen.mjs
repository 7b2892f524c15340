// Makes time and randomness of this process repeatable, so that a client writes the same bytes each time.
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

/** A small repeatable generator (mulberry32): numbers in [0, 1). */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Stops the clock at an ISO time; it moves by `pass` alone. Must run before the client is imported. */
export function freeze(startAt, seed) {
  const RealDate = Date;
  let now = RealDate.parse(startAt);
  globalThis.Date = class extends RealDate {
    constructor(...args) {
      if (args.length === 0) super(now);
      else super(...args);
    }
    static now() {
      return now;
    }
  };

  const random = randomFrom(seed);
  const fill = (bytes) => {
    for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(random() * 256);
    return bytes;
  };
  Math.random = random;
  crypto.randomBytes = (size) => fill(Buffer.alloc(size));
  crypto.randomFillSync = fill;
  crypto.randomUUID = () => {
    const hex = fill(Buffer.alloc(16)).toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  crypto.webcrypto.getRandomValues = fill;
  globalThis.crypto.getRandomValues = fill;
  syncBuiltinESMExports();

  return {
    pass(seconds) {
      now += Math.round(seconds * 1000);
    },
  };
}
