import { expect, test } from "vitest";
import { actionNames, spaceOf } from "../../src/action/actions.ts";
import { describe } from "../../src/audit/report/describe.ts";
import { parseEvent } from "../../src/event/parse.ts";
import { refusalTitle } from "../../src/event/type-words.ts";
import { eventTypes, spaceOfEvent } from "../../src/event/types.ts";
import { currentSchema } from "../../src/event/upcast.ts";

test("each action is made by one type of event, and is about the space of that event", () => {
  const made = Object.values(eventTypes).flatMap(({ action }) => (action === null ? [] : [action]));
  expect(made.toSorted()).toEqual([...actionNames, "restore"].toSorted());
  expect(actionNames.map(spaceOf)).not.toContain(null);
  expect(spaceOf("restore")).toBeNull();
});

test.each(["restore", "constructor", "__proto__", "sing"])("a refusal of %s is about no space", (action) => {
  expect(spaceOfEvent({ type: "action.refused", action, code: "not_found", offered: {} })).toBeNull();
});

test("a redaction is read, and shown with how much of what went, from where and why", () => {
  const line = {
    type: "text.redacted",
    versions: [3, 3, 7],
    space: "notes",
    digests: ["a", "b", "c"],
    reason: "a key",
  };
  const event = parseEvent(currentSchema, { ...line, actor: "host" });
  expect(event).toEqual(line);
  expect(describe(event)).toEqual({ title: "3 texts of notes redacted", text: "v3, v7: a key" });
  const least = parseEvent(currentSchema, { type: "text.redacted", versions: [2], digests: ["a"] });
  expect(describe(least)).toEqual({ title: "1 text redacted", text: "v2" });
});

test("what was rejected is named by the reason, and not by the line that announces it", () => {
  const titleOf = (message: string) =>
    refusalTitle({
      type: "action.refused",
      action: "set_plan",
      code: "rejected",
      offered: { tool: "TodoWrite", message },
    });
  expect(titleOf("It failed due to the following issue:\nno status\nat 1")).toBe("TodoWrite rejected: no status");
  expect(titleOf("\nIt failed:")).toBe("TodoWrite rejected: It failed:");
  expect(titleOf("")).toBe("TodoWrite rejected");
});

test.each([null, 7, "a text", ["TodoWrite"]])(
  "where %j was offered, what was rejected is named by its action",
  (offered) => {
    expect(refusalTitle({ type: "action.refused", action: "set_plan", code: "rejected", offered })).toBe(
      "set_plan rejected",
    );
  },
);
