/**
 * A session file line by line, without what is to go: the host's lines and ours, in their order and with their ids, so that
 * the copy is the session that it was. Entry ids of lines that changed prove nothing any more; the chain does.
 */
import type { Fields } from "../../event/fields.ts";
import { Ledger } from "../../line/acceptance.ts";
import { classify, classifyRaw } from "../../line/classify.ts";
import { decodeHeader, decodeText, trimLine } from "../../line/decode.ts";
import { type Entry, isOurs, type LineNames, lineBytesMax, lineNames, type SessionLine } from "../../line/format.ts";
import { canonicalJson, escapeSeparators } from "../../line/json.ts";
import { type MirrorMode, type ValueLine, valueEvent } from "../../line/legacy.ts";
import { evolve } from "../../state/evolve.ts";
import { initialState, type ScratchpadState } from "../../state/state.ts";
import type { VerifiedLine } from "../verify/finding.ts";
import { type JsonPart, replaceTexts } from "./json-text.ts";
import { MirrorValues } from "./mirror-values.ts";
import { type RecordRedactorParts, redactedEvents } from "./records.ts";
import { Redactor, settled } from "./redactor.ts";

export interface LineRedactorParts extends RecordRedactorParts {
  readonly namespace: string;
}

/** So much was found in lines, besides what the events of the journal lost. */
export interface LineCounts {
  /** Lines that cannot be read, and so cannot be searched. */
  leftOut: number;
  /** So many texts in lines of the host, and of other journals, lost something. */
  hostTexts: number;
  /** So many texts in lines of ours that do not count lost something, as in a commit that lost a race. */
  uncounted: number;
  /** So many names and values that hold lines of the host together were left, though a text that is to go stands in them. */
  hostKept: number;
}

export class LineRedactor {
  readonly #counts: LineCounts = { leftOut: 0, hostTexts: 0, uncounted: 0, hostKept: 0 };
  readonly #mirrors = new Set<ValueLine["key"]>();
  readonly #parts: LineRedactorParts;
  readonly #names: LineNames;
  readonly #redactor: Redactor;
  /** They take the lines of the journals of other namespaces, by the custom types of those. */
  readonly #others = new Map<string, LineRedactor>();
  #ledger: Ledger | undefined;
  #before: ScratchpadState = initialState;
  #after: ScratchpadState = initialState;
  readonly #values = new MirrorValues((json) => this.#texts(json, true));

