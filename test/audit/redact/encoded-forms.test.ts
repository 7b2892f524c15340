import fc from "fast-check";
import { expect, test } from "vitest";
import { encodedForms } from "../../../src/audit/redact/encoded-forms.ts";
import { Matcher } from "../../../src/audit/redact/matcher.ts";

const replaced = (text: string, secret: string): string =>
  new Matcher({ encoded: encodedForms([secret]) }).replace(text);

test.each([
  ["https://host/?p=p%C3%A4ss%20w%2Frd-4711&x=1", "päss w/rd-4711", "https://host/?p=[redacted 23 characters]&x=1"],
  ["p=p%c3%a4ss+w/rd-4711", "päss w/rd-4711", "p=[redacted 19 characters]"],
  ["key=6861636b2d34373131", "hack-4711", "key=[redacted 18 characters]"],
  ["key=6861636B2D34373131;", "hack-4711", "key=[redacted 18 characters];"],
  ["a lone surrogate and *?( stay what they are", "\ud800*?(", "a lone surrogate and *?( stay what they are"],
])("%s", (text, secret, wanted) => {
  expect(replaced(text, secret)).toBe(wanted);
});

test("a text that is shorter than the secret, for its letters are composed", () => {
  const wanted = "pässwörter".normalize("NFD");
  expect(replaced(wanted.normalize("NFC"), wanted)).toBe("[redacted 10 characters]");
});

const secret = "hü/2\"\\z\n🎌'<&> x";
const inJson = JSON.stringify(secret).slice(1, -1);
const escaped = Array.from({ length: secret.length }, (_, at) => `\\u${hex(secret.charCodeAt(at), 4)}`).join("");

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}

test.each([
  ["JSON", inJson],
  ["JSON with its slash escaped", inJson.replace("/", "\\/")],
  ["JSON in JSON in JSON", JSON.stringify(JSON.stringify(inJson).slice(1, -1)).slice(1, -1)],
  ["JSON, each unit escaped", escaped],
  ["JSON, each unit in capitals", escaped.replace(/[a-f]/g, (digit) => digit.toUpperCase())],
  ["JSON of ASCII alone", inJson.replace("ü", "\\u00fc").replace("🎌", "\\ud83c\\udf8c")],
  ["HTML", secret.replace(/[&"'<>]/g, (c) => `&${{ '"': "quot", "&": "amp", "'": "#39", "<": "lt", ">": "gt" }[c]};`)],
  ["HTML in numbers", [...secret].map((c) => `&#x${hex(c.codePointAt(0) ?? 0, 0)};`).join("")],
  ["decomposed letters", secret.normalize("NFD")],
  ["a URL in a URL", encodeURIComponent(encodeURIComponent(secret))],
  ["base64 of UTF-16", Buffer.from(`a${secret}b`, "utf16le").toString("base64")],
])("nothing of a text is left in %s", (_, form) => {
  expect(replaced(`see <${form}> here`, secret)).toMatch(/^see <\S{0,4}\[redacted \d+ characters\]\S{0,4}> here$/);
});

test.each([
  ["letters", "é".repeat(4096)],
  ["symbols", "🎌".repeat(2048)],
  ["a key in lines", `${"A".repeat(64)}\n`.repeat(50)],
])("a long text of %s is found in JSON and in a URL", (_, long) => {
  for (const form of [JSON.stringify(long).slice(1, -1), encodeURIComponent(long)])
    expect(replaced(`see ${form} here`, long)).toMatch(/^see \[redacted \d+ characters\] here$/);
});

test("JSON from which a text went is still JSON", () => {
  for (const ending of ["\\", '"', "/", "x"]) {
    const text = `${secret}${ending}`;
    expect(JSON.parse(replaced(JSON.stringify({ a: [text, "b"] }), text)).a).toEqual([
      expect.stringMatching(/^\[redacted \d+ characters\]$/),
      "b",
    ]);
  }
});

test("in base64 nothing of a text is left, wherever in it the text stands", () => {
  const around = fc.string({ unit: "binary-ascii", maxLength: 7 });
  fc.assert(
    fc.property(
      around,
      fc.string({ unit: "grapheme", minLength: 8, maxLength: 40 }),
      around,
      (before, secret, after) => {
        const encoded = Buffer.from(`${before}${secret}${after}`);
        for (const form of ["base64", "base64url"] as const) {
          const rest = replaced(`x ${encoded.toString(form)} y`, secret);
          expect(rest).toMatch(/^x .*\[redacted \d+ characters\].* y$/s);
          expect(rest.length).toBeLessThan(40 + ((before.length + after.length) * 4) / 3);
        }
      },
    ),
  );
});

test.each([
  ["base64 in lines", (secret: string) => inLinesOf(76, Buffer.from(secret).toString("base64"))],
  ["base64 in lines of a mail", (secret: string) => inLinesOf(64, Buffer.from(secret).toString("base64"), "\r\n")],
  ["base64 in lines, in JSON", (secret: string) => inLinesOf(76, Buffer.from(secret).toString("base64"), "\\n")],
  ["hex digits in lines", (secret: string) => inLinesOf(60, Buffer.from(secret).toString("hex"))],
  ["a dump", (secret: string) => inLinesOf(2, Buffer.from(secret).toString("hex"), " ")],
])("nothing of a text is left in %s, wherever a line ends", (_, printed) => {
  for (const text of ["hack-4711-0815", "a key of many lines\n".repeat(80)]) {
    for (let before = 30; before < 80; before++)
      expect(replaced(printed(`${"-".repeat(before)}${text}${"-".repeat(40)}`), text)).toMatch(
        /^[A-Za-z0-9+/\s\\-]*\[redacted \d+ characters\][A-Za-z0-9+/\s\\=-]*$/,
      );
  }
});

function inLinesOf(length: number, digits: string, lineEnd = "\n"): string {
  return digits.replace(new RegExp(`.{${length}}`, "g"), (line) => line + lineEnd);
}

test("short texts are looked for as they are and in URLs alone, and other words are left", () => {
  expect(replaced("YWJj 616263 abc a%62c", "abc")).toBe("YWJj 616263 [redacted 3 characters] [redacted 5 characters]");
  expect(replaced("hack-4712 6861636b2d3437", "hack-4711")).toBe("hack-4712 6861636b2d3437");
});
