/**
 * This is an object of JSON. The program of line-heads.ts tells where its members stand, and those of objects in it, four levels deep. Nothing is
 * made of it but what is asked for. No key has an escape, and none stands twice in an object.
 */

/** The program tells of members here, in so many bytes of each: where key and value begin and end, and how many objects stand around them. */
export const toldAt = 0x151800;
const memberBytes = 20;
const [keyFrom, keyTo, valueFrom, valueTo, depthAt] = [0, 1, 2, 3, 4];

/** Something stands here in the memory. */
export interface MemoryPlace {
  readonly from: number;
  readonly to: number;
}

/** This is a member, or the object itself. The number 0 stands for none. */
export type Member = number;
export const noMember = 0;

export class ToldObject {
  /** It stands for the object itself. */
  readonly root: Member = toldAt - memberBytes;
  /** The last member is told before this place. */
  end = toldAt;
  readonly #memory: Buffer;
  readonly #numbers: Int32Array;

  constructor(memory: Buffer, numbers: Int32Array) {
    this.#memory = memory;
    this.#numbers = numbers;
  }

  /** The result is the first member of the object that `member` is. */
  first(member: Member): Member {
    return this.#next(member, member === this.root ? 0 : this.#told(member, depthAt) + 1);
  }

  /** The result is the next member of the same object. */
  next(member: Member): Member {
    return this.#next(member, this.#told(member, depthAt));
  }

  /** The result is the member of that name of the object that `parent` is. */
  member(parent: Member, name: string): Member {
    for (let member = this.first(parent); member !== noMember; member = this.next(member))
      if (this.#isCalled(member, name)) return member;
    return noMember;
  }

  name(member: Member): string {
    return this.#memory.toString("utf8", this.#told(member, keyFrom), this.#told(member, keyTo));
  }

  /** The result says whether it is an object itself. */
  isObject(member: Member): boolean {
    return member !== noMember && this.#memory[this.#told(member, valueFrom)] === 0x7b;
  }

  /** The result is the value as it is printed. */
  printed(member: Member): string {
    return this.#memory.toString("utf8", this.#told(member, valueFrom), this.#told(member, valueTo));
  }

  /** The result is undefined if the value is no string. */
  text(member: Member): string | undefined {
    const [from, to] = [this.#told(member, valueFrom), this.#told(member, valueTo)];
    return member === noMember ? undefined : textIn(this.#memory, from, to);
  }

  /** The value stands here in the memory. */
  place(member: Member): MemoryPlace {
    return { from: this.#told(member, valueFrom), to: this.#told(member, valueTo) };
  }

  /** The result is undefined if the value is no short string, or one with an escape. */
  plain(member: Member): string | undefined {
    const [from, to] = [this.#told(member, valueFrom), this.#told(member, valueTo)];
    if (member === noMember || this.#memory[from] !== 0x22 || to - from > 4096) return undefined;
    const value = this.#memory.toString("utf8", from + 1, to - 1);
    return value.includes("\\") ? undefined : value;
  }

  /** The first member of an object is told behind the object, as a member. */
  #next(before: Member, depth: number): Member {
    for (let member = before + memberBytes; member < this.end; member += memberBytes) {
      const own = this.#told(member, depthAt);
      if (own <= depth) return own === depth ? member : noMember;
    }
    return noMember;
  }

  #isCalled(member: Member, name: string): boolean {
    const from = this.#told(member, keyFrom);
    if (this.#told(member, keyTo) - from !== name.length) return false;
    for (let at = 0; at < name.length; at++) if (this.#memory[from + at] !== name.charCodeAt(at)) return false;
    return true;
  }

  #told(member: Member, what: number): number {
    return this.#numbers[member / 4 + what] ?? 0;
  }
}

/** The result is the string of JSON that takes the memory from `from` to `to`, or undefined if it is none. */
export function textIn(memory: Buffer, from: number, to: number): string | undefined {
  if (memory[from] !== 0x22) return undefined;
  const printed = memory.toString("utf8", from, to);
  return printed.includes("\\") ? (JSON.parse(printed) as string) : printed.slice(1, -1);
}
