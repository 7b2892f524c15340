/** The line by line part of verification. */
import type { CommitData, Head } from "../event/commit.ts";
import { type AcceptanceFinding, Ledger } from "../line/acceptance.ts";
import { checkEntryId } from "../line/chain.ts";
import { decodeHeader, decodeLine, type Header, trimLine } from "../line/decode.ts";
import { isOurs, type JournalLine, type LineNames, lineNames } from "../line/format.ts";
import { type Outline, outlineOf } from "../line/outline.ts";
import { isTornLine } from "../line/torn.ts";
import { ImpostorCheck } from "./verify-impostors.ts";
import { MirrorCheck } from "./verify-mirrors.ts";
import { TreeCheck } from "./verify-tree.ts";
import type { DamageKind, Finding, NoteKind, Verification, VerifiedLine, VerifyOptions } from "./verify.ts";

export class VerifyLines {
  readonly #options: VerifyOptions;
  readonly #names: LineNames;
  readonly #findings: Finding[] = [];
  readonly #tree = new TreeCheck();
  readonly #mirrors = new MirrorCheck();
  readonly #impostors = new ImpostorCheck();
  #header: Header | undefined;
  #ledger: Ledger;
  /** A torn line of ours, to be judged by the line behind it. */
  #torn: VerifiedLine | undefined;
  #headAt: Head | undefined;

  constructor(options: VerifyOptions) {
    this.#options = options;
    this.#names = lineNames(options.namespace);
    this.#ledger = new Ledger({ id: "" }, options.seal);
  }

