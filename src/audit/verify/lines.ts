/** The line by line part of verification. */
import type { CommitData, Head } from "../../event/commit.ts";
import { Ledger, type Verdict } from "../../line/acceptance.ts";
import { decodeHeader, decodeLine, type Header, trimLine } from "../../line/decode.ts";
import { isOurs, type JournalLine, type LineNames, lineNames } from "../../line/format.ts";
import { outlineOf } from "../../line/outline.ts";
import { isTornLine } from "../../line/torn.ts";
import { EntryIdCheck } from "./entry-ids.ts";
import { damage, type Finding, note, type Verification, type VerifiedLine, type VerifyOptions } from "./finding.ts";
import { ImpostorCheck } from "./impostors.ts";
import { MirrorCheck } from "./mirrors.ts";
import { TreeCheck } from "./tree.ts";

const wholeFile: VerifiedLine = { offset: 0, number: 0, bytes: new Uint8Array(), size: 0, ended: true };

export class LineVerifier {
  readonly #options: VerifyOptions;
  readonly #names: LineNames;
  readonly #findings: Finding[] = [];
  readonly #tree = new TreeCheck();
  readonly #mirrors = new MirrorCheck();
  readonly #impostors = new ImpostorCheck();
  readonly #entryIds: EntryIdCheck;
  /** Every head that this file has had. */
  readonly #heads = new Set<string>();
  #header: Header | undefined;
  #ledger: Ledger;
  #genesis: Head;
  /** The first commit was written to this very session: what is missing later was not left behind by a branch. */
  #rooted = false;
  /** A torn line of ours, to be judged by the line behind it. */
  #torn: VerifiedLine | undefined;
  #headFound: Head | undefined;
  #isDamaged = false;
  /** It was said that nothing can be checked without the key. */
  #isSealed = false;

  constructor(options: VerifyOptions) {
    this.#options = options;
    this.#names = lineNames(options.namespace);
    this.#entryIds = new EntryIdCheck(this.#names);
    this.#ledger = new Ledger({ id: "" }, options.seal);
    this.#genesis = this.#ledger.head;
  }

  take(line: VerifiedLine): void {
    const text = trimLine(line.bytes);
    if (text.length > 0) this.#keep(this.#judge(line, text));
  }

  finish(): Verification {
    this.#keep(this.#judgeTorn(true));
    this.#keep(this.#entryIds.finish());
    this.#keep(this.#judgeLeaf());
    this.#keep(this.#judgeHead());
    this.#findings.sort((a, b) => a.offset - b.offset);
    return { ok: !this.#isDamaged, findings: this.#findings, head: this.#ledger.head };
  }

  /** One by one: as many arguments as a file can have findings do not fit on the stack. */
  #keep(findings: readonly Finding[]): void {
    for (const finding of findings) {
      this.#findings.push(finding);
      this.#isDamaged ||= finding.severity === "damage";
      this.#isSealed ||= finding.kind === "sealed";
    }
  }

