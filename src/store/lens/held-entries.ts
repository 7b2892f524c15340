/**
 * A reading's entries wait here until it is known that they stand. Those of a long session are JSON outside of the heap, where
 * nothing is copied from one generation to the next, so that the engine need not make room for more of them.
 */
import type { Fields } from "../../event/fields.ts";
import type { LensEntry } from "../../lens/lens.ts";

const partEntries = 128;
/** A part also ends when its texts have so many characters: a hundred edits of a long file would not fit into one string. */
const partUnits = 1 << 20;
/** So many of the newest parts stay as they are, if their texts have no more characters than that together. With more, the engine makes room for more. */
const openParts = 4;

interface Part {
  readonly entries: LensEntry[];
  units: number;
}

export class HeldEntries {
  readonly #packed: Buffer[] = [];
  #newest: Part = { entries: [], units: 0 };
  readonly #open: Part[] = [this.#newest];
  #openUnits = 0;

  readonly push = (entry: LensEntry): void => {
    // Of turns in which nothing happened, the last one says how many there were.
    if (entry.kind === "turn" && this.#newest.entries.at(-1)?.kind === "turn") this.#newest.entries.pop();
    if (this.#newest.entries.length === partEntries || this.#newest.units >= partUnits) this.#beginPart();
    this.#newest.entries.push(entry);
    const units = unitsIn(entry.kind === "event" ? entry.recorded.event : entry);
    this.#newest.units += units;
    this.#openUnits += units;
  };

  get hasAny(): boolean {
    return this.#newest.entries.length > 0;
  }

  /** There is at least one part, though it may be empty. */
  get parts(): number {
    return this.#packed.length + this.#open.length;
  }

  /** The result is the entries of a part, in the order in which they were told. */
  part(index: number): readonly LensEntry[] {
    const packed = this.#packed[index];
    if (packed === undefined) return this.#open[index - this.#packed.length]?.entries ?? [];
    const entries = JSON.parse(packed.toString("utf8")) as LensEntry[];
    for (const entry of entries) if (entry.kind === "event") Object.freeze(entry.recorded.event);
    return entries;
  }

  #beginPart(): void {
    while (this.#open.length === openParts || this.#openUnits >= partUnits) {
      const oldest = this.#open.shift();
      if (oldest === undefined) break;
      this.#packed.push(Buffer.from(JSON.stringify(oldest.entries)));
      this.#openUnits -= oldest.units;
    }
    this.#newest = { entries: [], units: 0 };
    this.#open.push(this.#newest);
  }

  *[Symbol.iterator](): Generator<LensEntry> {
    for (let index = 0; index < this.parts; index++) yield* this.part(index);
  }
}

/** The result is how many characters the texts in a value have. What was refused stands deeper in its event. */
function unitsIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let units = 0;
  for (const name in value) units += unitsIn((value as Fields)[name]);
  return units;
}
