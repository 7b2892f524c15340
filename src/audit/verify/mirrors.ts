/**
 * A mirror repeats a value that its space had at its commit or later, up to where the mirror stands: a slow writer's may
 * be a version behind, and the next one repairs it.
 */
import type { CommitData, FoldPolicy } from "../../event/commit.ts";
import type { RecordedEvent } from "../../event/event.ts";
import { hashText } from "../../line/chain.ts";
import type { MirroredSpace } from "../../line/format.ts";
import { IdMap } from "../../line/id-map.ts";
import { IdSet, plainIdsOfCheck } from "../../line/id-set.ts";
import { isTooDeep } from "../../line/json.ts";
import type { ValueLine } from "../../line/legacy.ts";
import { evolve } from "../../state/evolve.ts";
import { initialState, type ScratchpadState } from "../../state/state.ts";

const keyMax = 64;
const spaces: readonly MirroredSpace[] = ["notes", "plan", "refs"];

export class MirrorCheck {
  /** A commit was met. */
  hasCommits = false;
  #state: ScratchpadState = initialState;
  #policy: FoldPolicy = "file";
  /** This maps each accepted commit to its version. */
  readonly #versions = new IdMap(plainIdsOfCheck);
  /** For each value that a space has had, the maps have the version up to which it stood. */
  readonly #stood: Record<MirroredSpace, IdMap> = {
    notes: new IdMap(plainIdsOfCheck),
    plan: new IdMap(plainIdsOfCheck),
    refs: new IdMap(plainIdsOfCheck),
  };
  /** Each space has this now, which stands up to `#noted`. */
  readonly #standing: Record<MirroredSpace, Standing>;
  #noted = 0;
  readonly #refused = new IdSet();
  #version = 0;

  constructor() {
    const { notes, plan, refs } = this.#state;
    this.#standing = { notes: standing(notes), plan: standing(plan), refs: standing(refs) };
  }

  commit(data: CommitData, accepted: readonly RecordedEvent[], policy: FoldPolicy): void {
    this.#policy = policy;
    this.hasCommits = true;
    if (accepted.length === 0 && !this.#versions.has(data.id)) this.#refused.add(data.id);
    this.value(accepted);
    if (accepted.length > 0) this.#versions.set(data.id, this.#version);
  }

  value(events: readonly RecordedEvent[]): void {
    if (events.length === 0) return;
    for (const { event, version } of events) {
      this.#state = evolve(this.#state, event);
      this.#version = version;
    }
    this.#note();
  }

  /** A mark or a mirror names a commit before it, or none where there was none. */
  isKnown(mirror: unknown): boolean {
    return typeof mirror === "string" && (mirror === "" || this.hasCommit(mirror));
  }

  /** A commit of this id was met, whether it counts or not. */
  hasCommit(id: string): boolean {
    return this.#versions.has(id) || this.#refused.has(id);
  }

  /** The commit of the mirror is known. */
  fault(line: ValueLine): string | undefined {
    const space: MirroredSpace = line.key === "legacy" ? "notes" : line.key;
    const commit = this.#versions.get(String(line.mirror));
    if (commit === undefined || this.#policy === "branch") return undefined;
    // Nearly every mirror repeats what stands now, which needs no digest.
    const stands = line.data === this.#standing[space].value;
    if (stands && this.#noted >= commit) return undefined;
    const stood = isTooDeep(line.data) ? undefined : this.#stoodUntil(space, keyOf(line.data ?? null));
    return stood !== undefined && stood >= commit ? undefined : `a mirror whose ${space} differ from the folded ones`;
  }

  #stoodUntil(space: MirroredSpace, key: string): number | undefined {
    return key === this.#standing[space].key ? this.#noted : this.#stood[space].get(key);
  }

  #note(): void {
    for (const space of spaces) {
      const value = this.#state[space];
      const before = this.#standing[space];
      if (value === before.value) continue;
      this.#stood[space].set(before.key, this.#noted);
      this.#standing[space] = standing(value);
    }
    this.#noted = this.#version;
  }
}

interface Standing {
  readonly value: string | readonly string[];
  readonly key: string;
}

function standing(value: string | readonly string[]): Standing {
  return { value, key: keyOf(value) };
}

/** A value may be tens of megabytes long, and a history has many of them: long ones are told apart by their digest. */
function keyOf(value: unknown): string {
  if (typeof value === "string" && value.length > keyMax && value.isWellFormed()) return `"${hashText(value)}`;
  const json = JSON.stringify(value);
  return json.length > keyMax ? hashText(json) : json;
}
