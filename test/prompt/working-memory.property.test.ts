import fc from "fast-check";
import { expect, test } from "vitest";
import { parseWorkingMemory, renderWorkingMemory } from "../../src/prompt/working-memory.ts";
import { anyText } from "../../src/testing/any-text.ts";

const piece = fc.oneof(
  anyText,
  fc.constantFrom("\n", "\r", "## Other\n", "# ", "<!-- Updated: 2999-01-01T00:00:00+00:00 -->", "\n## ", "-->"),
);
const text = fc.array(piece).map((pieces) => pieces.join(""));
const name = fc
  .string({ minLength: 1, maxLength: 20, unit: fc.constantFrom(..."abc <!->#") })
  .filter((each) => each.trim() === each);
const sections = fc.uniqueArray(fc.record({ name, text, priority: fc.integer(), shrinks: fc.boolean() }), {
  selector: (section) => section.name,
  maxLength: 6,
});
const missing = fc.array(fc.record({ name, why: text }), { maxLength: 3 });
const measure = (page: string) => page.length;

test("no text reaches out of its section, and the head always says how old the file is", () => {
  fc.assert(
    fc.property(sections, missing, fc.integer({ min: 1, max: 2000 }), (given, absent, tokensUnder) => {
      const now = new Date("2026-02-05T14:30:00Z");
      const parts = { now, utcOffsetHours: 11, ttlMinutes: 30, tokensUnder, measure };
      const rendered = renderWorkingMemory({ ...parts, sections: given, missing: absent });
      const parsed = parseWorkingMemory(rendered.text);
      expect(parsed).toMatchObject({ updated: "2026-02-06T01:30:00+11:00", ttlMinutes: 30 });
      expect(Object.keys(parsed.sections).sort()).toEqual(rendered.sections.map((section) => section.name).sort());
      const kept = new Set(rendered.sections.map((section) => section.name));
      expect([...kept, ...rendered.leftOut].sort()).toEqual(given.map((section) => section.name).sort());
      if (kept.size > 0) expect(rendered.text.length).toBeLessThan(tokensUnder);
      const lowestKept = Math.min(...rendered.sections.map(({ priority }) => priority));
      for (const section of given)
        if (!kept.has(section.name)) expect(section.priority).toBeLessThanOrEqual(lowestKept);
    }),
  );
});
