/**
 * The tree that the lines of a conversation make by their parents, and its main line: the parents of the last line, every
 * line with a message on it, and every result of a call on it. Some 25 bytes for each line, whatever its length.
 */

/** What a line is to the tree. */
export type TreeKind = "other" | "result" | "spoken";

const kinds: readonly TreeKind[] = ["other", "result", "spoken"];

export interface TreeLine {
  readonly id: string;
  readonly parent: string | undefined;
  /** The id of the message that it is a part of. */
  readonly message: string | undefined;
  readonly kind: TreeKind;
}

/** Ancestors that are looked at to tell parallel calls from a rewind. */
const nearMax = 64;

export class MainLine {
  size = 0;
  /** The lines that a rewind goes on with, by their index. */
  readonly rewinds = new Set<number>();
  #keys = new Float64Array(1024);
  #parents = new Int32Array(1024);
  #messages = new Uint32Array(1024);
  #kinds = new Uint8Array(1024);
  /** Open addressing, one above the index; at most half full. */
  #table = new Int32Array(4096);
  /** Lines whose parent has not been seen: results may stand before their call. */
  readonly #orphans = new Map<number, number>();

  /** True: lines that were spoken stand between it and its parent, so the conversation was rewound. */
  add({ id, parent, message, kind }: TreeLine): boolean {
    const index = this.size;
    this.#grow();
    const own = keyOf(id);
    this.#keys[index] = own;
    this.#messages[index] = message === undefined ? 0 : hash(message, 1) | 1;
    this.#kinds[index] = kinds.indexOf(kind);
    this.#parents[index] = this.#parentIndex(parent, index);
    this.size += 1;
    this.#insert(own, index);
    const child = this.#orphans.get(own);
    if (child !== undefined) {
      this.#parents[child] = index;
      this.#orphans.delete(own);
    }
    return kind !== "result" && this.#isRewind(index);
  }

  /** Which of the lines so far are on the main line, by their index. */
  now(): (index: number) => boolean {
    const on = new Uint8Array(this.size);
    const messages = new Set<number>();
    for (let at = this.size - 1; at >= 0 && on[at] === 0; at = this.#parents[at] ?? -1) {
      on[at] = 1;
      const message = this.#messages[at] ?? 0;
      if (message !== 0) messages.add(message);
    }
    return (index) => index >= on.length || on[index] === 1 || messages.has(this.#messages[index] ?? 0);
  }

  /** Of one whose parent is nowhere: the line before it, for a line that could not be read may be its parent. */
  #parentIndex(parent: string | undefined, index: number): number {
    if (parent === undefined) return -1;
    const wanted = keyOf(parent);
    const found = this.#find(wanted);
    if (found !== -1) return found;
    if (this.#orphans.size >= nearMax) this.#orphans.clear();
    this.#orphans.set(wanted, index);
    return index - 1;
  }

  #isRewind(index: number): boolean {
    const parent = this.#parents[index] ?? -1;
    if (parent === index - 1) return false;
    const near = new Set<number>();
    const messages = new Set<number>();
    let at = index;
    for (let steps = 0; at >= 0 && steps < nearMax && !near.has(at); steps++) {
      near.add(at);
      messages.add(this.#messages[at] ?? 0);
      at = this.#parents[at] ?? -1;
    }
    messages.delete(0);
    for (let between = parent + 1; between < index; between++) {
      if (this.#kinds[between] !== 2 || near.has(between)) continue;
      if (!messages.has(this.#messages[between] ?? 0)) return true;
    }
    return false;
  }

  #find(wanted: number): number {
    const mask = this.#table.length - 1;
    for (let slot = slotOf(wanted) & mask; ; slot = (slot + 1) & mask) {
      const index = (this.#table[slot] ?? 0) - 1;
      if (index === -1 || this.#keys[index] === wanted) return index;
    }
  }

  /** An id that stands again is from then on that of the newer line. */
  #insert(own: number, index: number): void {
    const mask = this.#table.length - 1;
    let slot = slotOf(own) & mask;
    for (let other = this.#table[slot] ?? 0; other !== 0; other = this.#table[slot] ?? 0) {
      if (this.#keys[other - 1] === own) break;
      slot = (slot + 1) & mask;
    }
    this.#table[slot] = index + 1;
  }

  #grow(): void {
    if (this.size < this.#keys.length) return;
    const length = this.size * 2;
    this.#keys = copied(this.#keys, new Float64Array(length));
    this.#parents = copied(this.#parents, new Int32Array(length));
    this.#messages = copied(this.#messages, new Uint32Array(length));
    this.#kinds = copied(this.#kinds, new Uint8Array(length));
    this.#table = new Int32Array(length * 2);
    for (let index = 0; index < this.size; index++) this.#insert(this.#keys[index] ?? 0, index);
  }
}

function copied<Numbers extends { set(from: Numbers): void }>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}

/** 53 bits. */
function keyOf(id: string): number {
  return hash(id, 0x811c9dc5) * 0x200000 + (hash(id, 0x9e3779b9) >>> 11);
}

function slotOf(own: number): number {
  return Math.floor(own / 0x200000) ^ (own & 0x1fffff);
}

/** FNV-1a. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}
