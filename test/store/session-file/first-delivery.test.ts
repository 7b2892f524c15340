/** A first reading is told while it goes on: what it told before it proved not to hold is taken back. */
import fs from "node:fs";
import { expect, test } from "vitest";
import type { FoldPolicy } from "../../../src/event/commit.ts";
import type { RecordedEvent } from "../../../src/event/event.ts";
import { genesisHash } from "../../../src/line/chain.ts";
import { commitDataOf, commitLine, headerLine } from "../../../src/line/encode.ts";
import { fold } from "../../../src/state/fold.ts";
import type { ScratchpadState } from "../../../src/state/state.ts";
import { encodeContext, names, session } from "../../line/lines.ts";
import { useFolder } from "./folder.ts";

const folder = useFolder();

/** A commit under each policy, all on the header. */
function fileOf(policies: readonly FoldPolicy[]): string {
  let head = { version: 0, hash: genesisHash(session.id) };
  const context = encodeContext();
  const value = { type: "custom", customType: names.plan, data: "a plan", id: "aaaaaaaa", parentId: null };
  const lines = policies.map((policy, index) => {
    const events = [{ event: { type: "notes.set", text: `${index}` } as const, actor: "agent" }];
    const data = commitDataOf({ id: `commit ${index}`, at: session.timestamp, events }, head, policy);
    head = data;
    return commitLine(data, null, context).text;
  });
  const file = folder.path("session.jsonl");
  const values = `${JSON.stringify(value)}\n`;
  fs.writeFileSync(file, headerLine({ ...session, cwd: "/" }) + lines.join("") + values);
  return file;
}

async function toldOf(file: string): Promise<{ resets: string[]; events: RecordedEvent[]; states: ScratchpadState[] }> {
  const told = { resets: [] as string[], events: [] as RecordedEvent[], states: [] as ScratchpadState[] };
  await folder.store(file, { readonly: true }).catchUp(undefined, {
    reset: (reason) => {
      told.resets.push(reason);
      told.events = [];
      told.states = [];
    },
    event: (recorded, state) => {
      told.events.push(recorded);
      if (state !== undefined) told.states.push(state);
    },
  });
  return told;
}

test.each([
  { policies: ["file", "file", "file"], resets: [] },
  { policies: ["branch", "branch"], resets: [] },
  { policies: ["file", "branch"], resets: [] },
  { policies: ["branch", "file"], resets: [] },
] as const)("a journal under $policies is told once under the policy of its newest commit", async (journal) => {
  const { resets, events } = await toldOf(fileOf(journal.policies));
  expect(resets).toEqual(journal.resets);
  expect(events.map(({ version }) => version)).toEqual([...journal.policies, "value"].map((_, index) => index + 1));
});

test("a state that is told with an event is what all events up to it add up to", async () => {
  const { events, states } = await toldOf(fileOf(["file", "file", "file"]));
  expect(states.length).toBeGreaterThan(1);
  const before = events.length - states.length;
  for (const [index, state] of states.entries()) expect(state).toEqual(fold(events.slice(0, before + index + 1)));
});
