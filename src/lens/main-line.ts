/**
 * The lines of a conversation make a tree by their parents. Its main line has the parents of the line at which the conversation is, and
 * every line with a message on it. Each line takes some 30 bytes, whatever its length.
 */
import { LinePage } from "./line-page.ts";

/** A line is one of these to the tree. */
export type TreeKind = 0 | 1 | 2;
/** Neither said nor answered by anybody. */
export const otherKind = 0;
/** The line is the result of a call. */
export const resultKind = 1;
/** A person or the model said it. */
export const spokenKind = 2;

/** The line stands there already, and this one hangs on that. */
const copyKind = 3;

/** This is added to a kind in the tree: its parent had not been seen when it came. */
const orphanBit = 4;
const kindBits = 3;

/** Ancestors that are looked at to tell parallel calls from a rewind. */
const nearMax = 64;
/** A parent is looked for among so many lines before it is looked for in the table. */
const searchedMax = 256;
const betweenMax = 1024;

/** Lines are kept in pages of so many: a long session copies none, and at most one page has room that is not used. */
const pageBits = 13;
const pageLines = 2 ** pageBits;
/** Most of the sessions that a list reads are short. */
const firstLines = 64;

export class MainLine {
  size = 0;
  /** A rewind goes on with these lines, by their index. */
  readonly rewinds = new Set<number>();
  readonly #pages = [new LinePage(firstLines)];
  /** The table uses open addressing, with values that are one above the index; it is at most half full. */
  #table = new Int32Array(0);
  /** How many lines stand in it. */
  #inTable = 0;
  /** Lines whose parent has not been seen: results may stand before their call. */
  readonly #orphans = new Map<number, number>();
  /** What stands in the last line: most lines hang on it, or on the same line as it does. */
  #last = 0;
  #lastParent = 0;
  #lastParentIndex = -1;
  /** This was spoken last on the way to the last line: many that nobody spoke may hang on each other. */
  #lastFrom = -1;
  readonly #isLastTheEnd: boolean;
  /** The conversation is at the line with this index. */
  #end = -1;
  /** The index of the last line that was spoken. Thousands that nobody spoke may hang on one line, and are no rewinds. */
  #lastSpoken = -1;
  /** The conversation went back with these lines, and nobody has spoken since. Whoever goes on elsewhere leaves them again. */
  readonly #aside = new Set<number>();

  /** With "last", the conversation is at the last line, whatever it is. Otherwise a copy and a late result leave it where it is. */
  constructor(end?: "last") {
    this.#isLastTheEnd = end === "last";
  }

  /**
   * Ids are given as `keyOf` makes them; `parent` and `message` are 0 where there is none. True: lines that were spoken stand
   * between it and its parent, so the conversation was rewound; or it goes on there again.
   */
  add(own: number, parent: number, message: number, kind: TreeKind): boolean {
    const index = this.size;
    const page = this.#pageFor(index);
    const row = index % pageLines;
    page.keys[row] = own;
    page.messages[row] = message;
    page.kinds[row] = kind;
    const parentIndex = this.#parentIndex(parent, index);
    page.parents[row] = parentIndex;
    const from = this.#spokenBefore(parentIndex);
    const isBack = this.#isBack(index, from);
    const hasAside = this.#aside.size > 0;
    const isAside = hasAside && this.#aside.has(this.#original(parentIndex));
    const isBehind = !isAside && (isBack || hasAside);
    const original = isBehind && !this.#isLastTheEnd ? this.#originalOf(index, parent) : -1;
    if (original !== -1) {
      page.parents[row] = original;
      page.kinds[row] = copyKind;
    }
    this.size += 1;
    this.#lastFrom = kind === spokenKind && original === -1 ? index : from;
    this.#noteLast(own, parent, parentIndex);
    const isPassing = original !== -1 || (isBack && kind === resultKind);
    if (isPassing && !this.#isLastTheEnd) return false;
    this.#goTo(index, kind, isBehind, isBack || isAside);
    return isBehind && !isPassing;
  }

  /** The conversation is at the line from now on. */
  #goTo(index: number, kind: TreeKind, isBehind: boolean, isNote: boolean): void {
    this.#end = index;
    if (this.#aside.size > 0 && (isBehind || kind === spokenKind)) this.#aside.clear();
    if (kind === spokenKind) this.#lastSpoken = index;
    else if (isNote) this.#aside.add(index);
  }

  #noteLast(own: number, parent: number, parentIndex: number): void {
    const index = this.size - 1;
    this.#last = own;
    this.#lastParent = this.isOrphan(index) ? 0 : parent;
    this.#lastParentIndex = parentIndex;
    if (this.#orphans.size > 0) this.#adopt(own, index);
  }

  /** The result is -1 if the line is no copy. An id that stands again may also be that of another line. */
  #originalOf(index: number, parent: number): number {
    const own = this.#key(index);
    const found = own === parent ? -1 : this.#find(own);
    const original = this.#original(found);
    const isSame =
      original !== -1 &&
      this.#kind(original) === this.#kind(index) &&
      this.#message(original) === this.#message(index) &&
      this.#keyAt(this.#parent(original)) === parent;
    return isSame ? original : -1;
  }

