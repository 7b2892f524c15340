/** This file is the part of verification that goes line by line. */
import type { Head } from "../../event/commit.ts";
import { Ledger } from "../../line/acceptance.ts";
import { hashText } from "../../line/chain.ts";
import { classifyRaw, longLineBytes } from "../../line/classify.ts";
import { decodeHeader, type Header, parseObject } from "../../line/decode.ts";
import {
  type HostLine,
  isOurs,
  type JournalLine,
  type LineNames,
  lineBytesMax,
  lineNames,
  type SessionLine,
} from "../../line/format.ts";
import { IdSet, plainIdsOfCheck } from "../../line/id-set.ts";
import { isTornLine } from "../../line/torn.ts";
import { EntryIdCheck } from "./entry-ids.ts";
import {
  damage,
  type Finding,
  type FindingPlace,
  note,
  theWhole,
  type Verification,
  type VerifiedLine,
  type VerifyOptions,
} from "./finding.ts";
import { FindingList } from "./finding-list.ts";
import { ImpostorCheck } from "./impostors.ts";
import { MirrorCheck } from "./mirrors.ts";
import { TreeCheck } from "./tree.ts";
import { findingsOf, redactionIn, sealedAt, unknownEvents } from "./verdict.ts";

/** Nearly all lines are as they should be. */
const nothing: readonly Finding[] = [];

export class LineVerifier {
  readonly #options: VerifyOptions;
  readonly #names: LineNames;
  readonly #findings = new FindingList();
  readonly #tree = new TreeCheck();
  readonly #mirrors = new MirrorCheck();
  readonly #impostors = new ImpostorCheck(this.#mirrors);
  readonly #entryIds: EntryIdCheck;
  /** These lines of ours were met: client 0.73.1 writes again what it loaded before its first answer, byte for byte. */
  readonly #met = new IdSet("", plainIdsOfCheck);
  #header: Header | undefined;
  #ledger: Ledger;
  #genesis: Head;
  /** A torn line of ours, to be judged by the line behind it. */
  #torn: FindingPlace | undefined;
  #headFound: Head | undefined;
  #isHeadFound = false;
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
    const content = classifyRaw(line, this.#names);
    if (content.kind !== "broken" || !content.isBlank) this.#keep(this.#judge(line, content));
  }

  finish(): Verification {
    this.#keep(this.#judgeTorn(true));
    for (const list of this.#entryIds.finish()) {
      this.#keep(list.listed);
      this.#findings.count(list.rest.unlisted);
    }
    this.#keep(this.#judgeLeaf());
    this.#keep(this.#judgeHead());
    const { listed, rest } = this.#findings;
    listed.sort((a, b) => a.offset - b.offset);
    return { ok: !this.#isDamaged, findings: listed, ...rest, head: this.#ledger.head };
  }

  /** One by one: as many arguments as a file can have findings do not fit on the stack. */
  #keep(findings: readonly Finding[]): void {
    if (findings.length === 0) return;
    for (const finding of findings) {
      this.#findings.add(finding);
      this.#isDamaged ||= finding.severity === "damage";
      if (finding.severity === "damage") this.#ledger.noteDamage();
      this.#isSealed ||= finding.kind === "sealed";
    }
  }