  take(line: VerifiedLine): void {
    const text = trimLine(line.bytes);
    if (text.length === 0) return;
    if (this.#header === undefined) return this.#takeHeader(line);
    if (!line.ended) return this.#note("torn", line, "the last line has not ended: in flight, or left by a crash");
    const outline = outlineOf(text);
    const decoded = decodeLine(text, this.#names, line.size);
    const isJson = decoded !== undefined ? decoded.kind !== "damaged" || isObject(text) : isObject(text);
    this.#judgeTorn(isJson);
    if (!isJson) return this.#takeBroken(line, text);
    if (decoded !== undefined && isOurs(decoded)) return this.#takeOurs(decoded, line);
    this.#takeHost(decoded, outline, line, text);
  }

  finish(): Verification {
    this.#judgeTorn(true);
    const unsound = this.#tree.leafFault();
    if (unsound !== undefined) this.#damage("tree", unsound.line, unsound.detail);
    this.#checkHead();
    const { head } = this.#ledger;
    return { ok: this.#findings.every(({ severity }) => severity === "note"), findings: this.#findings, head };
  }

  #takeHeader(line: VerifiedLine): void {
    const header = decodeHeader(line.bytes);
    if (header === undefined) this.#damage("corrupt", line, "the first line is no session header");
    this.#header = header ?? { id: "", version: 3 };
    this.#ledger = new Ledger(this.#header, this.#options.seal);
    this.#tree.header(this.#header);
  }

  #takeOurs(decoded: JournalLine, line: VerifiedLine): void {
    this.#checkPlace(decoded, line);
    switch (decoded.kind) {
      case "damaged":
        return this.#damage("corrupt", line, `a commit that cannot be read: ${decoded.reason}`);
      case "commit":
        return this.#takeCommit(decoded.data, decoded, line);
      case "value": {
        const fault = this.#mirrors.fault(decoded);
        if (fault !== undefined) this.#damage("mirror", line, fault);
        return;
      }
      case "mark":
        return;
    }
  }

  #takeCommit(data: CommitData, decoded: JournalLine, line: VerifiedLine): void {
    const verdict = this.#ledger.take(decoded, line.offset);
    this.#noteAcceptance(verdict.finding, data, line);
    this.#impostors.commit(data);
    this.#mirrors.commit(data, verdict.events, this.#ledger.policy);
    this.#noteHead();
    for (const { event, version } of verdict.events) {
      if (event.type === "unknown") {
        this.#damage(
          "unknown_event",
          line,
          `version ${version} is a ${JSON.stringify(event.name)} that this release cannot read: update session-journal`,
        );
      }
    }
  }

  #noteAcceptance(finding: AcceptanceFinding | undefined, data: CommitData, line: VerifiedLine): void {
    switch (finding) {
      case undefined:
        return;
      case "hash":
        return this.#damage("hash", line, `commit ${data.id}: its hash does not match its data`);
      case "duplicate":
        return this.#note("duplicate", line, `commit ${data.id}: its id or a command was accepted before`);
      case "fork": {
        const detail = `commit ${data.id} was decided on version ${data.version - data.events.length}, which others had passed: it does not count`;
        return this.#isDamaged() ? this.#damage("fork", line, detail) : this.#note("fork", line, detail);
      }
      case "gap": {
        const detail = `commit ${data.id} follows one that is not in this file`;
        const inherits = this.#header?.parentSession !== undefined;
        return inherits ? this.#note("inherited", line, detail) : this.#damage("gap", line, detail);
      }
      case "sealed":
        if (this.#findings.some(({ kind }) => kind === "sealed")) return;
        return this.#note("sealed", line, "only the holder of the seal's key can check the commits");
    }
  }

  #checkPlace(decoded: JournalLine, line: VerifiedLine): void {
    const fault = this.#tree.line(decoded.entry, true, line);
    if (fault !== undefined) this.#damage("tree", line, fault);
    const fields = entryFields(decoded, this.#names);
    const { id } = decoded.entry;
    if (fields === undefined || id === undefined) return;
    if (checkEntryId(id, fields) === false)
      this.#damage("tree", line, `entry ${id} does not belong to the line that carries it`);
  }

  #takeHost(decoded: JournalLine | undefined, outline: Outline, line: VerifiedLine, text: Uint8Array): void {
    const fault = this.#tree.line({ id: outline.id, parentId: outline.parentId, timestamp: undefined }, false, line);
    const impostor = this.#impostors.fault(text, decoded !== undefined, this.#ledger);
    if (impostor !== undefined) return this.#damage(impostor.kind, line, impostor.detail);
    if (fault !== undefined) this.#note("foreign", line, fault);
    else if (outline.type === undefined) this.#note("foreign", line, "a line without a type");
    if (decoded !== undefined) {
      const verdict = this.#ledger.take(decoded, line.offset);
      this.#mirrors.value(verdict.events);
      this.#noteHead();
    }
  }

  #takeBroken(line: VerifiedLine, text: Uint8Array): void {
    this.#tree.broken();
    if (line.size > line.bytes.length)
      return this.#note("foreign", line, `a line of ${line.size} bytes, too long to be read`);
    if (isTornLine(text, this.#names)) {
      this.#torn = line;
      return;
    }
    const claims = Buffer.from(text).includes(`"${this.#names.namespace}`);
    if (claims) return this.#damage("corrupt", line, "a line of the scratchpad that cannot be read");
    this.#note("foreign", line, "not a JSON object");
  }

  /** Ended by its healer, a torn line is followed by a whole one; else it was cut in two. */
  #judgeTorn(nextIsJson: boolean): void {
    const line = this.#torn;
    if (line === undefined) return;
    this.#torn = undefined;
    if (nextIsJson) this.#note("torn", line, "a line that a crash cut off: nothing of it was acknowledged");
    else this.#damage("corrupt", line, "a line of the scratchpad that was cut in two");
  }

  #noteHead(): void {
    const { head } = this.#options;
    if (head !== undefined && this.#headAt === undefined && this.#ledger.version >= head.version)
      this.#headAt = this.#ledger.head;
  }

  #checkHead(): void {
    const { head } = this.#options;
    if (head === undefined) return;
    const found = head.version === 0 ? new Ledger(this.#header ?? { id: "" }, this.#options.seal).head : this.#headAt;
    const fault =
      found === undefined
        ? `version ${head.version} is not in this file: it ends at ${this.#ledger.version}`
        : found.hash !== head.hash
          ? `at version ${head.version} the head is ${found.hash}, not ${head.hash}`
          : undefined;
    if (fault !== undefined)
      this.#findings.push({ kind: "head", severity: "damage", offset: 0, line: 0, detail: fault });
  }

  #isDamaged(): boolean {
    return this.#findings.some(({ severity }) => severity === "damage");
  }

  #note(kind: NoteKind, { offset, number }: VerifiedLine, detail: string): void {
    this.#findings.push({ kind, severity: "note", offset, line: number, detail });
  }

  #damage(kind: DamageKind | "fork", { offset, number }: VerifiedLine, detail: string): void {
    this.#findings.push({ kind, severity: "damage", offset, line: number, detail });
  }
}

function isObject(text: Uint8Array): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text));
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function entryFields(line: JournalLine, names: LineNames): Parameters<typeof checkEntryId>[1] | undefined {
  const { parentId, timestamp } = line.entry;
  if (parentId === undefined || timestamp === undefined) return undefined;
  const place = { parentId, timestamp };
  switch (line.kind) {
    case "commit":
      return { customType: names.events, ...place, content: line.data.hash };
    case "value": {
      const customType = line.key === "legacy" ? names.legacy : names[line.key];
      return { customType, ...place, content: line.data ?? null, mirror: String(line.mirror) };
    }
    case "mark":
      return { customType: names.mark, ...place, content: null, mirror: String(line.mirror) };
    case "damaged":
      return undefined;
  }
}
