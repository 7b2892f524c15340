/**
 * Text that a model reads must not be able to end the block that holds it, nor to speak in the package's own voice.
 *
 * Every line of ours opens with a bracket and a phrase: `[Session Scratchpad…`, `[End Scratchpad…`, `[Hint:…`. Where a
 * text opens the same way, or in a way that looks the same (case, width, accents, letters of another script, spaces,
 * characters without a width), its bracket becomes a round one. Everything else stays byte for byte.
 */

/** The phrases are spelled as {@link folded} spells them. No bracket stands in one: the scan below is linear because of that. */
const phrases = ["sessionscratchpad", "endscratchpad", "hint:"] as const;

const openings = /[[\u2045\u2772\u27e6\u3010\u3014\u3016\u3018\u301a\ufe47\uff3b]/gu;

/** The result is the text with every forged opening turned into a round bracket. Its length is the same. */
export function withoutForgery(text: string): string {
  return text.replace(openings, (bracket, at: number) => (isForged(text, at + bracket.length) ? "(" : bracket));
}

/** Does a phrase begin at `start`? Reads no further than the next bracket, so all calls together read a text twice. */
function isForged(text: string, start: number): boolean {
  let read = "";
  for (let at = start; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    at += character.length;
    read += folded(character);
    if (phrases.some((phrase) => read.startsWith(phrase))) return true;
    if (!phrases.some((phrase) => phrase.startsWith(read))) return false;
  }
  return false;
}

/** One character as it looks: compatibility forms, case, accents and foreign letters undone; "" when it shows nothing. */
function folded(character: string): string {
  let seen = "";
  for (const part of character.normalize("NFKD").toLowerCase()) {
    if (!unseen.test(part)) seen += lookAlikes.get(part) ?? part;
  }
  return seen;
}

const unseen = /[\s\p{Default_Ignorable_Code_Point}\p{M}\p{Cc}\p{Cf}\u2800]/u;

/** These letters of other scripts, and colons, look like those of the phrases. They come from Unicode's confusables.txt. */
const lookAlikes = new Map(
  [
    ["a", "аαɑ"],
    ["c", "сϲ"],
    ["d", "ԁ"],
    ["e", "еєε"],
    ["h", "һнη"],
    ["i", "іιıɩ"],
    ["n", "пոν"],
    ["o", "оοօ"],
    ["p", "рρ"],
    ["r", "гᴦ"],
    ["s", "ѕꜱ"],
    ["t", "тτ"],
    [":", "꞉∶ː׃։"],
  ].flatMap(([letter, alikes]) => [...(alikes ?? "")].map((alike) => [alike, letter ?? ""] as const)),
);
