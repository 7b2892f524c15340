/** Policy `branch`: which of the accepted events belong to the branch that the conversation is on. */
import type { RecordedEvent } from "../../event/event.ts";
import { type Anchor, Lineage } from "../../line/lineage.ts";

export class BranchEvents {
  readonly lineage = new Lineage();
  /** Where a live host stood when the events were last selected. */
  leafId: string | null | undefined;
  #anchored: { readonly recorded: RecordedEvent; readonly anchor: Anchor }[] = [];
  #selected: RecordedEvent[] = [];

  /** `anchor`: the host entry that an accepted event hangs on. */
  add(recorded: RecordedEvent, anchor: Anchor): void {
    this.#anchored.push({ recorded, anchor });
  }

  /** The events since the last selection; all of them where it `isOther` than a beginning of this one. */
  select(leafId: string | null | undefined): { readonly isOther: boolean; readonly events: readonly RecordedEvent[] } {
    this.leafId = leafId;
    const path = this.lineage.path(leafId);
    const before = this.#selected;
    this.#selected = this.#anchored
      .filter(({ anchor }) => anchor === null || path.has(anchor))
      .map(({ recorded }) => recorded);
    const isOther = before.some((recorded, index) => this.#selected[index] !== recorded);
    return { isOther, events: this.#selected.slice(isOther ? 0 : before.length) };
  }
}
