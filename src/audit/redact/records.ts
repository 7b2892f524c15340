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
  /** This is called for each commit and value that counts, with the newest version that it brings, and the hash of a commit as it was before. */
  readonly met?: (version: Version, hash: string | undefined) => void;
}

export async function* redactRecords(
  records: AsyncIterable<AcceptedRecord>,
  { plan, key, seal, took, met }: RecordRedactorParts,
): AsyncGenerator<StreamRecord> {
  const redactor = new Redactor({ ...plan, key, seal, took });
  for await (const { record, events } of records) {
    const version = events.at(-1)?.version;
    // What came behind the plan was not looked through.
    if (version !== undefined && version > plan.version) return;
    if (version !== undefined) met?.(version, record.kind === "commit" ? record.data.hash : undefined);
    yield redactor.record(record, (events[0]?.version ?? 1) - 1);
  }
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

/** HMAC-SHA-256 has so many bytes. */
const digestBytes = 32;

/** Counts what was taken: each text of a version once. What it holds of a text is its digest and its version, outside of the heap. */
export class Taken {
  /** So many texts were taken. */
  count = 0;
  #digests = Buffer.alloc(1024 * digestBytes);
  #versions = new Float64Array(1024);
  /** These texts belong to the newest version, for versions come in order. */
  readonly #seen = new Set<string>();
  readonly #spaces = new Set<Space | null>();
  readonly #key: SealKey;

  constructor(key: SealKey) {
    this.#key = key;
  }

  readonly took: Took = (text, version, space) => {
    const digest = hashText(text, this.#key);
    if (this.count > 0 && this.#versions[this.count - 1] !== version) this.#seen.clear();
    if (this.#seen.has(digest)) return;
    this.#seen.add(digest);
    this.#spaces.add(space);
    if (this.count === this.#versions.length) this.#grow();
    this.#versions[this.count] = version;
    this.#digests.write(digest, this.count * digestBytes, "hex");
    this.count += 1;
  };

  /** The result has each version that a text was taken of, once. */
  versions(): Version[] {
    const versions: Version[] = [];
    for (const version of this.#versions.subarray(0, this.count))
      if (versions.at(-1) !== version) versions.push(version);
    return versions;
  }

  /** The events record what was taken. There are none if nothing was taken. */
  *events(reason: string | undefined, actor: string): Generator<DraftEvent> {
    const [space] = this.#spaces.size === 1 ? this.#spaces : [];
    for (let from = 0; from < this.count; from += textsMax) {
      const to = Math.min(from + textsMax, this.count);
      const event: ScratchpadEvent = {
        type: "text.redacted",
        versions: [...this.#versions.subarray(from, to)],
        ...(space ? { space } : {}),
        digests: Array.from({ length: to - from }, (_, index) => this.#digestAt(from + index)),
        ...given({ reason }),
      };
      yield { event, actor };
    }
  }

  #digestAt(index: number): string {
    return this.#digests.toString("hex", index * digestBytes, (index + 1) * digestBytes);
  }

  #grow(): void {
    const [digests, versions] = [this.#digests, this.#versions];
    this.#digests = Buffer.alloc(2 * digests.length);
    this.#digests.set(digests);
    this.#versions = new Float64Array(2 * versions.length);
    this.#versions.set(versions);
  }
}
