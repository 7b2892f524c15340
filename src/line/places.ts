/**
 * Where a session may hold more than lines of the host's that begin no turn. A line that matters holds, outside of what a
 * string may hold, the role of a user or a name of ours as a JSON string: a quote inside a string is escaped, so what a
 * message says about them is none. Or one of them is written with escapes, which no known client does with letters. A
 * line without such a place is never parsed, so finding them is what reading a session costs.
 */
const escapeBytes = Buffer.from("\\u00");
const user = Buffer.from('"user"');

export class Places {
  readonly #needles: readonly Buffer[];

  constructor(namespace: string) {
    this.#needles = [user, Buffer.from(`"${namespace}`)];
  }

  /** No place crosses a line feed. */
  areIn(bytes: Buffer): boolean {
    return this.among(bytes).next(0) !== -1;
  }

  /** Finds the first place from an offset on, -1 where there is none; asked with rising offsets. */
  among(bytes: Buffer): { next(from: number): number } {
    const finders = [
      ...this.#needles.map((needle) => new Finder((from) => bytes.indexOf(needle, from))),
      new Finder((from) => nextEscape(bytes, from)),
    ];
    return {
      next: (from) => {
        let first = -1;
        for (const finder of finders) {
          const at = finder.next(from);
          if (at !== -1 && (first === -1 || at < first)) first = at;
        }
        return first;
      },
    };
  }
}

class Finder {
  #at = -2;
  readonly #find: (from: number) => number;

  constructor(find: (from: number) => number) {
    this.#find = find;
  }

  next(from: number): number {
    if (this.#at === -1 || this.#at >= from) return this.#at;
    this.#at = this.#find(from);
    return this.#at;
  }
}

/** Of a character that a name may hold: `\u002d` to `\u007a`. */
function nextEscape(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(escapeBytes, from); at !== -1; at = bytes.indexOf(escapeBytes, at + 1)) {
    const digit = bytes[at + 4];
    if (digit !== undefined && digit >= 0x32 && digit <= 0x37) return at;
  }
  return -1;
}
