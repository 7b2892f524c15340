/** What can be done to a session file: to the order of its lines, to the text of one, to its bytes. */
import type { Random } from "../reliability/random.ts";

/** Dropped, doubled, swapped, written again, or with one in between that nobody wrote. */
export function damageLines(lines: readonly string[], random: Random): string[] {
  const hurt = [...lines];
  for (let count = random.below(3); count > 0; count--) {
    const at = 1 + random.below(Math.max(1, hurt.length - 1));
    const other = 1 + random.below(Math.max(1, hurt.length - 1));
    const [one = "", two = ""] = [hurt[at], hurt[other]];
    const ways = [
      () => hurt.splice(at, 1),
      () => hurt.splice(other, 0, one),
      () => hurt.splice(at, 1, two).concat(hurt.splice(other, 1, one)),
      () => hurt.push(...hurt.slice(1, 1 + random.below(hurt.length))),
      () => hurt.splice(random.below(2), 0, pick(["", " ", "\0", "\ufeff"], random)),
    ];
    pick(ways, random)();
  }
  return hurt;
}

/** Mostly another way to say the same, or almost the same. */
export function damageText(line: string, random: Random): string {
  const ways: ((text: string, random: Random) => string)[] = [
    escapeOne,
    escapeOne,
    escapeName,
    spaceOut,
    spaceOut,
    reorder,
    repeatKey,
    repeatKey,
    enclose,
    rename,
    lengthen,
  ];
  return pick(ways, random)(line, random);
}

/** Anywhere, without regard to what is there. */
export function damageBytes(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length);
  const count = 1 + random.below(random.chance(50) ? 4 : 40);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  const put = pick(["\0", "\n", "\f", "\r", " ", '"', "\\", "}", "\ufeff", "é"], random);
  const ways = [
    () => before,
    () => Buffer.concat([before, after.subarray(count)]),
    () => Buffer.concat([before, Buffer.from(put.repeat(random.chance(80) ? 1 : count)), after]),
    () => bytes.with(at, (bytes[at] as number) ^ (1 << random.below(8))),
    () => bytes.with(at, random.below(256)),
    () => Buffer.concat([before, bytes.subarray(random.below(bytes.length)).subarray(0, count * 20), after]),
  ];
  return Buffer.from(pick(ways, random)());
}

/** One character inside of a string, as `\u` and its number. */
function escapeOne(text: string, random: Random): string {
  const inside = placesOf(/"[A-Za-z][^"\\]{0,40}(?=")/g, text, random);
  return escapeAt(text, inside);
}

/** In what says whose line it is. */
function escapeName(text: string, random: Random): string {
  return escapeAt(
    text,
    placesOf(/"(?:customType|openclaw:[a-z:]*|user|role|message|mirror|custom|type|id)(?=")/g, text, random),
  );
}

/** A place inside of one of what is found, behind its first character. */
function placesOf(pattern: RegExp, text: string, random: Random): number | undefined {
  const found = pick([...text.matchAll(pattern)], random);
  return found === undefined ? undefined : found.index + 1 + random.below(found[0].length - 1);
}

function escapeAt(text: string, at: number | undefined): string {
  if (at === undefined) return text;
  return `${text.slice(0, at)}\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}${text.slice(at + 1)}`;
}

/** White space, of JSON's or of nobody's, around a colon, a comma, a brace. */
function spaceOut(text: string, random: Random): string {
  const blank = pick([" ", "\t", "\r", "  ", "\u00a0", "\f", "\v", "\0"], random);
  const marks = [...text.matchAll(/[{}[\]:,]/g)].map(({ index }) => index + random.below(2));
  const at = random.chance(50) ? (marks[0] ?? 0) : (pick(marks, random) ?? 0);
  if (random.chance(20)) return text.replaceAll(/([:,])(?=["{[])/g, `$1${blank}`);
  return text.slice(0, at) + blank + text.slice(at);
}

/** Other order of the keys, or of those of what is inside. */
function reorder(text: string, random: Random): string {
  return reprinted(text, (fields) => {
    const entries = Object.entries(fields).map(([key, value]) => {
      const isInner = typeof value === "object" && value !== null && !Array.isArray(value) && random.chance(50);
      return [key, isInner ? Object.fromEntries(Object.entries(value).reverse()) : value] as const;
    });
    const turn = random.below(Math.max(1, entries.length));
    return JSON.stringify(Object.fromEntries([...entries.slice(turn), ...entries.slice(0, turn)]));
  });
}

/** The last one counts. */
function repeatKey(text: string, random: Random): string {
  const keys = ["type", "role", "message", "customType", "id", "mirror", "data", "parentId", "hash", "version"];
  const key = pick(keys, random);
  const value = pick(
    ['"custom"', '"message"', '"user"', '"assistant"', '{"role":"user"}', "null", '"openclaw:scratchpad:notes"', "5"],
    random,
  );
  const braces = [...text.matchAll(/\{/g)].map(({ index }) => index + 1);
  const closing = [...text.matchAll(/(?<=["\d\]}])\}/g)].map(({ index }) => index);
  if (random.chance(50)) {
    const at = pick(braces, random) ?? 0;
    return `${text.slice(0, at)}"${key}":${value},${text.slice(at)}`;
  }
  const at = pick(closing, random) ?? text.length;
  return `${text.slice(0, at)},"${key}":${value}${text.slice(at)}`;
}

/** Before and behind the line. */
function enclose(text: string, random: Random): string {
  const around = ["", " ", "\t", "\r", "\0", "\0\0\0", "\ufeff", "\f", "\v", "\u00a0", "x", "}", ",", "{}", "//"];
  return pick(around, random) + text + pick(around, random);
}

function rename(text: string, random: Random): string {
  const [from, to] = pick(
    [
      ['"message"', '"messige"'],
      ['"user"', '"User"'],
      ['"mirror"', '"mirrow"'],
      ['"mirror"', '"Mirror"'],
      ['"custom"', '"customs"'],
      ['"customType"', '"customtype"'],
      ["openclaw:scratchpad", "openclaw:scratchpat"],
      [":events", ":notes"],
      [":notes", ":events"],
      ['"role":"user"', '"role":["user"]'],
      ['"role":"user"', '"role":{"role":"user"}'],
      ['"message":{', '"message":[{'],
      ['"id":', '"ID":'],
    ] as const,
    random,
  );
  return text.replace(from, to);
}

/** Beyond what a line of ours may be, by what is said nowhere. */
function lengthen(text: string, random: Random): string {
  if (!random.chance(20)) return text;
  const size = pick([(1 << 20) - text.length - 20, 1 << 20, (1 << 20) + 4096], random);
  const pad = `"pad":"${"p".repeat(Math.max(0, size))}"`;
  if (random.chance(30)) return `${text}${" ".repeat(Math.max(0, size))}`;
  return random.chance(50) ? text.replace("{", `{${pad},`) : text.replace(/\}$/, `,${pad}}`);
}

function reprinted(text: string, print: (fields: Readonly<Record<string, unknown>>) => string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? print({ ...value }) : text;
  } catch {
    return text;
  }
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[random.below(items.length)] as Item;
}
