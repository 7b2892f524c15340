/**
 * The plan says what must go, so that nothing of it is left in what the events add up to. A text may come about in several events, line by
 * line or by an edit, while none of them holds it: then its lines are looked for one by one, and if that does not do, the event that
 * completed it goes whole.
 */
import type { RecordedEvent, ScratchpadEvent } from "../../event/event.ts";
import { type Fields, fields } from "../../event/fields.ts";
import { parseEvent } from "../../event/parse.ts";
import { hashBeforeRedaction, type SealKey } from "../../line/chain.ts";
import { noEntry } from "../../line/format.ts";
import { IdSet } from "../../line/id-set.ts";
import { type ValueLine, valueEvent } from "../../line/legacy.ts";
import type { AcceptedRecord, StreamRecord } from "../../line/record.ts";
import { evolve } from "../../state/evolve.ts";
import { initialState, type ScratchpadState } from "../../state/state.ts";
import { encodedForms } from "./encoded-forms.ts";
import { Matcher, type MatcherParts } from "./matcher.ts";
import { Redactor, settled } from "./redactor.ts";

export interface RedactionWish extends Pick<MatcherParts, "texts" | "patterns" | "secrets"> {
  /** Every text of these versions is redacted. */
  readonly versions?: readonly number[];
}

export interface RedactionPlan {
  readonly matcher: Matcher;
  readonly versions: ReadonlySet<number>;
  /** Commits whose next one names the hash that they have now, though they were redacted before. */
  readonly named: Pick<IdSet, "has">;
  /** The history ends at this version. */
  readonly version: number;
  /** This is the hash of its newest commit. It is undefined if it has none. */
  readonly newest: string | undefined;
  /** This is what is looked for in the end, besides patterns and secrets. */
  readonly sought: Sought;
  /** The same file holds the journals of other namespaces. */
  readonly others?: ReadonlyMap<string, OtherPlan>;
}

export interface Sought {
  readonly texts: ReadonlySet<string>;
  readonly lines: ReadonlySet<string>;
}

/** The key of its seal is another one, or it has none. */
export interface OtherPlan {
  readonly plan: RedactionPlan;
  readonly seal: SealKey | undefined;
}

/** A part of a text that came about in several events is looked for by itself from so many characters on. */
const partUnitsMin = 8;
const roundsMax = 64;

/** `history`: begins anew at each call. `sought` is what the plans of other journals look for. */
export async function planRedaction(
  history: () => AsyncIterable<AcceptedRecord>,
  { texts = [], patterns = [], secrets = false, versions = [] }: RedactionWish,
  key: SealKey,
  sought?: Sought,
): Promise<RedactionPlan> {
  const encoded = encodedForms(new Set(texts));
  const wanted = new Set([...texts, ...(sought?.texts ?? [])]);
  const lines = new Set(sought?.lines);
  const whole = new Set(versions);
  for (let round = 1; ; round++) {
    const matcher = new Matcher({ texts: wanted, lines, patterns, encoded, secrets });
    const search = new Search({ matcher, versions: whole, key });
    for await (const accepted of history()) search.take(accepted);
    const known = wanted.size + lines.size + whole.size;
    for (const text of search.parts) (text.length < partUnitsMin ? lines : wanted).add(text);
    for (const version of search.completing) whole.add(version);
    const isDone = wanted.size + lines.size + whole.size === known;
    if (!isDone && round < roundsMax) continue;
    const { named, version, newest } = search;
    return { matcher, versions: whole, named, version, newest, sought: { texts: wanted, lines } };
  }
}

/** A search is one pass through the history. */
class Search {
  /** This is what else is to be looked for. */
  readonly parts = new Set<string>();
  readonly completing = new Set<number>();
  readonly named = new IdSet();
  version = 0;
  readonly #matcher: Matcher;
  readonly #redactor: Redactor;
  readonly #versions: ReadonlySet<number>;
  readonly #taken = new IdSet();
  #before: ScratchpadState = initialState;
  #after: ScratchpadState = initialState;
  #last: { readonly id: string; readonly hash: string; readonly isRedacted: boolean } | undefined;

