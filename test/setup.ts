import fc from "fast-check";
import { afterEach, expect } from "vitest";

fc.configureGlobal({ numRuns: process.env.SESSION_JOURNAL_FULL ? 2_000 : 100 });

/** Bytes are compared at once. Without this each is looked at by itself, which takes seconds for a file of some hundred kilobytes. */
expect.addEqualityTesters([
  (one, other) => (Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : undefined),
]);

/**
 * What every object shares takes nothing new, and a test that changes what is there fails. Not frozen: libraries assign
 * to names of their own objects that are inherited from here.
 */
const shared = [Object, Function, Array, String, Number, Boolean, Map, Set, Promise, Uint8Array].map((each) => ({
  prototype: each.prototype as object,
  before: Object.getOwnPropertyDescriptors(each.prototype) as Record<PropertyKey, PropertyDescriptor>,
}));
for (const { prototype } of shared) Object.preventExtensions(prototype);

afterEach(() => {
  for (const { prototype, before } of shared) {
    for (const key of Reflect.ownKeys(before)) {
      const now = Object.getOwnPropertyDescriptor(prototype, key);
      const then = before[key];
      if (now?.value !== then?.value || now?.get !== then?.get || now?.set !== then?.set)
        throw new Error(`${String(key)} of a shared prototype was changed`);
    }
  }
});
