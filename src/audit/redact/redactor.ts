/** Takes texts out of events, commits and values. What changes nothing is handed back as it is. */
import type { CommitData, WrittenEvent } from "../../event/commit.ts";
import type { ScratchpadEvent, Space } from "../../event/event.ts";
import { isTime } from "../../event/iso-time.ts";
import { parseEvent } from "../../event/parse.ts";
import { spaceOfEvent } from "../../event/types.ts";
import { hashBeforeRedaction, hashText, type SealKey, sealCommit } from "../../line/chain.ts";
import { commitLineBytesMax, type ValueKey } from "../../line/format.ts";
import type { IdSet } from "../../line/id-set.ts";
import type { StreamRecord } from "../../line/record.ts";
import { isMarker, type Matcher, redactedText } from "./matcher.ts";

/** This is called with each text that is taken. `space` is null if the event changes none, or all. */
export type Took = (text: string, version: number, space: Space | null) => void;

export interface RedactorParts {
  readonly matcher: Matcher;
  /** Every text goes from the events of these versions. */
  readonly versions: ReadonlySet<number>;
  /** This is the key of the digests. */
  readonly key: SealKey;
  readonly seal?: SealKey | undefined;
  /** Commits whose next one names the hash that they have now. */
  readonly named?: Pick<IdSet, "has">;
  readonly took?: Took;
}

/** No reader could do without these fields, or they prove something. */
const kept: ReadonlySet<string> = new Set([
  "type",
  "operation",
  "code",
  "action",
  "space",
  "hash",
  "sha256",
  "digests",
  "marker",
]);
/** These fields hold no text of the scratchpad's, but names in it. */
const names: ReadonlySet<string> = new Set(["key", "name", "holder", "id", "actor", "command", "from", "markers"]);
const times: ReadonlySet<string> = new Set(["at", "until"]);

/** Objects whose field names are the format's: an event, and parts of it. */
const ofFormat: ReadonlySet<string> = new Set(["", "state", "from", "lease", "section", "markers"]);
/** What the values are in an object whose field names are not. */
const itemOf: Readonly<Record<string, string>> = { leases: "lease", sections: "section", input: "input" };

/** This is the room that the rest of the line needs. */
const marginBytes = 4096;

export class Redactor {
  readonly #parts: RedactorParts;

  constructor(parts: RedactorParts) {
    this.#parts = parts;
  }

  /** `base` is the version before the record. */
  record(record: StreamRecord, base: number): StreamRecord {
    if (record.kind === "commit") {
      const data = this.commit(record.data, base);
      return data === record.data ? record : { ...record, data };
    }
    const data = this.value(record.data, base + 1, record.key);
    return data === record.data ? record : { ...record, data };
  }

  commit(data: CommitData, base: number, took: Took | undefined = this.#parts.took): CommitData {
    const { id, at, version, v, fold, prev, events, hash, redacted, ...others } = data;
    const { seal, named } = this.#parts;
    const taken: Parameters<Took>[] = [];
    const note: Took = (...each) => void taken.push(each);
    let now = events.map((event, index) => this.event(event, base + index + 1, note));
    const hasMore = this.#deep(others, "", false, () => undefined) !== others;
    if (!hasMore && now.every((event, index) => event === events[index])) return data;
    const before = named?.has(id) ? hash : (hashBeforeRedaction(data) ?? hash);
    const seals = (written: readonly WrittenEvent[]) =>
      sealCommit(
        { v, id, at, version, events: written, ...(fold && { fold }), redacted: { hash: before }, prev },
        seal,
      );
    let sealed = seals(now);
    // Each of many short texts may have become longer than it was.
    if (Buffer.byteLength(sealed.json) > commitLineBytesMax - marginBytes) {
      taken.length = 0;
      now = events.map((event, index) => this.event(event, base + index + 1, note, true));
      sealed = seals(now);
    }
    for (const each of taken) took?.(...each);
    return sealed.data;
  }

  event(
    event: WrittenEvent,
    version: number,
    took: Took = () => undefined,
    isWhole = this.#parts.versions.has(version),
  ): WrittenEvent {
    const { command } = event;
    const space = (): Space | null => spaceOfEvent(parseEvent(1, event));
    const taken = (text: string): void => took(text, version, space());
    const now = this.#deep(this.#withoutDivided(event, taken), "", isWhole, taken) as WrittenEvent;
    if (typeof command !== "string" || now["command"] === command) return now;
    // Two commands that became one would be one.
    return { ...now, command: `${now["command"]} ${hashText(command, this.#parts.key).slice(0, 16)}` };
  }

  #withoutDivided(event: WrittenEvent, took: (text: string) => void): WrittenEvent {
    const { text, dropped } = event;
    if (typeof text !== "string" || typeof dropped !== "string") return event;
    const divided = this.#parts.matcher.divided(text, dropped);
    if (divided === undefined) return event;
    took(divided.kept + divided.dropped);
    return {
      ...event,
      text: text.slice(0, text.length - divided.kept.length) + redactedText(divided.kept),
      dropped: redactedText(divided.dropped) + dropped.slice(divided.dropped.length),
    };
  }

  /** The value was written by another runtime. */
  value(data: unknown, version: number, key: ValueKey): unknown {
    const { versions, took } = this.#parts;
    const space = key === "legacy" ? "notes" : key;
    return this.#deep(data, "text", versions.has(version), (text) => took?.(text, version, space));
  }

  /** The text stands beside the events. */
  text(text: string): string {
    return this.#parts.matcher.replace(text);
  }

  #deep(value: unknown, field: string, isWhole: boolean, took: (text: string) => void): unknown {
    if (kept.has(field)) return value;
    if (typeof value === "string") return this.#string(value, field, isWhole, took);
    if (typeof value === "number" && field === "input") return this.#number(value, isWhole, took);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#deep(item, field, isWhole, took));
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    // Everything below a name is a name, too.
    const below = isWhole && !names.has(field);
    const isOfFormat = ofFormat.has(field);
    let isSame = true;
    const fields = Object.entries(value).map(([name, item]) => {
      const now = isOfFormat ? name : this.#string(name, "key", false, took);
      const inner = isOfFormat || (field === "offered" && name === "input") ? name : (itemOf[field] ?? "text");
      const replaced = this.#deep(item, inner, below && inner !== "lease", took);
      isSame &&= now === name && replaced === item;
      return [now, replaced] as const;
    });
    return isSame ? value : Object.fromEntries(fields);
  }

  /** Only what another client's refused call was given has numbers that nobody counts with. What is left of one is a text. */
  #number(value: number, isWhole: boolean, took: (text: string) => void): number | string {
    const printed = String(value);
    const now = this.#string(printed, "input", isWhole, took);
    return now === printed ? value : now;
  }

  #string(text: string, field: string, isWhole: boolean, took: (text: string) => void): string {
    if (times.has(field) && isTime(text)) return text;
    const { matcher } = this.#parts;
    if (!isWhole || names.has(field) || text === "" || isMarker(text)) return matcher.replace(text, took);
    took(text);
    return redactedText(text);
  }
}

/** A redacted event that was ignored stays ignored. */
export function settled(event: ScratchpadEvent, original: ScratchpadEvent): ScratchpadEvent {
  const isIgnored = "ignored" in original && original.ignored === true;
  return isIgnored ? ({ ...event, ignored: true } as ScratchpadEvent) : event;
}
