/** A line of ours of which one character was changed is found, and a session in which every line was changed is read soon. */
import { expect, test } from "vitest";
import { isChangedEntry } from "../../../src/audit/verify/changed-entry.ts";
import { checkEntryId, type EntryFields, entryIdFor } from "../../../src/line/chain.ts";

const [salt, uuid] = ["0a1b2c3d4e5f678", "7f3c9a10-5b2e-4d61-9c3f-0a1b2c3d4e5f"];
const alphabet = "0123456789abcdef-T:.Z";

const ours: readonly EntryFields[] = [
  { customType: "t", parentId: uuid, timestamp: "2026-11-21T20:00:00.000Z", content: "9f2c" },
  { customType: "t", parentId: "a1b2c3d4", timestamp: "2026-11-21T20:00:00.000Z", content: { a: 1 }, mirror: uuid },
  { customType: "t", parentId: null, timestamp: "2026-11-21T20:00:00.000Z", content: null, mirror: uuid },
];

function changes(text: string, step: number): string[] {
  return [...text].flatMap((was, at) => {
    const char = alphabet[(at * 7 + step) % alphabet.length] ?? "";
    return char === was ? [] : [text.slice(0, at) + char + text.slice(at + 1)];
  });
}

test.each(ours)("a single character that was changed is not found: %j", (fields) => {
  const id = entryIdFor(fields, salt);
  expect(checkEntryId(id, fields)).toBe(true);
  for (const step of [0, 4, 9]) {
    for (const text of changes(id, step)) expect([text, isChangedEntry(text, fields)]).toEqual([text, true]);
    for (const name of ["timestamp", "parentId", "mirror"] as const) {
      for (const text of changes(fields[name] ?? "", step))
        expect([text, isChangedEntry(id, { ...fields, [name]: text })]).toEqual([text, true]);
    }
  }
});

/** As a reader would do it who has time. */
function isChangedPlainly(id: string, fields: EntryFields): boolean {
  const repairs = (text = ""): string[] =>
    [...text].flatMap((_, at) => [...alphabet].map((char) => text.slice(0, at) + char + text.slice(at + 1)));
  const changed = (["timestamp", "parentId", "mirror"] as const).flatMap((name) =>
    repairs(fields[name] ?? "").map((text) => ({ ...fields, [name]: text })),
  );
  return repairs(id).some((text) => checkEntryId(text, fields)) || changed.some((each) => checkEntryId(id, each));
}

test.each(ours)("two readers differ over lines in which more was changed: %j", (fields) => {
  const id = entryIdFor(fields, salt);
  const others: [string, EntryFields][] = [
    [uuid, fields],
    [id.toUpperCase(), fields],
    [`${id.slice(0, 19)}9${id.slice(20)}`, { ...fields, parentId: "ffffffff" }],
    [id.replace(/^../, "zz"), fields],
    [id, { ...fields, parentId: "ffffffff-ffff-4fff-8fff-ffffffffffff" }],
    [id, { ...fields, timestamp: "2026-11-21T20:00:00Z" }],
    [id, { ...fields, content: "other" }],
  ];
  for (const [text, each] of others) expect(isChangedEntry(text, each)).toBe(isChangedPlainly(text, each));
});

test("a line whose parent was rewritten by hand costs thousands of digests", () => {
  const worst = { ...(ours[0] as EntryFields), parentId: uuid.replaceAll("a", "b"), mirror: uuid };
  const digestsFor = (id: string, fields: EntryFields): number => {
    let digests = 0;
    const changed = isChangedEntry(id, fields, (...given) => {
      digests += 1;
      return entryIdFor(...given);
    });
    expect(changed).toBe(false);
    return digests;
  };
  const id = entryIdFor(ours[0] as EntryFields, salt);
  // A digest and 15 digits of salt, 17 of the time, 32 of each id.
  expect(digestsFor(id, worst)).toBe(1 + 15 * 15 + 17 * 9 + 32 * 15 + 32 * 15);
  // An id of a host's own.
  expect(digestsFor(uuid, worst)).toBe(1);
});
