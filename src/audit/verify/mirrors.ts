/**
 * A mirror repeats a value that its space had at its commit or later, up to where the mirror stands: a slow writer's may
 * be a version behind, and the next one mends it.
 */
import type { CommitData, FoldPolicy } from "../../event/commit.ts";
import type { RecordedEvent } from "../../event/event.ts";
import { hashText } from "../../line/chain.ts";
import type { MirroredSpace } from "../../line/format.ts";
import { IdMap } from "../../line/id-map.ts";
import { IdSet } from "../../line/id-set.ts";
import { isTooDeep } from "../../line/json.ts";
import type { ValueLine } from "../../line/legacy.ts";
import { evolve } from "../../state/evolve.ts";
import { initialState, type ScratchpadState } from "../../state/state.ts";

const keyMax = 64;
const spaces: readonly MirroredSpace[] = ["notes", "plan", "refs"];

export class MirrorCheck {
  #state: ScratchpadState = initialState;
  #policy: FoldPolicy = "file";
  /** This maps each accepted commit to its version. */
  readonly #versions = new IdMap();
  /** For each value that a space has had, the version up to which it stood. */
  readonly #stood: Record<MirroredSpace, IdMap> = { notes: new IdMap(), plan: new IdMap(), refs: new IdMap() };
  readonly #refused = new IdSet();
  #version = 0;

  constructor() {
    this.#note();
  }

  commit(data: CommitData, accepted: readonly RecordedEvent[], policy: FoldPolicy): void {
    this.#policy = policy;
    if (accepted.length === 0 && !this.#versions.has(data.id)) this.#refused.add(data.id);
    this.value(accepted);
    if (accepted.length > 0) this.#versions.set(data.id, this.#version);
  }

  value(events: readonly RecordedEvent[]): void {
    for (const { event, version } of events) {
      this.#state = evolve(this.#state, event);
      this.#version = version;
    }
    this.#note();
  }

  /** A mark or a mirror names a commit before it, or none where there was none. */
  isKnown(mirror: unknown): boolean {
    return typeof mirror === "string" && (mirror === "" || this.#versions.has(mirror) || this.#refused.has(mirror));
  }

  /** Of a mirror whose commit is known. */
  fault(line: ValueLine): string | undefined {
    const space: MirroredSpace = line.key === "legacy" ? "notes" : line.key;
    const commit = this.#versions.get(String(line.mirror));
    if (commit === undefined || this.#policy === "branch") return undefined;
    const stood = isTooDeep(line.data) ? undefined : this.#stood[space].get(keyOf(line.data ?? null));
    return stood !== undefined && stood >= commit ? undefined : `a mirror whose ${space} differ from the folded ones`;
  }

  #note(): void {
    for (const space of spaces) this.#stood[space].set(keyOf(this.#state[space]), this.#version);
  }
}

/** A value may be tens of megabytes long, and a history has many of them: long ones are told apart by their digest. */
function keyOf(value: unknown): string {
  if (typeof value === "string" && value.length > keyMax && value.isWellFormed()) return `"${hashText(value)}`;
  const json = JSON.stringify(value);
  return json.length > keyMax ? hashText(json) : json;
}
