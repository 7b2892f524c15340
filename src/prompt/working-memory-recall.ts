/** This file picks the lines of a MEMORY.md that matter just now, by the words that they share with what is talked about. */

/** So many are shown where fewer share a word: words are a weak sign, and somebody thought each line worth keeping. */
const recalledMin = 3;

/** The caller hands in only the end of a longer file. Headings, comments and code are no memories. */
export function memoriesOf(markdown: string): string[] {
  const lines = markdown
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "")
    .replace(/^(```|~~~)[\s\S]*?^\1.*$/gm, "")
    .split(/\r?\n/);
  return lines
    .filter((line) => !/^\s*(?:#{1,6}\s|-{3,}\s*$|\|?[\s|:-]*$)/.test(line))
    .map((line) => line.replace(/^\s*(?:[-*+•]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/, "").trim())
    .filter((line) => line !== "");
}

/**
 * The result has at most `limit` memories, the best first: those that share the most and the rarest words with `topics`, and of equals the
 * later one. If fewer than three have such a word, the newest of the others are added, up to three.
 */
export function recall(memories: readonly string[], topics: readonly string[], limit: number): string[] {
  const asked = new Set(topics.flatMap(wordsOf));
  const words = memories.map((memory) => new Set(wordsOf(memory)));
  const frequency = new Map<string, number>();
  for (const set of words) for (const word of set) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const scored = memories.map((memory, index) => {
    let score = 0;
    for (const word of words[index] ?? []) if (asked.has(word)) score += 1 / (frequency.get(word) ?? 1);
    return { memory, index, score };
  });
  const ranked = scored.toSorted((one, other) => other.score - one.score || other.index - one.index);
  const related = ranked.filter(({ score }) => score > 0).length;
  return ranked.slice(0, Math.min(limit, Math.max(related, recalledMin))).map(({ memory }) => memory);
}

const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/**
 * The result has the words of three letters and more, and words of any length in scripts that have no spaces. The commonest English words
 * are left out.
 */
function wordsOf(text: string): string[] {
  return [...segmenter.segment(text.slice(0, unitsMax).normalize("NFKC").toLowerCase())]
    .filter(({ isWordLike, segment }) => isWordLike && (segment.length > 2 || /[^\p{ASCII}]/u.test(segment)))
    .map(({ segment }) => segment)
    .filter((word) => !common.has(word));
}

/** Only so many units of a topic or a memory are looked at: the rest of a very long one adds nothing. */
const unitsMax = 4096;

const common = new Set(
  "and are but can for from has have how into its not now our out that the their them then there this was what when where which who why will with you your".split(
    " ",
  ),
);
