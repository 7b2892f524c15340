/**
 * A session file line by line, without what is to go: the host's lines and ours, in their order and with their ids, so that
 * the copy is the session that it was. Entry ids of lines that changed prove nothing any more; the chain does.
 */
import type { Fields } from "../../event/fields.ts";
import { Ledger } from "../../line/acceptance.ts";
import { classifyRaw } from "../../line/classify.ts";
import { decodeHeader, decodeText, trimLine } from "../../line/decode.ts";
import {
  type Entry,
  type HostLine,
  isOurs,
  type LineNames,
  lineBytesMax,
  lineNames,
  type SessionLine,
} from "../../line/format.ts";
import { canonicalJson, escapeSeparators } from "../../line/json.ts";
import { type MirrorMode, type ValueLine, valueEvent } from "../../line/legacy.ts";
import { evolve } from "../../state/evolve.ts";
import { initialState, type ScratchpadState } from "../../state/state.ts";
import type { VerifiedLine } from "../verify/finding.ts";
import { type JsonPart, replaceTexts } from "./json-text.ts";
import { MirrorValues } from "./mirror-values.ts";
import { OtherCommits } from "./other-commits.ts";
import { type RecordRedactorParts, redactedEvents } from "./records.ts";
import { Redactor, settled } from "./redactor.ts";

export interface LineRedactorParts extends RecordRedactorParts {
  readonly namespace: string;
}

export class LineRedactor {
  /** Lines that cannot be read, and so cannot be searched. */
  leftOut = 0;
  /** So many texts in lines of the host lost something. */
  hostTexts = 0;
  /** So many texts in lines of ours that do not count lost something, as in a commit that lost a race. */
  uncounted = 0;
  /** So many names and values that hold lines of the host together were left, though a text that is to go stands in them. */
  hostKept = 0;
  readonly #mirrors = new Set<ValueLine["key"]>();
  readonly #parts: LineRedactorParts;
  readonly #names: LineNames;
  readonly #redactor: Redactor;
  readonly #others: OtherCommits;
  #ledger: Ledger | undefined;
  #before: ScratchpadState = initialState;
  #after: ScratchpadState = initialState;
  readonly #values = new MirrorValues((json) => this.#texts(json, true));

  constructor(parts: LineRedactorParts) {
    const { namespace, plan, key, seal, took } = parts;
    this.#parts = parts;
    this.#names = lineNames(namespace);
    this.#redactor = new Redactor({ ...plan, key, seal, took });
    this.#others = new OtherCommits({ ...plan, key, seal }, () => {
      this.hostTexts += 1;
    });
  }

  /** This is what the file repeats for older runtimes. */
  get mirrorMode(): MirrorMode {
    if (this.#mirrors.size === 0) return this.#ledger?.lastCommit === "";
    return this.#mirrors.has("legacy") ? "single-key" : true;
  }

  /** The line as it is to stand, with its line feed; undefined: it is left out. */
  take(line: VerifiedLine): string | undefined {
    const content = line.size > lineBytesMax ? undefined : classifyRaw(line, this.#names);
    if (content?.kind === "broken" && content.isBlank) return undefined;
    const text = content === undefined || !line.ended ? undefined : decodeText(trimLine(line.bytes));
    if (content === undefined || text === undefined) return this.#leaveOut();
    if (this.#ledger === undefined) return this.#header(line, text);
    const printed = this.#print(content, text, line);
    return printed === undefined ? this.#leaveOut() : `${printed}\n`;
  }

  #header(line: VerifiedLine, text: string): string {
    this.#ledger = new Ledger(decodeHeader(line.bytes) ?? { id: "" }, this.#parts.seal);
    return `${this.#hostTexts(text)}\n`;
  }

  #print(content: SessionLine, text: string, line: VerifiedLine): string | undefined {
    switch (content.kind) {
      case "commit":
        return this.#commit(content, line.offset);
      case "value":
        return isOurs(content) ? this.#mirror(content) : this.#value(content, text);
      case "mark":
        this.#ledger?.take(content);
        return this.#hostTexts(text);
      case "host":
        this.#ledger?.take(content);
        return this.#host(content, text, line);
      case "damaged":
        this.#ledger?.take(content);
        return undefined;
      case "broken":
        return undefined;
    }
  }

  #host(content: HostLine, text: string, { bytes }: VerifiedLine): string {
    const other = this.#others.take(bytes, content);
    if (other === undefined) return this.#hostTexts(text);
    return this.#entry(other.customType, other.data, other.entry, undefined);
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
    if (json !== before && before !== JSON.stringify(this.#before[space])) this.uncounted += 1;
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
    return this.#countedTexts(json, {}, () => {
      this.hostTexts += 1;
    });
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

  readonly #tookUncounted = (): void => {
    this.uncounted += 1;
  };

  readonly #kept = (text: string): void => {
    if (this.#redactor.text(text) !== text) this.hostKept += 1;
  };

  #leaveOut(): undefined {
    this.leftOut += 1;
    return undefined;
  }
}
