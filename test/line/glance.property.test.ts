import fc from "fast-check";
import { expect, test } from "vitest";
import { glance, glanceBytes } from "../../src/line/glance.ts";
import { hostileText } from "../../src/testing/arbitraries.ts";
import { damaged } from "./lines.ts";

type Printer = (value: unknown) => string;

const printers = fc.constantFrom<Printer>(
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 1).replace(/\n */g, " "),
  (value) => ` ${JSON.stringify(value, null, "\t").replace(/\n/g, "")}\t`,
);

/** As long as those of the known clients, or as ours, or as anybody's. */
const anyId = fc.oneof(
  fc.constantFrom("0a1b2c3d", "7d9f3c1e-0000-4000-8000-000000000001", '\\",\\"p",\\"', ""),
  hostileText({ piecesMax: 2 }),
);
const anyType = fc.oneof(
  fc.constantFrom("message", "custom", "label", "session", "user"),
  hostileText({ piecesMax: 1 }),
);
const anyRole = fc.oneof(fc.constantFrom("user", "assistant", "toolResult"), fc.constantFrom(1, null, ["user"], {}));
const anyFields = fc.array(
  fc.oneof(
    fc.tuple(fc.constantFrom("id", "parentId", "timestamp", "customType"), fc.option(anyId)),
    fc.tuple(
      fc.constant("message"),
      fc.oneof(
        fc.record({ role: anyRole, content: hostileText() }),
        fc.record({ timestamp: fc.nat(), isLast: fc.boolean(), role: anyRole }),
        fc.record({ content: fc.array(fc.record({ role: anyRole })), role: anyRole }),
        anyId,
      ),
    ),
    fc.tuple(
      fc.constantFrom("details", "usage"),
      fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.record({ role: anyRole })),
    ),
  ),
  { maxLength: 6 },
);
const anyEntry = fc.tuple(anyType, anyFields, fc.boolean()).map(([type, fields, isFirst]) => {
  const others = Object.fromEntries(fields);
  return isFirst ? { type, ...others } : { ...others, type };
});
/** In the order of the known clients. */
const anyMessage = fc
  .record({ id: anyId, parentId: fc.option(anyId), timestamp: fc.constant("2026-11-21T20:00:00.000Z"), role: anyRole })
  .map(({ role, ...place }) => ({ type: "message", ...place, message: { role, content: [] } }));

test("what the first bytes tell is so: no message of the user's and no custom entry is taken for another line", () => {
  let known = 0;
  fc.assert(
    fc.property(fc.oneof(anyEntry, anyMessage), printers, (entry, print) => {
      const line = Buffer.from(print(entry));
      const seen = glance(line, 0, line.length);
      if (seen === "unknown") return;
      known += 1;
      const { type, message } = JSON.parse(line.toString());
      const isOfUser = type === "message" && message?.role === "user";
      expect(seen).toBe(type === "custom" ? "custom" : isOfUser ? "user" : "other");
    }),
  );
  expect(known).toBeGreaterThan(0);
});

test("what comes behind the first bytes, or behind the line, makes no difference", () => {
  fc.assert(
    fc.property(
      damaged(fc.oneof(anyEntry, anyMessage).map((entry) => JSON.stringify(entry))),
      fc.nat(),
      (bytes, nth) => {
        const line = bytes.subarray(0, bytes.includes(0x0a) ? bytes.indexOf(0x0a) : bytes.length);
        const seen = glance(line, 0, line.length);
        const among = Buffer.concat([Buffer.from('{"type":"custom"}\n'), line, Buffer.from('\n{"type":"custom"}\n')]);
        expect(glance(among, 18, 18 + line.length)).toBe(seen);
        const head = line.subarray(0, Math.max(glanceBytes, nth % (line.length + 1)));
        expect(glance(head, 0, head.length)).toBe(seen);
      },
    ),
  );
});