  #judge(line: VerifiedLine, text: Uint8Array): Finding[] {
    if (this.#header === undefined) return this.#judgeHeader(line);
    if (!line.ended) return [note("torn", line, "the last line has not ended: in flight, or left by a crash")];
    const value = parseObject(text);
    const before = this.#judgeTorn(value !== undefined || isTornLine(text, this.#names));
    const decoded = decodeLine(text, this.#names, line.size);
    if (value === undefined) return [...before, ...this.#judgeBroken(line, text)];
    if (decoded !== undefined && isOurs(decoded)) return [...before, ...this.#judgeOurs(decoded, line)];
    return [...before, ...this.#judgeHost(decoded, value, line, text)];
  }

  #judgeHeader(line: VerifiedLine): Finding[] {
    const header = decodeHeader(line.bytes);
    this.#header = header ?? { id: "", version: 3 };
    this.#ledger = new Ledger(this.#header, this.#options.seal);
    this.#genesis = this.#ledger.head;
    this.#tree.header(this.#header);
    return header === undefined ? [damage("corrupt", line, "the first line is no session header")] : [];
  }

  #judgeOurs(decoded: JournalLine, line: VerifiedLine): Finding[] {
    const place = this.#judgePlace(decoded, line);
    switch (decoded.kind) {
      case "damaged":
        return [...place, damage("corrupt", line, `a commit that cannot be read: ${decoded.reason}`)];
      case "commit":
        return [...place, ...this.#judgeCommit(decoded.data, decoded, line)];
      case "value":
      case "mark":
        return [...place, ...this.#judgeMirror(decoded, line)];
    }
  }

  #judgeMirror(decoded: Extract<JournalLine, { kind: "value" | "mark" }>, line: VerifiedLine): Finding[] {
    if (!this.#mirrors.isKnown(decoded.mirror)) {
      const detail = `it repeats commit ${JSON.stringify(decoded.mirror)}, which is not before it`;
      return [this.#inherits ? note("inherited", line, detail) : damage("mirror", line, detail)];
    }
    const fault = decoded.kind === "value" ? this.#mirrors.fault(decoded) : undefined;
    return fault === undefined ? [] : [damage("mirror", line, fault)];
  }

  #judgeCommit(data: CommitData, decoded: JournalLine, line: VerifiedLine): Finding[] {
    const isFirst = this.#ledger.lastCommit === "";
    this.#heads.add(this.#ledger.hash);
    const verdict = this.#ledger.take(decoded, line.offset);
    if (isFirst) this.#rooted = verdict.events.length > 0 && verdict.finding !== "gap";
    this.#impostors.commit(data);
    this.#mirrors.commit(data, verdict.events, this.#ledger.policy);
    this.#noteHead();
    return [...this.#judgeVerdict(verdict, data, line), ...unknownEvents(verdict, line)];
  }

  #judgeVerdict({ finding }: Verdict, data: CommitData, line: VerifiedLine): Finding[] {
    switch (finding) {
      case undefined:
        return [];
      case "hash":
        return [damage("hash", line, `commit ${data.id}: its hash does not match its data`)];
      case "duplicate":
        return [note("duplicate", line, `commit ${data.id}: its id or a command was accepted before`)];
      case "fork": {
        const base = data.version - data.events.length;
        const detail = `commit ${data.id} was decided on version ${base}, which others had passed: it does not count`;
        const isOfThisFile = this.#heads.has(data.prev) || this.#inherits;
        return [isOfThisFile && !this.#isDamaged ? note("fork", line, detail) : damage("fork", line, detail)];
      }
      case "gap": {
        const detail = `commit ${data.id} follows one that is not in this file`;
        return [this.#inherits ? note("inherited", line, detail) : damage("gap", line, detail)];
      }
      case "sealed": {
        return this.#isSealed ? [] : [note("sealed", line, "only the holder of the seal's key can check the commits")];
      }
    }
  }

  #judgePlace(decoded: JournalLine, line: VerifiedLine): Finding[] {
    const fault = this.#tree.fault(decoded.entry, true, line);
    const found = fault === undefined ? [] : [damage("tree", line, fault)];
    return [...found, ...this.#entryIds.ours(decoded, line)];
  }

  #judgeHost(
    decoded: JournalLine | undefined,
    value: Record<string, unknown>,
    line: VerifiedLine,
    text: Uint8Array,
  ): Finding[] {
    const { id, parentId, type } = outlineOf(text);
    if (typeof parentId === "string" && this.#tree.misses(parentId)) this.#entryIds.missing(parentId, line);
    this.#entryIds.host(id);
    const fault = this.#tree.fault({ id, parentId, timestamp: undefined }, false, line);
    const impostor = this.#impostors.fault(value, decoded !== undefined, this.#names, this.#ledger);
    if (impostor !== undefined) return [damage(impostor.kind, line, impostor.detail)];
    if (decoded !== undefined) {
      this.#mirrors.value(this.#ledger.take(decoded, line.offset).events);
      this.#noteHead();
    }
    if (fault !== undefined) return [note("foreign", line, fault)];
    return type === undefined ? [note("foreign", line, "a line without a type")] : [];
  }

  #judgeBroken(line: VerifiedLine, text: Uint8Array): Finding[] {
    if (isTornLine(text, this.#names)) {
      this.#torn = line;
      return [];
    }
    this.#tree.broken();
    if (line.size > line.bytes.length) return [note("foreign", line, `${line.size} bytes, too long to be read`)];
    return [
      this.#impostors.claims(text, this.#names, this.#ledger)
        ? damage("corrupt", line, "a line of the scratchpad that cannot be read")
        : note("foreign", line, "not a JSON object"),
    ];
  }

  /** Ended by its healer, a torn line is followed by a whole one, or by one that was torn as well; else it was cut in two. */
  #judgeTorn(nextIsWhole: boolean): Finding[] {
    const line = this.#torn;
    if (line === undefined) return [];
    this.#torn = undefined;
    return [
      nextIsWhole
        ? note("torn", line, "a line that a crash cut off: nothing of it was acknowledged")
        : damage("corrupt", line, "a line of the scratchpad that was cut in two"),
    ];
  }

  /** A crash may come between a commit and the line that makes good for a host line that slipped in before it. */
  #judgeLeaf(): Finding[] {
    const unsound = this.#tree.unsoundLeaf();
    if (unsound === undefined) return [];
    const detail = "the last entry does not hang on the newest of the host's: the next write mends it";
    return [this.#isDamaged ? damage("tree", unsound, detail) : note("torn", unsound, detail)];
  }

  #noteHead(): void {
    const { head } = this.#options;
    if (head === undefined || this.#headFound !== undefined) return;
    if (this.#ledger.version >= head.version) this.#headFound = this.#ledger.head;
  }

  #judgeHead(): Finding[] {
    const { head } = this.#options;
    if (head === undefined) return [];
    const found = head.version === 0 ? this.#genesis : this.#headFound;
    if (found === undefined) {
      const end = this.#ledger.version;
      return [damage("head", wholeFile, `version ${head.version} is not in this file: it ends at ${end}`)];
    }
    if (found.hash === head.hash) return [];
    return [damage("head", wholeFile, `at version ${head.version} the head is ${found.hash}, not ${head.hash}`)];
  }

  /** What is missing was left behind by a branch. */
  get #inherits(): boolean {
    return this.#header?.parentSession !== undefined && !this.#rooted;
  }
}

function unknownEvents({ events }: Verdict, line: VerifiedLine): Finding[] {
  return events.flatMap(({ event, version }) => {
    if (event.type !== "unknown") return [];
    const detail = `version ${version} is a ${JSON.stringify(event.name)} that this release cannot read: update session-journal`;
    return [damage("unknown_event", line, detail)];
  });
}

function parseObject(text: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
