import { expect, test } from "vitest";
import { encodeEvent, parseEvent } from "../../src/event/parse.ts";
import { currentSchema } from "../../src/event/upcast.ts";

const emptyImage = { notes: "", plan: "", refs: [], entries: {}, leases: {}, sections: {} };

test("actor, command and fields that nobody knows do not get into the event", () => {
  const raw = { type: "notes.appended", text: "a", actor: "agent", command: "c1", mood: "good" };
  expect(parseEvent(currentSchema, raw)).toEqual({ type: "notes.appended", text: "a" });
});

test.each([currentSchema + 1, 0, -1, 0.5, Number.NaN])("an event of schema %s is kept, not guessed", (v) => {
  expect(parseEvent(v, { type: "notes.set", text: "a" })).toEqual({
    type: "unknown",
    name: "notes.set",
    payload: { text: "a" },
  });
});

test.each(["notes.sung", "constructor", "__proto__", "unknown", ""])("type %j is kept as unknown", (type) => {
  const raw = { type, text: "a", actor: "agent", command: "c" };
  const event = parseEvent(currentSchema, raw);
  expect(event).toEqual({ type: "unknown", name: type, payload: { text: "a" } });
  expect(encodeEvent(event)).toEqual({ type, text: "a" });
});

test.each([
  [{ type: "notes.set" }],
  [{ type: "notes.set", text: 5 }],
  [{ type: "notes.set", text: "a", dropped: null }],
  [{ type: "notes.set", text: "a", ignored: false }],
  [{ type: "notes.edited", operation: "reverse" }],
  [{ type: "notes.edited", operation: "delete", all: "yes" }],
  [{ type: "refs.set", refs: ["a", 1] }],
  [{ type: "refs.set", refs: "a" }],
  [{ type: "section.written", name: "n", text: "t", at: "now", ttlMinutes: 0 }],
  [{ type: "section.written", name: "n", text: "t", at: "now", ttlMinutes: Number.POSITIVE_INFINITY }],
  [{ type: "action.refused", action: "set_notes", code: "too_large", offered: {} }],
  [{ type: "action.refused", action: "set_notes", code: "over_budget" }],
  [{ type: "state.restored", to: -1, state: emptyImage }],
  [{ type: "state.restored", to: 1, state: { ...emptyImage, notes: undefined } }],
  [{ type: "state.restored", to: 1, state: { ...emptyImage, refs: [1] } }],
  [{ type: "state.restored", to: 1, state: { ...emptyImage, entries: { k: 1 } } }],
  [{ type: "state.restored", to: 1, state: { ...emptyImage, leases: { k: { holder: "a" } } } }],
  [
    {
      type: "state.restored",
      to: 1,
      state: { ...emptyImage, sections: { s: { text: "t", at: "x", ttlMinutes: "1" } } },
    },
  ],
  [{ type: "state.restored", to: 1, state: [] }],
  [{ type: "session.forked", from: { session: "s", version: 1 }, state: emptyImage }],
  [{ type: "session.forked", from: null, state: emptyImage }],
  [{ type: "session.imported", from: null }],
  [{ type: "session.imported", from: { client: "codex", session: "s", bytes: -1, sha256: "" } }],
  [{ type: "session.imported", from: { client: "codex", version: 2, session: "s", bytes: 1, sha256: "" } }],
  [{ type: "session.imported", from: { client: "codex", session: "s", bytes: 1 } }],
  [{ type: "text.redacted", versions: 3, digests: [] }],
  [{ type: "text.redacted", versions: [1.5], digests: ["a"] }],
  [{ type: "text.redacted", versions: [3], space: "notebook", digests: ["a"] }],
  [{ type: "text.redacted", versions: [3] }],
  [{ type: "prompt.shown", shows: 1, digest: "00", chars: 1.5, place: "message" }],
  [{ type: "nudge.shown", kind: "nudgeAfterTurns" }],
])("a payload of the wrong shape blocks instead of half counting: %j", (raw) => {
  const { type, ...payload } = raw;
  expect(parseEvent(currentSchema, raw)).toEqual({ type: "unknown", name: type, payload });
});

test("a restored state with the key __proto__ changes no object's prototype", () => {
  const raw = JSON.parse(
    '{"type":"state.restored","to":1,"state":{"notes":"","plan":"","refs":[],"entries":{"__proto__":"x"},"leases":{},"sections":{}}}',
  );
  const event = parseEvent(currentSchema, raw);
  expect(event.type === "state.restored" && Object.entries(event.state.entries)).toEqual([["__proto__", "x"]]);
});
