/** What is read of a line that is not parsed must be what parsing it tells. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type LineHeads, lineHeads } from "../../src/lens/line-heads.ts";
import { noMember, type ToldObject, textIn } from "../../src/lens/told-object.ts";
import { anyText } from "../../src/testing/any-text.ts";

const program = lineHeads(1024 * 1024) as LineHeads;

function told(printed: string): ToldObject | undefined {
  const line = { bytes: Buffer.from(printed), offset: 0, number: 1 };
  const from = program.placeOfLine(line);
  return program.objectAt({ from, to: from + line.bytes.length });
}

const keys = fc.constantFrom("a", "type", "message", "payload", "model");
const values = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 5 }, anyText, fc.integer(), fc.boolean(), tie("object"), tie("list")),
  object: fc.dictionary(keys, tie("any"), { maxKeys: 4 }),
  list: fc.array(tie("any"), { maxLength: 3 }),
}));

test("the members of an object are those that parsing it finds, in the same order and with the same texts", () => {
  fc.assert(
    fc.property(values.object, (value) => {
      const object = told(JSON.stringify(value));
      if (object === undefined) throw new Error("it was not told");
      const names: string[] = [];
      for (let member = object.first(object.root); member !== noMember; member = object.next(member)) {
        const name = object.name(member);
        const own = (value as Record<string, unknown>)[name];
        names.push(name);
        expect(JSON.parse(object.printed(member))).toEqual(own);
        expect(object.text(member)).toBe(typeof own === "string" ? own : undefined);
        const inner = Object.keys(object.isObject(member) ? (own as object) : {});
        expect(object.first(member) !== noMember).toBe(inner.length > 0);
        for (const each of inner) expect(object.member(member, each)).not.toBe(noMember);
      }
      expect(names).toEqual(Object.keys(value as object));
    }),
  );
});

test("a string whose bytes are no UTF-8 is read as parsing the line reads it", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      const line = Buffer.concat([Buffer.from('{"a":"'), bytes, Buffer.from('"}')]);
      let expected: string;
      try {
        expected = (JSON.parse(line.toString("utf8")) as { a: string }).a;
      } catch {
        return;
      }
      expect(textIn(line, 5, line.length - 1)).toBe(expected);
    }),
  );
});
