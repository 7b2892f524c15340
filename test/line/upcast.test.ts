import { expect, test } from "vitest";
import { Ledger } from "../../src/line/acceptance.ts";
import { commitLine, linkCommit } from "../../src/line/encode.ts";
import { encodeContext, session, takeAll } from "./lines.ts";

function written(v: number, events: readonly { readonly type: string; readonly [field: string]: unknown }[]): Buffer {
  const commit = { v, id: `c-${v}`, at: session.timestamp, events };
  return Buffer.from(commitLine(linkCommit(commit, new Ledger(session).head, "file"), null, encodeContext()).text);
}

test.each([0, 2, 99, -1, 0.5, 2 ** 53])("a commit of schema %s counts, and its events are kept whole, unknown", (v) => {
  const history = takeAll(written(v, [{ type: "notes.set", text: "of the future", mood: 7, actor: "agent" }]));
  expect(history).toMatchObject([
    { version: 1, event: { type: "unknown", name: "notes.set", payload: { text: "of the future", mood: 7 } } },
  ]);
});
