/**
 * What stands for a value in a redacted copy, where a line repeats it for older runtimes. Nearly always that is the value
 * without the texts that match. Only what is not so is held: a session has as many values as commits.
 */
import type { MirroredSpace } from "../../line/format.ts";
import { initialState, type ScratchpadState } from "../../state/state.ts";

type Values = Pick<ScratchpadState, MirroredSpace>;

/** So many characters are held. An older line that a host wrote again then has the value without the texts that match. */
const heldUnitsMax = 8 << 20;

export class MirrorValues {
  readonly #redact: (json: string) => string;
  #before: Values = initialState;
  #after: Values = initialState;
  /** The values are found by space and value. The oldest stands first. */
  readonly #others = new Map<string, string>();
  #units = 0;

  /** `redact`: takes the texts that match out of a printed value. */
  constructor(redact: (json: string) => string) {
    this.#redact = redact;
  }

  /** From now on `after` stands for `before`. */
  note(before: Values, after: Values): void {
    for (const space of ["notes", "plan", "refs"] as const) {
      const isKnown = before[space] === this.#before[space] && after[space] === this.#after[space];
      if (!isKnown) this.#noteValue(space, JSON.stringify(before[space]), JSON.stringify(after[space]));
    }
    [this.#before, this.#after] = [before, after];
  }

  /** `isNoted`: what was noted counts. */
  printed(space: MirroredSpace, value: unknown, isNoted: boolean): string {
    const json = JSON.stringify(value);
    if (!isNoted) return this.#redact(json);
    if (json === JSON.stringify(this.#before[space])) return JSON.stringify(this.#after[space]);
    return this.#others.get(space + json) ?? this.#redact(json);
  }

  #noteValue(space: MirroredSpace, before: string, after: string): void {
    const place = space + before;
    const held = this.#others.get(place);
    if (held !== undefined) {
      this.#others.delete(place);
      this.#units -= place.length + held.length;
    }
    if (JSON.stringify(JSON.parse(this.#redact(before))) === after) return;
    this.#others.set(place, after);
    this.#units += place.length + after.length;
    for (const [oldest, value] of this.#others) {
      if (this.#units <= heldUnitsMax) return;
      this.#others.delete(oldest);
      this.#units -= oldest.length + value.length;
    }
  }
}