  /** The result is the line itself if it is no copy. */
  #original(index: number): number {
    return this.isCopy(index) ? this.#parent(index) : index;
  }

  /** Something was said since what the line goes on with. */
  #isBack(index: number, from: number): boolean {
    return this.#lastSpoken > from && this.#isRewind(index, from, this.#lastSpoken);
  }

  /** What hangs on a result goes on with its call, and what hangs on a note with what that was about: another branch may have been spoken between the two. */
  #spokenBefore(line: number): number {
    if (line === this.size - 1 && !this.isCopy(line)) return this.#lastFrom;
    let spoken = line;
    for (let steps = 0; steps < nearMax && spoken >= 0 && !this.#isSpoken(spoken); steps++)
      spoken = this.#parent(spoken);
    return spoken;
  }

  #isSpoken(index: number): boolean {
    return (this.#kind(index) & kindBits) === spokenKind;
  }

  /** It stands there already, and stands again behind what was said since. */
  isCopy(index: number): boolean {
    return (this.#kind(index) & kindBits) === copyKind;
  }

  /** It came before the line that it hangs on, or that line is nowhere. */
  isOrphan(index: number): boolean {
    return (this.#kind(index) & orphanBit) !== 0;
  }

  /** Which of the lines so far are on the main line, by their index. */
  now(): (index: number) => boolean {
    const on = new Uint8Array(this.size);
    const messages = new Set<number>();
    for (let at = this.#end; at >= 0 && on[at] === 0; at = this.#parent(at)) {
      on[at] = 1;
      const message = this.#message(at);
      if (message !== 0) messages.add(message);
    }
    return (index) => index >= on.length || on[index] === 1 || messages.has(this.#message(index));
  }

  /** If the parent is nowhere, the result is the line before it, for a line that could not be read may be its parent. */
  #parentIndex(wanted: number, index: number): number {
    if (wanted === 0) return -1;
    if (wanted === this.#last) return index - 1;
    if (wanted === this.#lastParent) return this.#lastParentIndex;
    for (let near = index - 1; near >= 0 && near >= index - searchedMax; near--)
      if (this.#key(near) === wanted) return near;
    const found = this.#find(wanted);
    if (found !== -1) return found;
    if (this.#orphans.size >= nearMax) this.#orphans.clear();
    this.#orphans.set(wanted, index);
    const { kinds } = this.#pageOf(index);
    kinds[index % pageLines] = this.#kind(index) | orphanBit;
    return index - 1;
  }

  #adopt(own: number, index: number): void {
    const child = this.#orphans.get(own);
    if (child === undefined) return;
    this.#pageOf(child).parents[child % pageLines] = index;
    this.#orphans.delete(own);
  }

  /** Lines of one message may hang on each other's parents. More of them than any message has are not looked through. */
  #isRewind(index: number, parent: number, lastSpoken: number): boolean {
    const near = new Set<number>();
    const messages = new Set<number>();
    let at = index;
    for (let steps = 0; at >= 0 && steps < nearMax && !near.has(at); steps++) {
      near.add(at);
      messages.add(this.#message(at));
      at = this.#parent(at);
    }
    messages.delete(0);
    const least = Math.max(parent + 1, lastSpoken - betweenMax);
    for (let between = lastSpoken; between >= least; between--) {
      if (!this.#isSpoken(between) || near.has(between)) continue;
      if (!messages.has(this.#message(between))) return true;
    }
    return false;
  }

  /** A conversation mostly goes on where it was: what is looked for here is rare, and the table is made when it is. */
  #find(wanted: number): number {
    if (this.size * 2 > this.#table.length) {
      this.#table = new Int32Array(2 ** Math.ceil(Math.log2(this.size * 2)));
      this.#inTable = 0;
    }
    for (; this.#inTable < this.size; this.#inTable++) this.#insert(this.#key(this.#inTable), this.#inTable);
    const mask = this.#table.length - 1;
    for (let slot = slotOf(wanted) & mask; ; slot = (slot + 1) & mask) {
      const index = (this.#table[slot] ?? 0) - 1;
      if (index === -1 || this.#key(index) === wanted) return index;
    }
  }

  /** An id that stands again is from then on that of the newer line. */
  #insert(own: number, index: number): void {
    const mask = this.#table.length - 1;
    let slot = slotOf(own) & mask;
    for (let other = this.#table[slot] ?? 0; other !== 0; other = this.#table[slot] ?? 0) {
      if (this.#key(other - 1) === own) break;
      slot = (slot + 1) & mask;
    }
    this.#table[slot] = index + 1;
  }

  #key(index: number): number {
    return this.#pageOf(index).keys[index % pageLines] ?? 0;
  }

  #keyAt(index: number): number {
    return index < 0 ? 0 : this.#key(index);
  }

  #parent(index: number): number {
    return this.#pageOf(index).parents[index % pageLines] ?? -1;
  }

  #message(index: number): number {
    return this.#pageOf(index).messages[index % pageLines] ?? 0;
  }

  #kind(index: number): number {
    return this.#pageOf(index).kinds[index % pageLines] ?? 0;
  }

  #pageOf(index: number): LinePage {
    return this.#pages[index >>> pageBits] ?? noLines;
  }

  /** The first page grows until it is as long as the others. */
  #pageFor(index: number): LinePage {
    const at = index >>> pageBits;
    const page = this.#pages[at];
    if (page !== undefined && index % pageLines < page.keys.length) return page;
    const longer = page?.longer() ?? new LinePage(pageLines);
    this.#pages[at] = longer;
    return longer;
  }
}

const noLines = new LinePage(0);

function slotOf(own: number): number {
  return Math.floor(own / 0x200000) ^ (own & 0x1fffff);
}

const plain = /^[\0-\x7f]*$/;

/** The result is the number of an id, or 0 for none: 53 bits above 0, two hashes of its bytes. The program of line-heads.ts does the same. */
export function keyOf(id: string | undefined): number {
  if (id === undefined) return 0;
  // Each character of this is a byte.
  const bytes = plain.test(id) ? id : Buffer.from(id).toString("latin1");
  let a = 0x811c9dc5;
  let b = 0x2f0b4c47;
  for (let at = 0; at < bytes.length; at += 4) {
    let word = 0;
    for (let index = Math.min(at + 4, bytes.length) - 1; index >= at; index--)
      word = (word << 8) | bytes.charCodeAt(index);
    a = Math.imul(a ^ word, 0x9e3779b1);
    a ^= a >>> 15;
    b = Math.imul(b ^ word, 0x85ebca6b);
    b ^= b >>> 13;
  }
  return (a >>> 0) * 0x200000 + (b >>> 11) + 1;
}
