/** What is recorded of a redaction, where very many texts were taken. */
import { expect, test } from "vitest";
import { Taken } from "../../../src/audit/redact/records.ts";
import { hashText, sealCommit } from "../../../src/line/chain.ts";
import { Acknowledged } from "../../../src/stream/acknowledged.ts";

const count = 9001;
const textOf = (index: number): string => `text ${index % 3000}`;
const versionOf = (index: number): number => Math.floor(index / 2) + 1;

test("a text of a version is counted twice, or a digest is another text's", () => {
  const taken = new Taken("key");
  for (let index = 0; index < count; index++) {
    taken.took(textOf(index), versionOf(index), "notes");
    taken.took(textOf(index), versionOf(index), "notes");
  }
  const events = [...taken.events("why", "me")].map(({ event }) => event);
  const recorded = events.flatMap((event) => (event.type === "text.redacted" ? [event] : []));
  expect(taken.count).toBe(count);
  expect(taken.versions()).toEqual(Array.from({ length: versionOf(count - 1) }, (_, index) => index + 1));
  expect(recorded.map(({ digests }) => digests.length)).toEqual([4000, 4000, 1001]);
  expect(recorded.flatMap(({ versions }) => versions)).toEqual(Array.from({ length: count }, (_, i) => versionOf(i)));
  const digests = recorded.flatMap(({ digests: each }) => each);
  for (const index of [0, 1, 2999, 3000, 4000, 8999, 9000]) expect(digests[index]).toBe(hashText(textOf(index), "key"));
});

test("commits that were acknowledged come back in another order, where some of them are long", () => {
  const acknowledged = new Acknowledged();
  const commits = Array.from({ length: 600 }, (_, index) => ({
    v: 1,
    id: `${index}`,
    at: "2026-11-21T20:00:00.000Z",
    events: [{ type: "notes.set", text: "x".repeat(index % 100 === 7 ? 200_000 : 10) }],
  }));
  for (const commit of commits) acknowledged.add(sealCommit({ ...commit, version: 1, prev: "" }));
  expect([...acknowledged]).toEqual(commits);
});