  #judge(line: VerifiedLine, content: SessionLine): readonly Finding[] {
    if (this.#header === undefined) return this.#judgeHeader(line);
    if (!line.ended) return [note("torn", line, "the last line has not ended: in flight, or left by a crash")];
    switch (content.kind) {
      case "broken":
        return [...this.#judgeTorn(this.#isTorn(line)), ...this.#judgeBroken(line)];
      case "damaged":
        if (content.broken) return [...this.#judgeTorn(this.#isTorn(line)), ...this.#judgeBroken(line)];
        return [...this.#judgeTorn(true), ...this.#judgeOurs(content, line)];
      case "commit":
      case "mark":
        return [...this.#judgeTorn(true), ...this.#judgeOurs(content, line)];
      case "value":
        if (isOurs(content)) return [...this.#judgeTorn(true), ...this.#judgeOurs(content, line)];
        return [...this.#judgeTorn(true), ...this.#judgeTheirs(content, line)];
      case "host":
        // Nearly all lines are these, and few follow on a torn one.
        if (this.#torn === undefined) return this.#judgeTheirs(content, line);
        return [...this.#judgeTorn(true), ...this.#judgeTheirs(content, line)];
    }
  }

  #isTorn({ bytes, size }: VerifiedLine): boolean {
    return size < longLineBytes && isTornLine(bytes, this.#names);
  }

  #judgeHeader(line: VerifiedLine): Finding[] {
    const header = decodeHeader(line.bytes);
    this.#header = header ?? { id: "", version: 3 };
    this.#ledger = new Ledger(this.#header, this.#options.seal, Number.POSITIVE_INFINITY);
    this.#genesis = this.#ledger.head;
    this.#tree.header(this.#header);
    return header === undefined ? [damage("corrupt", line, "the first line is no session header")] : [];
  }

  #judgeOurs(decoded: JournalLine, line: VerifiedLine): Finding[] {
    const place = this.#judgePlace(decoded, line);
    if (!this.#met.add(hashText(line.bytes))) {
      // Judged all the same: what counts is the ledger's to say.
      this.#ledger.take(decoded, line.offset);
      return [
        note("duplicate", line, "a line of the scratchpad that stands before, byte for byte: a host wrote it again"),
      ];
    }
    switch (decoded.kind) {
      case "damaged":
        this.#ledger.take(decoded, line.offset);
        return [...place, damage("corrupt", line, `a line of the scratchpad that cannot be read: ${decoded.reason}`)];
      case "commit":
        return [...place, ...this.#judgeCommit(decoded, line)];
      case "value":
      case "mark":
        return [...place, ...this.#judgeMirror(decoded, line)];
    }
  }

  #judgeMirror(decoded: Extract<JournalLine, { kind: "value" | "mark" }>, line: VerifiedLine): Finding[] {
    if (!this.#mirrors.isKnown(decoded.mirror)) {
      const detail = `it repeats commit ${JSON.stringify(decoded.mirror)}, which is not before it`;
      return [this.#ledger.inherits ? note("inherited", line, detail) : damage("mirror", line, detail)];
    }
    const fault = decoded.kind === "value" ? this.#mirrors.fault(decoded) : undefined;
    return fault === undefined ? [] : [damage("mirror", line, fault)];
  }

  #judgeCommit(decoded: Extract<JournalLine, { kind: "commit" }>, line: VerifiedLine): Finding[] {
    const { data } = decoded;
    const verdict = this.#ledger.take(decoded, line.offset);
    const { sealed } = this.#ledger;
    if (verdict.events.length > 0 && verdict.finding === undefined && !sealed && line.found !== undefined)
      line.found.isRight = true;
    this.#mirrors.commit(data, verdict.events, this.#ledger.policy);
    this.#noteHead();
    const found = findingsOf(verdict, data, line);
    if (sealed && !this.#isSealed) found.push(sealedAt(line));
    return [...found, ...redactionIn(verdict, data, line), ...unknownEvents(verdict, line)];
  }

  #judgePlace(decoded: JournalLine, line: VerifiedLine): Finding[] {
    const fault = this.#tree.fault(decoded.entry, true, line);
    const found = fault === undefined ? [] : [damage("tree", line, fault)];
    return [...found, ...this.#entryIds.ours(decoded, line)];
  }

  /** The line is the host's, or a value that another runtime wrote. */
  #judgeTheirs(content: HostLine | Extract<SessionLine, { kind: "value" }>, line: VerifiedLine): readonly Finding[] {
    const { id, parentId } = content.entry;
    if (typeof parentId === "string" && this.#tree.misses(parentId)) this.#entryIds.missing(parentId, line);
    this.#entryIds.host(id);
    const fault = this.#tree.fault(content.entry, false, line);
    const verdict = this.#ledger.take(content, line.offset);
    this.#mirrors.value(verdict.events);
    this.#noteHead();
    if (content.kind === "value" && verdict.events.length === 0)
      return [note("duplicate", line, `a value whose entry ${id} stands before: it is no event`)];
    const fields = content.kind === "host" ? fieldsOfHost(content) : this.#fieldsOf(content, line);
    const impostor = fields && this.#impostors.fault(fields, content.kind === "value", this.#names, this.#ledger);
    if (impostor !== undefined) return [damage(impostor.kind, line, impostor.detail)];
    if (fault !== undefined) return [note("foreign", line, fault)];
    return content.kind === "host" ? judgeHost(content, line) : nothing;
  }

  /** The result is undefined for a value that was too much to be parsed, and if its fields could not tell anything. */
  #fieldsOf({ data }: Extract<SessionLine, { kind: "value" }>, { bytes, size }: VerifiedLine) {
    const isTooMuch = data === undefined && size >= longLineBytes;
    return isTooMuch || !this.#mirrors.hasCommits ? undefined : parseObject(bytes);
  }

  #judgeBroken(line: VerifiedLine): Finding[] {
    if (this.#isTorn(line)) {
      const { offset, number } = line;
      this.#torn = { offset, number };
      return [];
    }
    this.#tree.broken();
    const isClaimed = this.#impostors.claims(line.bytes, this.#names, this.#ledger);
    if (isClaimed) return [damage("corrupt", line, "a line of the scratchpad that cannot be read")];
    const detail = line.size > lineBytesMax ? `${line.size} bytes that are no JSON object` : "not a JSON object";
    return [note("foreign", line, detail)];
  }

  /** A torn line that the next writer ended is followed by a whole one, or by one that was torn as well; else it was cut in two. */
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
    const unsound = this.#tree.leafOffPath();
    if (unsound === undefined) return [];
    const detail = "the last entry does not hang on the newest of the host's: the next write repairs it";
    return [this.#isDamaged ? damage("tree", unsound, detail) : note("torn", unsound, detail)];
  }

  #noteHead(): void {
    const { head } = this.#options;
    if (head === undefined || this.#headFound !== undefined) return;
    if (this.#ledger.version < head.version) return;
    this.#headFound = this.#ledger.head;
    this.#isHeadFound = this.#ledger.hasHash(head.hash);
  }

  #judgeHead(): Finding[] {
    const { head } = this.#options;
    if (head === undefined) return [];
    const found = head.version === 0 ? this.#genesis : this.#headFound;
    if (found === undefined) {
      const end = this.#ledger.version;
      return [damage("head", theWhole, `version ${head.version} is not in this file: it ends at ${end}`)];
    }
    if (found.hash === head.hash || this.#isHeadFound) return [];
    return [damage("head", theWhole, `at version ${head.version} the head is ${found.hash}, not ${head.hash}`)];
  }
}

/** The result is undefined if no field can be one of ours under another name. */
function fieldsOfHost(line: HostLine) {
  return line.isPlain === true ? undefined : line.fields;
}

function judgeHost(content: HostLine, line: VerifiedLine): readonly Finding[] {
  const { type, customType } = content;
  if (type === undefined) return [note("foreign", line, "a line without a type")];
  const isTooLong = type === "custom" && content.fields === undefined;
  return isTooLong ? [note("foreign", line, `${line.size} bytes under ${customType}, too many to be read`)] : nothing;
}
