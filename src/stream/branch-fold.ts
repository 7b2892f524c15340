/** Under policy `branch`, this selects the accepted events that belong to the branch that the conversation is on. */
import type { RecordedEvent } from "../event/event.ts";

export class BranchFold {
  readonly #anchored: { readonly recorded: RecordedEvent; readonly anchor: string | null }[] = [];
  #selected: readonly RecordedEvent[] = [];
  /** The last selection was made from so many. */
  #from = 0;

  /** `anchor`: the host entry that an accepted event hangs on. */
  add(recorded: RecordedEvent, anchor: string | null): void {
    this.#anchored.push({ recorded, anchor });
  }

  /**
   * The result has the events since the last selection, or all of them if that is no beginning of this one. It is none either where an
   * event comes back that was on another branch then: whoever follows has been told of a version beyond it.
   */
  select(path: ReadonlySet<string | null>): { readonly isOther: boolean; readonly events: readonly RecordedEvent[] } {
    const before = this.#selected;
    const isOn = ({ anchor }: { readonly anchor: string | null }): boolean => anchor === null || path.has(anchor);
    const again = this.#anchored.slice(0, this.#from).filter(isOn);
    this.#selected = this.#anchored.filter(isOn).map(({ recorded }) => recorded);
    this.#from = this.#anchored.length;
    const isSame =
      again.length === before.length && before.every((recorded, index) => this.#selected[index] === recorded);
    return { isOther: !isSame, events: this.#selected.slice(isSame ? before.length : 0) };
  }
}