  constructor({ matcher, versions, key }: { matcher: Matcher; versions: ReadonlySet<number>; key: SealKey }) {
    this.#matcher = matcher;
    this.#versions = versions;
    this.#redactor = new Redactor({ matcher, versions, key, took: (text) => this.#taken.add(text) });
  }

  get newest(): string | undefined {
    return this.#last?.hash;
  }

  take({ record, events }: AcceptedRecord): void {
    if (record.kind === "commit") this.#link(record.data);
    for (const [index, recorded] of events.entries()) this.#takeEvent(record, index, recorded);
  }

  #link({ id, prev, hash, ...data }: Extract<StreamRecord, { kind: "commit" }>["data"]): void {
    if (this.#last?.isRedacted && this.#last.hash === prev) this.named.add(this.#last.id);
    this.#last = { id, hash, isRedacted: hashBeforeRedaction({ id, prev, hash, ...data }) !== undefined };
  }

  #takeEvent(record: StreamRecord, index: number, { version, event }: RecordedEvent): void {
    this.version = version;
    if (this.#versions.has(version)) for (const text of textsIn(event)) this.parts.add(text);
    this.#noteDivided(event);
    const before = evolve(this.#before, event);
    for (const text of changedTexts(this.#before, before)) this.#notePartsOf(text);
    this.#before = before;
    const whole = settled(this.#redacted(record, index, version), event);
    const after = evolve(this.#after, whole);
    const isLeft = changedTexts(this.#after, after).some((text) => this.#matcher.found(text).length > 0);
    if (isLeft) this.completing.add(version);
    this.#after = after;
  }

  /** The part that a budget left may stand by itself in later events. */
  #noteDivided(event: ScratchpadEvent): void {
    if (!("text" in event && "dropped" in event) || event.text === undefined || event.dropped === undefined) return;
    const divided = this.#matcher.divided(event.text, event.dropped);
    for (const part of divided === undefined ? [] : [divided.kept, divided.dropped]) {
      for (const line of part.split("\n")) if (line.length >= partUnitsMin) this.parts.add(line);
    }
  }

  /** Texts that no event holds. */
  #notePartsOf(text: string): void {
    for (const found of this.#matcher.found(text)) {
      if (this.#taken.has(found)) continue;
      for (const line of found.split("\n")) if (line.length >= partUnitsMin) this.parts.add(line);
    }
  }

  #redacted(record: StreamRecord, index: number, version: number): ScratchpadEvent {
    if (record.kind === "commit") {
      const written = record.data.events[index];
      return parseEvent(
        record.data.v,
        this.#redactor.event(written ?? { type: "" }, version, (t) => this.#taken.add(t)),
      );
    }
    const line: ValueLine = {
      kind: "value",
      entry: noEntry,
      key: record.key,
      data: this.#redactor.value(record.data, version, record.key),
    };
    return valueEvent(line);
  }
}

/** Every text of a state that another one does not have in the same place. */
function changedTexts(one: ScratchpadState, other: ScratchpadState): string[] {
  if (one === other) return [];
  const texts: string[] = [];
  if (other.notes !== one.notes) texts.push(other.notes);
  if (other.plan !== one.plan) texts.push(other.plan);
  if (other.refs !== one.refs) for (const ref of other.refs) texts.push(ref);
  for (const [key, text] of Object.entries(other.entries)) if (one.entries[key] !== text) texts.push(key, text);
  for (const [name, { text }] of Object.entries(other.sections)) {
    if (one.sections[name]?.text !== text) texts.push(name, text);
  }
  return texts;
}

/** These texts go with an event of which every text goes. A refused action offered the same as an event would have. */
function textsIn(event: ScratchpadEvent): string[] {
  const { text, dropped, find, replace, ref, refs, evicted } = event as Fields;
  const offered = event.type === "action.refused" ? fields(event.offered) : {};
  return [
    ...[text, dropped, find, replace, ref, evicted, refs, event.type === "refs.set" ? event.dropped : undefined],
    ...[offered["content"], offered["find"], offered["replace"], offered["ref"], offered["items"]],
  ]
    .flat()
    .filter((each): each is string => typeof each === "string" && each.trim() !== "");
}