  constructor(parts: LineRedactorParts) {
    const { namespace, plan, key, seal, took } = parts;
    this.#parts = parts;
    this.#names = lineNames(namespace);
    this.#redactor = new Redactor({ ...plan, key, seal, took });
    for (const [other, of] of plan.others ?? []) {
      const redactor = new LineRedactor({ ...of, namespace: other, key, took: this.#tookOfHost });
      for (const type of Object.values(lineNames(other))) this.#others.set(type, redactor);
    }
  }

  /** What other journals lost is counted with the host's lines. */
  get counts(): LineCounts {
    const all = { ...this.#counts };
    for (const { counts } of new Set(this.#others.values())) {
      all.leftOut += counts.leftOut;
      all.hostTexts += counts.hostTexts + counts.uncounted;
      all.hostKept += counts.hostKept;
    }
    return all;
  }

  /** This is what the file repeats for older runtimes. */
  get mirrorMode(): MirrorMode {
    if (this.#mirrors.size === 0) return this.#ledger?.lastCommit === "";
    return this.#mirrors.has("legacy") ? "single-key" : true;
  }

  /** The line as it is to stand, with its line feed; undefined: it is left out. */
  take(line: VerifiedLine): string | undefined {
    return this.#taken(line, line.size > lineBytesMax ? undefined : classifyRaw(line, this.#names));
  }

  #taken(line: VerifiedLine, content: SessionLine | undefined): string | undefined {
    const text = content === undefined || !line.ended ? undefined : decodeText(trimLine(line.bytes));
    if (content === undefined || text === undefined) return this.#leaveOut();
    if (this.#ledger === undefined) return this.#header(line, text);
    const other = content.kind === "host" ? this.#others.get(content.customType ?? "") : undefined;
    if (other !== undefined) return other.#taken(line, classify(line.bytes, other.#names));
    const printed = this.#print(content, text, line.offset);
    return printed === undefined ? this.#leaveOut() : `${printed}\n`;
  }

  #header(line: VerifiedLine, text: string): string {
    for (const redactor of [this, ...this.#others.values()]) redactor.#begin(line);
    return `${this.#hostTexts(text)}\n`;
  }

  #begin({ bytes }: VerifiedLine): void {
    this.#ledger = new Ledger(decodeHeader(bytes) ?? { id: "" }, this.#parts.seal);
  }

  #print(content: SessionLine, text: string, offset: number): string | undefined {
    switch (content.kind) {
      case "commit":
        return this.#commit(content, offset);
      case "value":
        return isOurs(content) ? this.#mirror(content) : this.#value(content, text);
      case "mark":
      case "host":
        this.#ledger?.take(content);
        return this.#hostTexts(text);
      case "damaged":
        this.#ledger?.take(content);
        return undefined;
      case "broken":
        return undefined;
    }
  }

  /** One that does not count is treated alike, so that it does not count for the same reason. */
  #commit(line: Extract<SessionLine, { kind: "commit" }>, offset: number): string | undefined {
    const verdict = this.#ledger?.take(line, offset);
    if (verdict === undefined || verdict.finding === "hash") return undefined;
    const { events } = verdict;
    const { data } = line;
    if (events.length > 0) this.#parts.met?.(data.version, data.hash);
    const took = events.length > 0 ? undefined : this.#tookUncounted;
    const now = this.#redactor.commit(data, data.version - data.events.length, took);
    for (const { event } of events) this.#before = evolve(this.#before, event);
    if (events.length > 0) {
      for (const event of redactedEvents(now, events)) this.#after = evolve(this.#after, event);
    }
    this.#values.note(this.#before, this.#after);
    return this.#entry(this.#names.events, now, line.entry, undefined);
  }

  #value(line: ValueLine, text: string): string {
    const [recorded] = this.#ledger?.take(line)?.events ?? [];
    if (recorded === undefined) return this.#uncountedTexts(text);
    this.#parts.met?.(recorded.version, undefined);
    const data = this.#redactor.value(line.data, recorded.version, line.key);
    this.#before = evolve(this.#before, recorded.event);
    const event = valueEvent({ ...line, data });
    this.#after = evolve(this.#after, settled(event, recorded.event));
    this.#values.note(this.#before, this.#after);
    if (data === line.data) return this.#texts(text);
    const fields = JSON.parse(text) as Fields;
    return this.#texts(escapeSeparators(JSON.stringify({ ...fields, data })));
  }

  #mirror(line: ValueLine): string {
    this.#mirrors.add(line.key);
    const space = line.key === "legacy" ? "notes" : line.key;
    const value = line.data ?? null;
    const json = this.#values.printed(space, value, this.#ledger?.policy === "file");
    const before = JSON.stringify(value);
    // What the events add up to was counted with them.
    if (json !== before && before !== JSON.stringify(this.#before[space])) this.#counts.uncounted += 1;
    return this.#entry(this.#names[line.key], JSON.parse(json), line.entry, String(line.mirror));
  }

  /** The entry is as we print it, whatever stood beside what counts. */
  #entry(customType: string, data: unknown, entry: Entry, mirror: string | undefined): string {
    const { id, parentId, timestamp } = entry;
    const fields: Record<string, unknown> = { id, parentId, timestamp };
    const place = Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [`,${JSON.stringify(name)}:${JSON.stringify(value)}`],
    );
    const marked = mirror === undefined ? "" : `,"mirror":${JSON.stringify(mirror)}`;
    return escapeSeparators(
      `{"type":"custom","customType":${JSON.stringify(customType)},"data":${canonicalJson(data)}${marked}${place.join("")}}`,
    );
  }

  #texts(json: string, isInner = false): string {
    const part = { isInner, keepsNumbers: true, kept: this.#kept };
    return escapeSeparators(replaceTexts(json, (text) => this.#redactor.text(text), part));
  }

  #hostTexts(json: string): string {
    return this.#countedTexts(json, {}, this.#tookOfHost);
  }

  /** Numbers stay, as in a value that counts: the host may have written this one again. */
  #uncountedTexts(json: string): string {
    return this.#countedTexts(json, { keepsNumbers: true }, this.#tookUncounted);
  }

  #countedTexts(json: string, part: JsonPart, took: () => void): string {
    const replaced = (text: string): string => {
      const now = this.#redactor.text(text);
      if (now !== text) took();
      return now;
    };
    return escapeSeparators(replaceTexts(json, replaced, { ...part, kept: this.#kept }));
  }

  readonly #tookOfHost = (): void => {
    this.#counts.hostTexts += 1;
  };

  readonly #tookUncounted = (): void => {
    this.#counts.uncounted += 1;
  };

  readonly #kept = (text: string): void => {
    if (this.#redactor.text(text) !== text) this.#counts.hostKept += 1;
  };

  #leaveOut(): undefined {
    this.#counts.leftOut += 1;
    return undefined;
  }
}
