import { expect, test } from "vitest";
import { argumentsOf } from "../../src/lens/literals.ts";
import { isFull } from "../reliability/results.ts";

/** In the full run more than can be read again for each of them. */
const many = isFull ? 400_000 : 50_000;

function read(code: string): unknown[] {
  return [...argumentsOf("tools.update_plan", code)];
}

test("every call of a script is read, also behind one that has no literal", () => {
  expect(read('tools.update_plan([1]); tools.update_plan("b", 2); tools.update_plan(3)')).toEqual([[1], "b", 3]);
  expect(read("tools.update_plan(plan);\ntools.update_plan([1])")).toEqual([undefined, [1]]);
  expect(read("tools.update_plan(tools.update_plan([1]))")).toEqual([undefined, [1]]);
  expect(read("/don't/.test(x);\ntools.update_plan([1])")).toEqual([[1]]);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the code of a script.
  expect(read("tools.update_plan(`${tools.update_plan([1])}`)")).toEqual([undefined, [1]]);
});

test("what stands in a string or a comment of an argument is no call", () => {
  expect(read('tools.update_plan(["tools.update_plan(2)", // tools.update_plan(3)\n4])')).toEqual([
    ["tools.update_plan(2)", 4],
  ]);
});

test("what stands in a string, a template or a comment of the script is no call", () => {
  const comments = "// tools.update_plan([0])\n/* don't\ntools.update_plan([0]) */";
  const strings =
    "run('grep \\'tools.update_plan([0])'); run(`\ntools.update_plan([0])`); run(\"tools.update_plan([0])\");";
  expect(read(`${comments}\ntools.update_plan([1]); ${strings} tools.update_plan([2])`)).toEqual([[1], [2]]);
  expect(read("tools.update_plan({ /* why */ plan: [/**/] })")).toEqual([{ plan: [] }]);
  for (const open of ["/*", "`", "'"]) expect(read(`${open} tools.update_plan([1])`)).toEqual([]);
  for (const open of ["/* ", "`\\", "'\\", "//"])
    expect(read(`${open.repeat(many)} tools.update_plan([1])`)).toEqual([]);
});

test("a quote or two slashes in a regular expression do not hide the calls behind it", () => {
  for (const pattern of ["/```/", "/[/`]'/g", "/it's/", "/https?:\\/\\//"]) {
    expect(read(`const found = text.match(${pattern}); tools.update_plan([1])`)).toEqual([[1]]);
    expect(read(`lines.filter((line) => ${pattern}.test(line)); tools.update_plan([1])`)).toEqual([[1]]);
    expect(read(`const test = () => { return ${pattern}; }; tools.update_plan([1])`)).toEqual([[1]]);
  }
  expect(read("const share = (done / all) + ' tools.update_plan([0]) ' + 1 / 2; tools.update_plan([1])")).toEqual([
    [1],
  ]);
  for (const open of ["(/", "(/[", "/ ", "( /\n", "if (", "{(", " "]) {
    expect(read(`${open.repeat(many)}\n;tools.update_plan([1])`)).toEqual([[1]]);
  }
});

test.each([
  // Behind the head of a statement, a block and a keyword stands a regular expression.
  "if (/* why */ a(b)) /it's/.test(c);",
  "while (a) /it's/.test(c);",
  "for await (const a of /it's/.exec(b)) /it's/.test(c);",
  "if (a) {} else /it's/.test(c);",
  "const f = () => {}\n/it's/.test(c);",
  "switch (a) { case /it's/.test(b): { b = c } /it's/.test(c) }",
  "a = { b: { c } }; { a } /it's/.test(c);",
  "a = /* an */ /it's/; b = [.../it's/.exec(a)];",
  "a = b < /it's/ + /it's/ - /it's/ * /it's/;",
  "typeof /it's/; throw /it's/;",
  "a </script>it's/.exec(b);",
  'a = "</script>";',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the code of a script.
  "`${a(`${/it's`/.test(b)} it's`)} it's` / 2;",
])("a regular expression hides no call behind it: %s", (before) => {
  expect(read(`${before} tools.update_plan([1])`)).toEqual([[1]]);
  expect(read(`${before.replaceAll("it's", "tools.update_plan([0])")} tools.update_plan([1])`)).toEqual([[1]]);
});

test.each([
  "a(b) / 2 + 'tools.update_plan([0])' / 2",
  "a.if (b) / 2 + 'tools.update_plan([0])' / 2",
  "a.return / 2 + 'tools.update_plan([0])' / 2",
  "a?.case / 2 + 'tools.update_plan([0])' / 2",
  "of / 2 + 'tools.update_plan([0])' / 2",
  "1_000 / 2 + 'tools.update_plan([0])' / 2",
  "1. / 2 + 'tools.update_plan([0])' / 2",
  "a ?.5 / 2 + 'tools.update_plan([0])' / 2 : 1",
  "é / 2 + 'tools.update_plan([0])' / 2",
  "a++ / 2 + 'tools.update_plan([0])' / 2",
  "a[0] / 2 + 'tools.update_plan([0])' / 2",
  "(b = {}) / 2 + { a: { c: b ? 1 : {} } } / 2 + 'tools.update_plan([0])' / 2",
  "`a` / 2 + 'tools.update_plan([0])' / 2",
  "/a/g / 2 + 'tools.update_plan([0])' / 2",
  "(b /* why */) / 2 + 'tools.update_plan([0])' / 2",
])("a division begins no regular expression: %s", (before) => {
  expect(read(`${before}; tools.update_plan([1])`)).toEqual([[1]]);
});

test("a template within the code of a template does not hide the calls behind it", () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the code of a script.
  const nested = "const said = `${late ? `it's ${{ a: `{` }.a}` : 'no'}\ntools.update_plan([0])`;";
  expect(read(`${nested} tools.update_plan([1])`)).toEqual([[1]]);
  for (const open of ["`${", "`${{", "}"]) {
    expect(read(`${open.repeat(many)} tools.update_plan([1])`)).toEqual([[1]]);
  }
});

test("a comment that never ends is read once, however many calls stand in it", () => {
  expect(read("tools.update_plan(//".repeat(many))).toEqual([undefined]);
});

test("an argument is read once, however many calls stand in its comments", () => {
  const code = `tools.update_plan([${"1,//tools.update_plan([\n".repeat(50_000)}])`;
  const [items, ...others] = read(code);
  expect([items, others]).toEqual([Array.from({ length: 50_000 }, () => 1), []]);
});
