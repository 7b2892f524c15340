import { expect, test } from "vitest";
import { childrenAmong, inFamilies } from "../../src/audit/report/families.ts";

function session(name: string, parent?: string, client = "codex") {
  return { client, session: name, ...(parent === undefined ? {} : { parent }) };
}

function names(...sessions: ReturnType<typeof session>[]): string[] {
  const isChild = childrenAmong(sessions);
  return inFamilies(sessions).map((each) => `${isChild(each) ? "  " : ""}${each.session}`);
}

test("a subagent stands below the session that it works for, and lifts it to its own place", () => {
  expect(names(session("a"), session("c", "b"), session("x"), session("b"), session("d", "c"))).toEqual([
    ...["a", "b", "  c", "  d", "x"],
  ]);
});

test("whose parent is not there, or is one of another client, does not stand below a stranger", () => {
  expect(names(session("a"), session("b", "gone"), session("c", "a", "pi"))).toEqual(["a", "b", "c"]);
});

test("parents that name themselves or each other lose nobody", () => {
  expect(
    names(session("a", "a"), session("b", "c"), session("c", "b"))
      .map((name) => name.trim())
      .sort(),
  ).toEqual([...["a", "b", "c"]]);
});
