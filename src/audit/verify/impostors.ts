/** Lines that are not ours by their custom type, but by what they hold: one of ours whose name was changed. */
import { type Fields, isFields } from "../../event/fields.ts";
import type { Ledger } from "../../line/acceptance.ts";
import { checkEntryId } from "../../line/chain.ts";
import type { LineNames } from "../../line/format.ts";
import type { DamageKind } from "./finding.ts";
import type { MirrorCheck } from "./mirrors.ts";

const hostFields: ReadonlySet<string> = new Set(["type", "customType", "data", "id", "parentId", "timestamp"]);

const mirrorPattern = /"mirror":"([^"]*)"/;

export class ImpostorCheck {
  readonly #mirrors: MirrorCheck;

  /** `mirrors` knows the commits before a line. */
  constructor(mirrors: MirrorCheck) {
    this.#mirrors = mirrors;
  }

  /** A line that cannot be read was one of ours: it carries our name, the newest head, or a commit that it repeats. */
  claims(line: Uint8Array, names: LineNames, ledger: Ledger): boolean {
    const text = Buffer.from(line).toString("latin1");
    const mirrored = mirrorPattern.exec(text)?.[1];
    const isMirror = mirrored !== undefined && this.#mirrors.hasCommit(mirrored);
    return isMirror || namePattern(names).test(text) || text.includes(`"prev":"${ledger.hash}"`);
  }

  /** `isValue`: it reads as a value that another runtime wrote. */
  fault(
    value: Fields,
    isValue: boolean,
    names: LineNames,
    ledger: Ledger,
  ): { readonly kind: DamageKind; readonly detail: string } | undefined {
    if (!isValue && isChangedCommit(value, names, ledger)) {
      return { kind: "corrupt", detail: "a commit of this journal, under another name or type" };
    }
    for (const [field, content] of Object.entries(value)) {
      if (hostFields.has(field) || typeof content !== "string" || !this.#mirrors.hasCommit(content)) continue;
      return { kind: "mirror", detail: `it names commit ${content} in the field ${JSON.stringify(field)}` };
    }
    return undefined;
  }
}

/** A name of ours, even if it is broken itself; a longer word that begins like it is none. */
function namePattern({ namespace }: LineNames): RegExp {
  return new RegExp(`"${namespace.replaceAll(".", "\\.")}(?![\\w.-])`);
}

/**
 * Another namespace has commits in the same file, and the first one of each follows on the session's id. So this takes a line for a commit of
 * this journal only where its entry id proves the name that it had, or where it follows on a commit of this journal.
 */
function isChangedCommit(value: Fields, names: LineNames, ledger: Ledger): boolean {
  const { customType, data, id, parentId, timestamp } = value;
  if (!isFields(data) || typeof data["prev"] !== "string" || typeof data["hash"] !== "string") return false;
  if (customType === names.events) return true;
  if (ledger.lastCommit !== "" && data["prev"] === ledger.hash) return true;
  const isPlaced =
    typeof id === "string" && (typeof parentId === "string" || parentId === null) && typeof timestamp === "string";
  const content = data["hash"];
  return isPlaced && checkEntryId(id, { customType: names.events, parentId, timestamp, content }) === true;
}
