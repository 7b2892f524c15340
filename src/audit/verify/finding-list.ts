/** The list has what was found so far. A file may hold millions of damaged lines: of each kind only the first are listed. */
import type { Finding, UnlistedFindings } from "./finding.ts";

/** So many of a kind are listed. */
const listedMax = 10_000;

export class FindingList {
  readonly listed: Finding[] = [];
  readonly #counts = new Map<string, UnlistedFindings>();

  add(finding: Finding): void {
    const { kind, severity } = finding;
    if (this.#count({ kind, severity, count: 1 }) <= listedMax) this.listed.push(finding);
  }

  /** These findings count as if they had been added. */
  count(more: readonly UnlistedFindings[] = []): void {
    for (const each of more) this.#count(each);
  }

  #count({ kind, severity, count }: UnlistedFindings): number {
    const key = `${severity} ${kind}`;
    const sum = count + (this.#counts.get(key)?.count ?? 0);
    this.#counts.set(key, { kind, severity, count: sum });
    return sum;
  }

  /** This is a part of what verification answers. The field is absent if all are listed. */
  get rest(): { readonly unlisted?: readonly UnlistedFindings[] } {
    const more = [...this.#counts.values()].filter(({ count }) => count > listedMax);
    return more.length === 0
      ? {}
      : { unlisted: more.map(({ count, ...each }) => ({ ...each, count: count - listedMax })) };
  }
}
