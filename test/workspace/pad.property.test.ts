import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openPad } from "../../src/entry/workspace.ts";
import type { Pad } from "../../src/workspace/pad.ts";

const keys = ["a", "b"];
/** A few texts, so that old ones come back; null removes. */
const change = {
  key: fc.constantFrom(...keys),
  text: fc.constantFrom(null, "", "one", "two", "three\r\n", "\u{feff}four"),
};

const step = fc.oneof(
  fc.record({ who: fc.constant("agent" as const), ...change }),
  /** Past the pad: as another process does. */
  fc.record({ who: fc.constant("journal" as const), ...change }),
  fc.record({ who: fc.constant("person" as const), ...change }),
  fc.record({ who: fc.constant("nobody" as const), restarts: fc.boolean() }),
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

test("files and entries come together, and no text that anybody left there is lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-pad-"));
      let pad = await open(folder);
      try {
        const left = new Set<string>();
        for (const one of steps) {
          if (one.who === "agent" || one.who === "nobody") for (const lies of filesIn(folder)) left.add(lies);
          pad = await take(one, pad);
        }
        for (const lies of filesIn(folder)) left.add(lies);
        await pad.refresh();
        const { version } = pad;
        await pad.refresh();
        expect([pad.version, pad.findings]).toEqual([version, []]);
        expect(filesIn(folder)).toEqual(pad.entries.list().map((key) => `${key}: ${pad.entries.read(key)}`));

        const written = new Set<string>();
        for await (const { event } of pad.history()) {
          if (event.type === "entry.written") written.add(`${event.key}: ${event.text}`);
        }
        expect([...left].filter((lay) => !written.has(lay))).toEqual([]);
      } finally {
        await pad.close();
        fs.rmSync(folder, { recursive: true, force: true });
      }
    }),
    { numRuns: process.env["SESSION_JOURNAL_FULL"] ? 300 : 30 },
  );
}, 300_000);

function open(folder: string): Promise<Pad> {
  return openPad(folder, { durability: "os" });
}

async function take(one: Step, pad: Pad): Promise<Pad> {
  switch (one.who) {
    case "agent":
    case "journal": {
      const { entries } = one.who === "agent" ? pad : pad.journal;
      await (one.text === null ? entries.delete(one.key) : entries.write(one.key, one.text));
      return pad;
    }
    case "person": {
      const file = path.join(pad.directory, `${one.key}.txt`);
      if (one.text === null) fs.rmSync(file, { force: true });
      else fs.writeFileSync(file, one.text);
      return pad;
    }
    case "nobody":
      if (!one.restarts) {
        await pad.refresh();
        return pad;
      }
      await pad.close();
      return open(pad.directory);
  }
}

function filesIn(folder: string): string[] {
  return keys.flatMap((key) => {
    const file = path.join(folder, `${key}.txt`);
    return fs.existsSync(file) ? [`${key}: ${fs.readFileSync(file, "utf8")}`] : [];
  });
}
