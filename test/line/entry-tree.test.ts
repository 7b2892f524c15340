import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { EntryTree } from "../../src/line/entry-tree.ts";

function entry(id: string | undefined, parentId: string | null | undefined) {
  return { id, parentId, timestamp: undefined };
}

function host(tree: EntryTree, id: string | undefined, parentId: string | null | undefined) {
  return tree.add(entry(id, parentId), false);
}

function ours(tree: EntryTree, id: string | undefined, parentId: string | null | undefined) {
  return tree.add(entry(id, parentId), true);
}

describe("a line of ours hangs on", () => {
  test("the host entry that is its parent", () => {
    const tree = new EntryTree();
    host(tree, "a", null);
    expect(ours(tree, "1", "a")).toBe("a");
  });

  test("the nearest host entry above other lines of ours", () => {
    const tree = new EntryTree();
    host(tree, "a", null);
    ours(tree, "1", "a");
    ours(tree, "2", "1");
    expect(ours(tree, "3", "2")).toBe("a");
  });

  test("the root where there is no host entry yet", () => {
    const tree = new EntryTree();
    expect(ours(tree, "1", null)).toBe(null);
    expect(ours(tree, "2", "1")).toBe(null);
  });

  test.each([
    ["is missing", undefined],
    ["is not in the file", "nowhere"],
  ])("the last host entry before it where its parent %s", (_, parentId) => {
    const tree = new EntryTree();
    host(tree, "a", null);
    host(tree, "b", "a");
    expect(ours(tree, "1", parentId)).toBe("b");
    expect(ours(tree, "2", "1")).toBe("b");
  });
});

test("the path leads from the last entry to the root, over lines of ours", () => {
  const tree = new EntryTree();
  host(tree, "a", null);
  host(tree, "b", "a");
  ours(tree, "1", "b");
  host(tree, "c", "1");
  expect([...tree.path()]).toEqual(["c", "1", "b", "a"]);
  host(tree, "d", "a");
  expect([...tree.path()]).toEqual(["d", "a"]);
});

test("a second root leaves the first tree behind", () => {
  const tree = new EntryTree();
  host(tree, "a", null);
  host(tree, "b", null);
  expect([...tree.path()]).toEqual(["b"]);
});

test("a line without an id is no leaf", () => {
  const tree = new EntryTree();
  host(tree, "a", null);
  expect(host(tree, undefined, undefined)).toBe("a");
  expect([...tree.path()]).toEqual(["a"]);
});

test("no tree at all, cycles and orphans included, makes the path endless or the answer absent", () => {
  const id = fc.option(fc.constantFrom("a", "b", "c", "1", "2", "__proto__"), { nil: undefined });
  const line = fc.record({ id, parentId: fc.oneof(id, fc.constant(null)), ours: fc.boolean() });
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const tree = new EntryTree();
      for (const each of lines) {
        expect(tree.add(entry(each.id, each.parentId), each.ours)).not.toBeUndefined();
        expect(tree.path().size).toBeLessThanOrEqual(lines.length + 1);
      }
    }),
  );
});

test("a chain of our lines without a host entry is not walked again for each of them", () => {
  const lookups = (lines: number) => {
    const get = vi.spyOn(Map.prototype, "get");
    try {
      const tree = new EntryTree();
      for (let line = 0; line < lines; line++) ours(tree, `${line}`, line === 0 ? null : `${line - 1}`);
      return get.mock.calls.length;
    } finally {
      get.mockRestore();
    }
  };
  expect(lookups(1000)).toBeLessThan(10_000);
});

test("an id that is there twice moves the lines that hang on it", () => {
  const tree = new EntryTree();
  host(tree, "a", null);
  host(tree, "b", "a");
  ours(tree, "1", "a");
  ours(tree, "2", "1");
  expect(ours(tree, "3", "2")).toBe("a");
  ours(tree, "1", "b");
  expect(ours(tree, "4", "2")).toBe("b");
});
