import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EntryTree } from "../../src/line/entry-tree.ts";

function entry(id: string | undefined, parentId: string | null | undefined) {
  return { id, parentId, timestamp: undefined };
}

function host(lineage: EntryTree, id: string | undefined, parentId: string | null | undefined) {
  return lineage.add(entry(id, parentId), false);
}

function ours(lineage: EntryTree, id: string | undefined, parentId: string | null | undefined) {
  return lineage.add(entry(id, parentId), true);
}

describe("a line of ours hangs on", () => {
  test("the host entry that is its parent", () => {
    const lineage = new EntryTree();
    host(lineage, "a", null);
    expect(ours(lineage, "1", "a")).toBe("a");
  });

  test("the nearest host entry above other lines of ours", () => {
    const lineage = new EntryTree();
    host(lineage, "a", null);
    ours(lineage, "1", "a");
    ours(lineage, "2", "1");
    expect(ours(lineage, "3", "2")).toBe("a");
  });

  test("the root where there is no host entry yet", () => {
    const lineage = new EntryTree();
    expect(ours(lineage, "1", null)).toBe(null);
    expect(ours(lineage, "2", "1")).toBe(null);
  });

  test.each([
    ["is missing", undefined],
    ["is not in the file", "nowhere"],
  ])("the last host entry before it where its parent %s", (_, parentId) => {
    const lineage = new EntryTree();
    host(lineage, "a", null);
    host(lineage, "b", "a");
    expect(ours(lineage, "1", parentId)).toBe("b");
    expect(ours(lineage, "2", "1")).toBe("b");
  });
});

test("the path leads from the last entry to the root, over lines of ours", () => {
  const lineage = new EntryTree();
  host(lineage, "a", null);
  host(lineage, "b", "a");
  ours(lineage, "1", "b");
  host(lineage, "c", "1");
  expect([...lineage.path()]).toEqual(["c", "1", "b", "a"]);
  host(lineage, "d", "a");
  expect([...lineage.path()]).toEqual(["d", "a"]);
});

test("a second root leaves the first tree behind", () => {
  const lineage = new EntryTree();
  host(lineage, "a", null);
  host(lineage, "b", null);
  expect([...lineage.path()]).toEqual(["b"]);
});

test("a line without an id is no leaf", () => {
  const lineage = new EntryTree();
  host(lineage, "a", null);
  expect(host(lineage, undefined, undefined)).toBe("a");
  expect([...lineage.path()]).toEqual(["a"]);
});

test("no tree at all, cycles and orphans included, makes the path endless or the answer absent", () => {
  const id = fc.option(fc.constantFrom("a", "b", "c", "1", "2", "__proto__"), { nil: undefined });
  const line = fc.record({ id, parentId: fc.oneof(id, fc.constant(null)), ours: fc.boolean() });
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const lineage = new EntryTree();
      for (const each of lines) {
        expect(lineage.add(entry(each.id, each.parentId), each.ours)).not.toBeUndefined();
        expect(lineage.path().size).toBeLessThanOrEqual(lines.length + 1);
      }
    }),
  );
});
