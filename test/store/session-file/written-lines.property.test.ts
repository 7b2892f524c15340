import fs from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { DraftEvent } from "../../../src/event/commit.ts";
import type { RecordedEvent } from "../../../src/event/event.ts";
import { sessionFileStore } from "../../../src/store/session-file/session-file-store.ts";
import { sidePaths } from "../../../src/store/session-file/session-path.ts";
import type { EventSink, StreamEnd } from "../../../src/stream/delivery.ts";
import type { JournalStore } from "../../../src/stream/stream-store.ts";
import { arbitraryEvent, hostileText } from "../../../src/testing/arbitraries.ts";
import { useFolder } from "./folder.ts";

const folder = useFolder();
const runs = Math.max(60, fc.readConfigureGlobal()?.numRuns ?? 0);

const anyDraftEvent: fc.Arbitrary<DraftEvent> = fc
  .tuple(arbitraryEvent(), hostileText(), fc.option(fc.uuid(), { nil: undefined }))
  .map(([event, actor, command]) => ({ event, actor, ...(command === undefined ? {} : { command }) }));
/** Some lines of a host's between our commits, so that the parents change. */
const anyCommits = fc.array(
  fc.record({ events: fc.array(anyDraftEvent, { minLength: 1, maxLength: 3 }), host: fc.boolean() }),
  { minLength: 1, maxLength: 6 },
);

function told(): EventSink & { readonly events: RecordedEvent[] } {
  const events: RecordedEvent[] = [];
  return { events, reset: () => events.splice(0), event: (recorded) => events.push(recorded) };
}

/** Everything that a reader knows, but for what it has told whom. */
async function knowledge(store: JournalStore, end: StreamEnd, file: string): Promise<unknown> {
  await store.saveSnapshot?.({ end } as never);
  const snapshot = sidePaths(folder.path(file)).snapshot;
  return fs.existsSync(snapshot) ? fs.readFileSync(snapshot, "utf8") : undefined;
}

test("what a writer takes of its own lines without decoding them is what every reader decodes", async () => {
  let files = 0;
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(anyCommits, async (commits) => {
      files += 1;
      const name = `${files}.jsonl`;
      const file = folder.path(name);
      const writer = sessionFileStore(file, { durability: "os", lock: { mode: "off" } });
      const written = told();
      let end = await writer.catchUp(undefined, written);
      for (const [index, { events, host }] of commits.entries()) {
        if (host) fs.appendFileSync(file, `${JSON.stringify({ type: "label", id: `h${index}`, parentId: null })}\n`);
        end = await writer.commit(end, written, () => ({ id: `c${index}`, at: "2026-03-09T13:02:11.417Z", events }));
      }
      const reader = sessionFileStore(file);
      const read = told();
      expect({ ...(await reader.catchUp(undefined, read)), generation: end.generation }).toEqual(end);
      expect(written.events).toEqual(read.events);
      const known = await knowledge(writer, end, name);
      if (known !== undefined) compared += 1;
      expect(known).toEqual(await knowledge(reader, end, name));
      await writer.close();
      await reader.close();
    }),
    { numRuns: runs },
  );
  // None is taken of a history with an event of an unknown type.
  expect(compared).toBeGreaterThan(0);
});
