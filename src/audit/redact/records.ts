/** A history without what is to go: the records that move between stores, and the events that they come to. */

import type { CommitData, DraftEvent } from "../../event/commit.ts";
import type { RecordedEvent, ScratchpadEvent, Space, Version } from "../../event/event.ts";
import { parseEvent } from "../../event/parse.ts";
import { hashText, type SealKey } from "../../line/chain.ts";
import type { AcceptedRecord, StreamRecord } from "../../line/record.ts";
import { given } from "../../options.ts";
import type { RedactionPlan } from "./plan.ts";
import { Redactor, settled, type Took } from "./redactor.ts";

export interface RecordRedactorParts {
  readonly plan: RedactionPlan;
  readonly key: SealKey;
  readonly seal?: SealKey | undefined;
  readonly took: Took;
}

export async function* redactRecords(
  records: AsyncIterable<AcceptedRecord>,
  { plan, key, seal, took }: RecordRedactorParts,
): AsyncGenerator<StreamRecord> {
  const redactor = new Redactor({ ...plan, key, seal, took });
  for await (const { record, events } of records) yield redactor.record(record, (events[0]?.version ?? 1) - 1);
}

/** The events of an accepted commit as they stand in it now; `events` are those of before. */
export function redactedEvents(
  { v, events: written }: CommitData,
  events: readonly RecordedEvent[],
): ScratchpadEvent[] {
  return events.map(({ event }, index) => settled(parseEvent(v, written[index] ?? { type: event.type }), event));
}

/** This is how many texts fit into one event. */
const textsMax = 4000;

/** Counts what was taken: each text of a version once. */
export class Taken {
  /** This has the version of each text in order; `digests` has its digest. */
  readonly versions: Version[] = [];
  readonly #digests: string[] = [];
  readonly #seen = new Set<string>();
  readonly #spaces = new Set<Space | null>();
  readonly #key: SealKey;

  constructor(key: SealKey) {
    this.#key = key;
  }

  readonly took: Took = (text, version, space) => {
    const digest = hashText(text, this.#key);
    const place = `${version} ${digest}`;
    if (this.#seen.has(place)) return;
    this.#seen.add(place);
    this.versions.push(version);
    this.#spaces.add(space);
    this.#digests.push(digest);
  };

  /** What is recorded of it; nothing where nothing was taken. */
  events(reason: string | undefined, actor: string): DraftEvent[] {
    const [space] = this.#spaces.size === 1 ? this.#spaces : [];
    const drafts: DraftEvent[] = [];
    for (let from = 0; from < this.versions.length; from += textsMax) {
      const [versions, digests] = [this.versions, this.#digests].map((list) => list.slice(from, from + textsMax)) as [
        Version[],
        string[],
      ];
      const event: ScratchpadEvent = {
        type: "text.redacted",
        versions,
        ...(space ? { space } : {}),
        digests,
        ...given({ reason }),
      };
      drafts.push({ event, actor });
    }
    return drafts;
  }
}
