import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeEvent, parseEvent, parseKnown } from "../../src/event/parse.ts";
import { parseCommon } from "../../src/event/parse-common.ts";
import { currentSchema } from "../../src/event/upcast.ts";
import { arbitraryEvent } from "../../src/testing/arbitraries.ts";

test("an event read back from its line is the event", () => {
  fc.assert(
    fc.property(arbitraryEvent(), (event) => {
      const written = JSON.parse(JSON.stringify(encodeEvent(event)));
      const readBack = parseEvent(currentSchema, { ...written, actor: "agent", command: "c" });
      // What no reader can know is kept, and written again as it was.
      if (readBack.type === "unknown") expect(JSON.stringify(encodeEvent(readBack))).toBe(JSON.stringify(written));
      else expect(JSON.stringify(readBack)).toBe(JSON.stringify(parseEvent(currentSchema, encodeEvent(event))));
      expect(readBack.type).toBe(event.type);
    }),
  );
});

test("nothing that a line may hold makes the reader throw", () => {
  fc.assert(
    fc.property(fc.integer(), arbitraryEvent(), fc.jsonValue(), fc.string(), (v, event, value, field) => {
      const raw = { ...encodeEvent(event), [field]: value, type: encodeEvent(event).type };
      expect(typeof parseEvent(v, raw).type).toBe("string");
      expect(typeof parseEvent(currentSchema, raw).type).toBe("string");
    }),
  );
});

test("what is parsed by hand is what the table of fields makes of it", () => {
  const anyValue = fc.oneof(fc.string(), fc.constantFrom(undefined, null, true, false, 1, ["a"]));
  const anyRaw = fc.record(
    {
      type: fc.constantFrom("notes.set", "plan.set", "notes.appended", "entry.written", "ref.added", "refs.set", "x"),
      text: anyValue,
      key: anyValue,
      ref: anyValue,
      evicted: anyValue,
      dropped: anyValue,
      ignored: anyValue,
      actor: anyValue,
    },
    { requiredKeys: ["type"] },
  );
  let common = 0;
  fc.assert(
    fc.property(anyRaw, (raw) => {
      const parsed = parseCommon(raw);
      if (parsed === undefined) return;
      common += 1;
      expect(Object.entries(parsed)).toEqual(Object.entries(parseKnown(raw) ?? {}));
      expect(Object.isFrozen(parsed)).toBe(true);
    }),
  );
  expect(common).toBeGreaterThan(0);
});
