/** Session files as an agent, its host and an older runtime fill them together. */

import fs from "node:fs";
import fc from "fast-check";
import type { Action } from "../../src/action/actions.ts";
import { openJournal } from "../../src/open/open-journal.ts";

export type Step =
  | { readonly by: "agent"; readonly actions: readonly object[]; readonly command: boolean }
  | {
      readonly by: "host";
      readonly key: string;
      readonly data: unknown;
      readonly named: boolean;
      readonly timed: boolean;
    }
  | { readonly by: "user"; readonly text: string }
  | { readonly by: "adapter"; readonly id: string };

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const action = fc.oneof(
  fc.record({ action: fc.constantFrom("set_notes", "append_notes", "set_plan"), content: text }),
  fc.record({ action: fc.constant("refs.add"), ref: fc.string({ minLength: 1, maxLength: 8 }) }),
  fc.record({ action: fc.constant("refs.remove"), ref: fc.constant("not there") }),
);

export const story: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({
      by: fc.constant("agent" as const),
      actions: fc.array(action, { minLength: 1, maxLength: 3 }),
      command: fc.boolean(),
    }),
    fc.record({
      by: fc.constant("host" as const),
      key: fc.constantFrom(":notes", ":plan", ":refs", ""),
      data: fc.oneof(text, fc.array(text, { maxLength: 2 }), fc.constantFrom(null, 7)),
      named: fc.boolean(),
      timed: fc.boolean(),
    }),
    fc.record({ by: fc.constant("user" as const), text }),
    fc.record({ by: fc.constant("adapter" as const), id: fc.string({ minLength: 1, maxLength: 8 }) }),
  ),
  { maxLength: 10 },
);

export async function tell(file: string, steps: readonly Step[]): Promise<void> {
  const journal = await openJournal(file, { durability: "os", lock: { mode: "off" } });
  let lines = 0;
  const append = (entry: object): void => {
    fs.appendFileSync(file, `${JSON.stringify({ ...entry, parentId: null })}\n`);
  };
  for (const step of steps) {
    const id = (lines++).toString(16).padStart(8, "0");
    const timestamp = new Date(Date.UTC(2030, 0, 1, 0, lines)).toISOString();
    switch (step.by) {
      case "agent":
        await journal.applyAll(step.actions as readonly Action[], step.command ? { command: `call ${id}` } : {});
        break;
      case "adapter":
        await journal.beginTurn({ id: step.id });
        break;
      case "user":
        append({ type: "message", id, timestamp, message: { role: "user", content: step.text } });
        break;
      case "host": {
        const customType = `openclaw:scratchpad${step.key}`;
        const named = step.named ? { id } : {};
        append({ type: "custom", customType, data: step.data, ...named, ...(step.timed ? { timestamp } : {}) });
      }
    }
  }
  await journal.close();
}
