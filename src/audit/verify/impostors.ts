/** Lines that are not ours by their custom type, but by what they hold: one of ours whose name was changed. */
import type { CommitData } from "../../event/commit.ts";
import type { Ledger } from "../../line/acceptance.ts";
import type { DamageKind } from "./finding.ts";

const hostFields: ReadonlySet<string> = new Set(["type", "customType", "data", "id", "parentId", "timestamp"]);

export class ImpostorCheck {
  readonly #commits = new Set<string>();

  commit(data: CommitData): void {
    this.#commits.add(data.id);
  }

  /** `isValue`: it reads as a value that another runtime wrote. */
  fault(
    value: Readonly<Record<string, unknown>>,
    isValue: boolean,
    ledger: Ledger,
  ): { readonly kind: DamageKind; readonly detail: string } | undefined {
    const { data } = value;
    if (!isValue && isRecord(data) && data["prev"] === ledger.hash && typeof data["hash"] === "string") {
      return { kind: "corrupt", detail: "a commit that follows this journal's head, under another name" };
    }
    for (const [field, content] of Object.entries(value)) {
      if (hostFields.has(field) || typeof content !== "string" || !this.#commits.has(content)) continue;
      return { kind: "mirror", detail: `it names commit ${content} in the field ${JSON.stringify(field)}` };
    }
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
