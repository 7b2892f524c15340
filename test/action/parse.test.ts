import { expect, test } from "vitest";
import { actionNames } from "../../src/action/actions.ts";
import { given } from "../../src/testing/given.ts";

const long = "x".repeat(100_001);

const refused: readonly (readonly [action: unknown, code: string, message: RegExp])[] = [
  [undefined, "unknown_action", /unknown action/],
  [null, "unknown_action", /unknown action/],
  ["set_notes", "unknown_action", /an action is an object/],
  [[], "unknown_action", /unknown action/],
  [{}, "unknown_action", /unknown action/],
  [{ action: 5 }, "unknown_action", /unknown action/],
  [{ action: "refs_add", ref: "a" }, "unknown_action", /unknown action "refs_add": use one of set_notes, /],
  [{ action: "constructor" }, "unknown_action", /unknown action "constructor"/],
  [{ action: "a\nb\u2028c" }, "unknown_action", /unknown action "a\\nb\\u2028c"/],
  [
    { action: "set_notes" },
    "invalid_argument",
    /^set_notes rejected: content must be a string \(0\/4000 chars used\)$/,
  ],
  [
    { action: "set_notes", contnt: "a" },
    "invalid_argument",
    /^set_notes rejected: unknown parameter "contnt": did you mean content\? /,
  ],
  [
    { action: "sections.write", name: "s", content: "", ttlMinute: 5 },
    "invalid_argument",
    /unknown parameter "ttlMinute": did you mean ttlMinutes\?/,
  ],
  [
    { action: "edit_notes", operation: "append", content: "a", replaceAll: true },
    "invalid_argument",
    /did you mean replace_all\?/,
  ],
  [{ action: "set_notes", content: "a", command: "c" }, "invalid_argument", /unknown parameter "command"/],
  [{ action: "set_plan", content: null }, "invalid_argument", /content must be a string/],
  [{ action: "append_notes", content: 5 }, "invalid_argument", /content must be a string/],
  [{ action: "edit_notes" }, "invalid_argument", /operation must be one of find_replace, prepend, append, delete/],
  [{ action: "edit_notes", operation: "toString" }, "invalid_argument", /operation must be/],
  [{ action: "edit_notes", operation: "append" }, "invalid_argument", /content must be a string/],
  [{ action: "edit_notes", operation: "find_replace", find: 5 }, "invalid_argument", /find must be a string/],
  [{ action: "edit_notes", operation: "find_replace", find: "a" }, "invalid_argument", /replace must be a string/],
  [
    { action: "edit_notes", operation: "find_replace", find: "a", replace: "b", replace_all: "yes" },
    "invalid_argument",
    /replace_all must be true or false/,
  ],
  [{ action: "edit_notes", operation: "delete", find: {} }, "invalid_argument", /find must be a string/],
  [{ action: "refs.add" }, "invalid_argument", /ref must be a string/],
  [{ action: "refs.add", ref: "" }, "invalid_argument", /ref cannot be empty/],
  [{ action: "refs.remove", ref: "" }, "invalid_argument", /ref cannot be empty/],
  [{ action: "refs.set" }, "invalid_argument", /items must be an array/],
  [{ action: "refs.set", items: "a" }, "invalid_argument", /items must be an array/],
  [{ action: "entries.write", key: "a/b", content: "" }, "invalid_key", /^invalid key "a\/b": use \[A-Za-z0-9_-\]\+$/],
  [{ action: "entries.write", key: "", content: "" }, "invalid_key", /^key cannot be empty$/],
  [{ action: "entries.write", key: "é", content: "" }, "invalid_key", /^invalid key "é"/],
  [{ action: "entries.write", key: "a\n", content: "" }, "invalid_key", /^invalid key "a\\n"/],
  [{ action: "entries.write", key: "__proto__", content: "" }, "invalid_key", /reserved/],
  [{ action: "entries.write", key: "k".repeat(129), content: "" }, "invalid_key", /at most 128 characters/],
  [{ action: "entries.write", content: "" }, "invalid_argument", /key must be a string/],
  [{ action: "entries.write", key: "k" }, "invalid_argument", /content must be a string/],
  [{ action: "entries.claim", key: "k", ttlSeconds: 0 }, "invalid_argument", /ttlSeconds/],
  [{ action: "entries.claim", key: "k", ttlSeconds: -1 }, "invalid_argument", /ttlSeconds/],
  [{ action: "entries.claim", key: "k", ttlSeconds: Number.NaN }, "invalid_argument", /ttlSeconds/],
  [{ action: "entries.claim", key: "k", ttlSeconds: Number.MAX_SAFE_INTEGER }, "invalid_argument", /ttlSeconds/],
  [{ action: "entries.claim", key: "k", ttlSeconds: "60" }, "invalid_argument", /ttlSeconds/],
  [{ action: "sections.write", name: "", content: "" }, "invalid_key", /name cannot be empty/],
  [{ action: "sections.write", name: "a\nb", content: "" }, "invalid_key", /one line/],
  [{ action: "sections.write", name: "__proto__", content: "" }, "invalid_key", /reserved/],
  [
    { action: "sections.write", name: "s", content: "", ttlMinutes: Number.POSITIVE_INFINITY },
    "invalid_argument",
    /ttlMinutes must be a number of minutes above 0 and at most 9007199254740991/,
  ],
  [{ action: "set_notes", content: long }, "too_large", /content is 100001 chars long, and at most 100000 are taken/],
  [{ action: "edit_notes", operation: "find_replace", find: long, replace: "" }, "too_large", /find is/],
  [{ action: "edit_notes", operation: "find_replace", find: "a", replace: long }, "too_large", /replace is/],
  [{ action: "refs.add", ref: "x".repeat(4097) }, "too_large", /ref is 4097 chars/],
  [{ action: "refs.set", items: ["x".repeat(4097)] }, "too_large", /an item of items is 4097 chars/],
  [{ action: "refs.set", items: Array.from({ length: 400_000 }, () => "") }, "too_large", /bytes in a line/],
  [
    {
      action: "edit_notes",
      operation: "find_replace",
      find: "\u0085".repeat(100_000),
      replace: "\u2028".repeat(100_000),
    },
    "too_large",
    /bytes in a line/,
  ],
];

test.each(
  refused.map(([action, code, message]) => ({ glance: JSON.stringify(action)?.slice(0, 80), action, code, message })),
)("$glance is refused as $code and not recorded", ({ action, code, message }) => {
  const { events, answer } = given([]).when(action, { version: 3 }).outcome;
  expect(events).toEqual([]);
  expect(answer).toMatchObject({ ok: false, code, version: 3, events: [] });
  expect(answer.message).toMatch(message);
});

test("an unknown action names every valid one", () => {
  const { message } = given([]).when({ action: "nope" }).outcome.answer;
  for (const name of actionNames) expect(message).toContain(name);
});

test("what is just small enough is taken", () => {
  given([])
    .when({ action: "set_notes", content: "x".repeat(100_000) })
    .then({ answer: { ok: true } });
  given([])
    .when({ action: "refs.add", ref: "x".repeat(4096) })
    .then({ answer: { ok: true } });
  given([])
    .when({ action: "entries.write", key: "k".repeat(128), content: "" })
    .then({ answer: { ok: true } });
});

test("a parameter that is null, or that another action has, is passed over and not recorded", () => {
  given([])
    .when({ action: "set_notes", content: "a", ref: "b", mood: null })
    .then({ events: [{ type: "notes.set", text: "a" }] });
});
