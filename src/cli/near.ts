/** This file guesses what somebody probably meant, if it is near enough to be a slip of the keyboard. */
import { nearest } from "../action/nearest.ts";

/** The result is a text such as ": did you mean show?", or "" if no name is near. `sign` stands before the name. */
export function didYouMean(word: string, names: readonly string[], sign = ""): string {
  const [begun, another] = word.length > 1 ? names.filter((name) => name.startsWith(word)) : [];
  const meant = begun !== undefined && another === undefined ? begun : nearest(word, names);
  return meant !== undefined && isNear(word.toLowerCase(), meant.toLowerCase())
    ? `: did you mean ${sign}${meant}?`
    : "";
}

/** One begins with the other, or every third character at most is another one, or stands at another place. */
function isNear(word: string, name: string): boolean {
  if (word.length > 1 && (name.startsWith(word) || word.startsWith(name))) return true;
  return differences(word, name) <= Math.max(1, Math.floor(Math.max(word.length, name.length) / 3));
}

/** What has to be put in or taken out, each pair of which is one change; two that changed places are such a pair. */
function differences(word: string, name: string): number {
  let row = new Array<number>(name.length + 1).fill(0);
  for (const character of word.slice(0, wordUnitsMax)) {
    const next = [0];
    for (let at = 1; at <= name.length; at += 1) {
      next[at] = character === name[at - 1] ? (row[at - 1] ?? 0) + 1 : Math.max(row[at] ?? 0, next[at - 1] ?? 0);
    }
    row = next;
  }
  return Math.max(word.length, name.length) - (row[name.length] ?? 0);
}

const wordUnitsMax = 64;
