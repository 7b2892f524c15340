import type { Lease, Section, StateImage } from "./event.ts";
import { optional, readDuration, readObject, readRecord, readText, readTexts, required } from "./read.ts";

const readLease = readObject<Lease>({ holder: required(readText), until: required(readText) });

const readSection = readObject<Section>({
  text: required(readText),
  at: required(readText),
  ttlMinutes: optional(readDuration),
});

/**
 * A whole state from the outside: a frozen copy of its known fields, or undefined when the shape is wrong. The records
 * have no prototype, so that a key such as `__proto__` is a key like any other.
 */
export const parseImage = readObject<StateImage>({
  notes: required(readText),
  plan: required(readText),
  refs: required(readTexts),
  entries: required(readRecord(readText)),
  leases: required(readRecord(readLease)),
  sections: required(readRecord(readSection)),
});
