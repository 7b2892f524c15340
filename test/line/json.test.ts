import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, escapeSeparators, nestingMax, sorted, textJson } from "../../src/line/json.ts";
import { anyText } from "../../src/testing/any-text.ts";

describe("RFC 8785", () => {
  test("section 3.2.2: white space, numbers and strings", () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    const canonical = String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`;
    expect(canonicalJson(JSON.parse(text))).toBe(canonical);
  });

  test("section 3.2.3: keys are sorted by UTF-16 code units", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    };
    const keys = Object.keys(JSON.parse(canonicalJson(value)) as object).filter((key) => key !== "1");
    expect(keys).toEqual(["\r", "\u0080", "\u00f6", "\u20ac", "\ud83d\ude00", "\ufb33"]);
    expect(canonicalJson(value).indexOf('"1"')).toBe(
      canonicalJson(value).indexOf('"\\r"') + '"\\r":"Carriage Return",'.length,
    );
  });

  test.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ])("appendix B: the double %s is %s", (hex, text) => {
    expect(canonicalJson(Buffer.from(hex, "hex").readDoubleBE())).toBe(text);
  });
});

test("two printings of the same data are the same text, names that objects have included", () => {
  const object = fc.dictionary(fc.constantFrom("__proto__", "constructor", "a", "😀", "b"), fc.jsonValue(), {
    noNullPrototype: false,
  });
  fc.assert(
    fc.property(object, (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(value));
      expect(canonicalJson(JSON.parse(canonicalJson(value)))).toBe(canonicalJson(value));
      expect(canonicalJson(JSON.parse(JSON.stringify(value, undefined, 2)))).toBe(canonicalJson(value));
    }),
  );
});

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let level = 1; level < levels; level++) value = [value];
  return value;
}

test("data nested beyond the limit is refused, however deep", () => {
  expect(canonicalJson(nested(nestingMax))).toContain("{}");
  expect(() => canonicalJson(nested(nestingMax + 1))).toThrow(RangeError);
  expect(() => canonicalJson(nested(100_000))).toThrow(RangeError);
});

test.each([undefined, () => 1, Symbol("x")])("%s is not JSON", (value) => {
  expect(() => canonicalJson(value)).toThrow(TypeError);
});

test("what stands in order already is printed as what does not, also where it could print itself", () => {
  expect(canonicalJson({ a: 1, toJSON: { b: 2 } })).toBe('{"a":1,"toJSON":{"b":2}}');
  expect(() => canonicalJson({ a: { toJSON: () => "x" } })).toThrow(TypeError);
  expect(canonicalJson({ a: undefined, b: [undefined, -0] })).toBe('{"b":[null,0]}');
});

test("a copy in order is printed as what it was copied from, and a key that names the prototype is one", () => {
  const value = JSON.parse('{"b":1,"a":[{"d":1,"__proto__":{"z":1,"y":2},"c":null}]}') as object;
  const copy = sorted(value);
  expect(JSON.stringify(copy)).toBe(canonicalJson(value));
  expect(Object.getPrototypeOf((copy as { a: object[] }).a[0])).toBe(Object.prototype);
});

test("escaping what splits lines changes no meaning", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const json = JSON.stringify({ [text]: text });
      expect(JSON.parse(escapeSeparators(json))).toEqual(JSON.parse(json));
    }),
  );
  expect(escapeSeparators('"\u0085\u2028"')).toBe('"\\u0085\\u2028"');
});

test("a text is printed as JSON.stringify prints it, whatever it has in it", () => {
  const texts = fc.oneof(anyText, fc.uuid(), fc.constantFrom("", "a\n", "a b", "\u2028", "é", '"', "\\"));
  fc.assert(
    fc.property(texts, (text) => {
      expect(textJson(text)).toBe(JSON.stringify(text));
    }),
  );
});
