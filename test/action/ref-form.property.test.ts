/** Refs that are kept once: which are the same, and what an answer says of one that is there. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DecideContext } from "../../src/action/answer.ts";
import { reduce } from "../../src/action/decide.ts";
import { defaultLimits } from "../../src/action/limits.ts";
import { type Dedupe, normalRef } from "../../src/action/ref-form.ts";
import { initialState } from "../../src/state/state.ts";
import { memoryJournal } from "../tool/memory-journal.ts";

const word = fc.constantFrom(
  "src",
  "a.ts",
  "..",
  ".",
  "",
  "README.md:12",
  "HTTP://Example.com:80",
  "https://x.org",
  "v1?b=A#c",
);
const ref = fc.oneof(
  fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join("/")),
  fc.string(),
);
const dedupe = fc.constantFrom<Dedupe>("exact", "normalised");
const context = (how: Dedupe): DecideContext => ({
  limits: { ...defaultLimits, refs: 4 },
  actor: "agent",
  at: "2026-01-01T00:00:00.000Z",
  dedupe: how,
});

describe("the normal form", () => {
  test.each([
    ["./src//auth/./login.ts", "src/auth/login.ts"],
    ["src/auth/../auth/login.ts/", "src/auth/login.ts"],
    ["../other/a.ts", "../other/a.ts"],
    ["/etc/../../etc/hosts", "/etc/hosts"],
    ["HTTPS://GitHub.com:443/org/repo/../repo/issues/42/", "https://github.com/org/repo/issues/42"],
    ["https://example.com", "https://example.com"],
    ["https://example.com/a?q=B#C", "https://example.com/a?q=B#C"],
    [" GH-12 ", "GH-12"],
    ["see a//b or ./c", "see a//b or ./c"],
    ["http://[", "http://["],
  ])("of %j is %j", (given, expected) => {
    expect(normalRef(given)).toBe(expected);
  });

  test("of a normal form is that form, whatever it is of", () => {
    fc.assert(
      fc.property(ref, (given) => {
        expect(normalRef(normalRef(given))).toBe(normalRef(given));
      }),
    );
  });

  test("tells apart what is not the same: case in a path, queries, fragments, schemes", () => {
    const all = ["a/B", "a/b", "https://x.org/a", "https://x.org/a?b", "https://x.org/a#b", "http://x.org/a", "/a/b"];
    expect(new Set(all.map(normalRef)).size).toBe(all.length);
  });
});

test("no ref stands there twice, whatever is asked, and adding one that is there changes nothing and says which", () => {
  const action = fc.oneof(
    ref.map((value) => ({ action: "refs.add", ref: value })),
    ref.map((value) => ({ action: "refs.remove", ref: value })),
    fc.array(ref, { maxLength: 6 }).map((items) => ({ action: "refs.set", items })),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 12 }), dedupe, (actions, how) => {
      const formOf = (text: string) => (how === "exact" ? text : normalRef(text));
      let state = initialState;
      for (const asked of actions) {
        const { answer, events, state: after } = reduce(state, asked, context(how));
        expect(new Set(after.refs.map(formOf)).size).toBe(after.refs.length);
        if (answer.existing !== undefined) {
          expect([answer.ok, events, after]).toEqual([true, [], state]);
          expect(state.refs).toContain(answer.existing);
        } else if (answer.ok && asked.action === "refs.add")
          expect(after.refs).toContain((asked as { ref: string }).ref.toWellFormed());
        state = after;
      }
    }),
  );
});

describe("a journal that keeps refs once", () => {
  test("answers that a ref is there already, as it stands there, and appends nothing", async () => {
    const journal = await memoryJournal({ dedupe: "normalised" });
    await journal.refs.add("src/a.ts");
    const answer = await journal.refs.add("./src/a.ts");
    expect(answer).toMatchObject({ ok: true, existing: "src/a.ts", version: 1, events: [], used: 1 });
    expect(answer.message).toBe('ref already there as "src/a.ts": 1/50 items used');
    expect(journal.version).toBe(1);
    expect(await journal.refs.remove("src//a.ts")).toMatchObject({ ok: true, events: [{ ref: "src/a.ts" }] });
  });

  test("takes the other actions of a batch, and knows the batch when it comes again", async () => {
    const journal = await memoryJournal({ dedupe: "normalised" });
    await journal.refs.add("a");
    const batch = [
      { action: "refs.add", ref: "./a" },
      { action: "refs.set", items: ["b", "a", "./b"] },
      { action: "refs.add", ref: "b/" },
      { action: "refs.remove", ref: "./b" },
      { action: "refs.add", ref: "./a" },
    ] as const;
    const first = await journal.applyAll(batch, { command: "c" });
    expect(first.map(({ existing, version }) => [existing, version])).toEqual([
      ["a", 1],
      [undefined, 2],
      ["b", 2],
      [undefined, 3],
      ["a", 3],
    ]);
    expect(journal.state.refs).toEqual(["a"]);
    expect(await journal.applyAll(batch, { command: "c" })).toEqual(first);
    await expect(journal.applyAll(batch.slice(0, 2), { command: "c" })).rejects.toThrow(/another action/);
  });

  test("keeps them as they come where nobody asked, and refuses a policy that does not exist", async () => {
    const journal = await memoryJournal({ dedupe: false });
    await journal.refs.set(["a", "a"]);
    expect(journal.state.refs).toEqual(["a", "a"]);
    await expect(memoryJournal({ dedupe: true as unknown as false })).rejects.toThrow(/"dedupe" must be one of/);
  });
});
