/** Under policy `branch`, this selects the accepted events that belong to the branch that the conversation is on. */
import type { RecordedEvent } from "../event/event.ts";

export class BranchFold {
  readonly #anchored: { readonly recorded: RecordedEvent; readonly anchor: string | null }[] = [];
  #selected: readonly RecordedEvent[] = [];

  /** `anchor`: the host entry that an accepted event hangs on. */
  add(recorded: RecordedEvent, anchor: string | null): void {
    this.#anchored.push({ recorded, anchor });
  }

  /** The result has the events since the last selection, or all of them if that is no beginning of this one. */
  select(path: ReadonlySet<string | null>): { readonly isOther: boolean; readonly events: readonly RecordedEvent[] } {
    const before = this.#selected;
    const selected = this.#anchored.filter(({ anchor }) => anchor === null || path.has(anchor));
    this.#selected = selected.map(({ recorded }) => recorded);
    const isOther = before.some((recorded, index) => this.#selected[index] !== recorded);
    return { isOther, events: this.#selected.slice(isOther ? 0 : before.length) };
  }
}
