/** Whose each line is, and whether it is on the main line: a file may hold a conversation, what it left, and its subagents. */

import type { Fields } from "../event/fields.ts";
import type { SettledKind } from "./claude-heads.ts";
import type { ClaudeNode } from "./claude-lines.ts";
import type { ClaudeLineScan } from "./claude-scan.ts";
import { text } from "./fields.ts";
import { keyOf, type MainLine, otherKind, resultKind, spokenKind, type TreeKind } from "./main-line.ts";

/** A line of this session stands here. */
export interface ClaudePlace {
  readonly isOn: boolean;
  /** The conversation was rewound, and goes on with it. */
  readonly isRewind: boolean;
  /** The line that it hangs on has not been seen yet. */
  readonly isEarly: boolean;
}

const kinds: Readonly<Record<SettledKind, TreeKind>> = {
  result: resultKind,
  assistant: spokenKind,
  attachment: otherKind,
  progress: otherKind,
};

export class ClaudePlaces {
  /** A rewind left lines behind that had been told. */
  isRewound = false;
  /** The id of the subagent whose own file it is. */
  fileOf: string | undefined;
  /** The roots of subagents whose lines stand in this file. */
  readonly roots: string[] = [];
  readonly #main: MainLine;
  /** How many lines are known from a reading before, and which of them are on the main line. */
  readonly #known: number;
  readonly #isOn: (index: number) => boolean;
  readonly #agent: string | undefined;
  /** The session is that of a subagent whose lines stand in its parent's file. These are the ids of those lines so far. */
  readonly #branch = new Set<string>();
  #index = 0;

  /** `agent`: the lines of this subagent alone are of the session. */
  constructor(main: MainLine, agent: string | undefined) {
    this.#main = main;
    this.#known = main.size;
    this.#isOn = main.now();
    this.#agent = agent;
  }

  /** No line is of the subagent that was asked for. */
  get isNobodys(): boolean {
    return this.#agent !== undefined && this.#branch.size === 0;
  }

  get main(): MainLine {
    return this.#main;
  }

  /** The result is undefined if the line belongs to another session, or stands there already. `read` gives the line's fields. */
  place(node: ClaudeNode, read: () => Fields): ClaudePlace | undefined {
    if (!this.#isOwn(node, read)) return undefined;
    return this.#add(keyOf(node.id), keyOf(node.parent), keyOf(node.message), node.kind);
  }

  /** The same for a line that was settled by its beginning. */
  settled(scan: ClaudeLineScan): ClaudePlace | undefined {
    if (scan.side !== (this.fileOf !== undefined)) return undefined;
    return this.#add(scan.key, scan.parent, scan.message, kinds[scan.kind]);
  }

  #add(own: number, parent: number, message: number, kind: TreeKind): ClaudePlace | undefined {
    const index = this.#index++;
    if (index >= this.#known && this.#main.add(own, parent, message, kind)) {
      this.isRewound = true;
      this.#main.rewinds.add(index);
    }
    if (this.#main.isCopy(index)) return undefined;
    const [isRewind, isEarly] = [this.#main.rewinds.has(index), this.#main.isOrphan(index)];
    if (isRewind || isEarly) return { isOn: this.#isOn(index), isRewind, isEarly };
    return this.#isOn(index) ? onMainLine : offMainLine;
  }

  #isOwn({ id, parent, side }: ClaudeNode, read: () => Fields): boolean {
    if (this.#agent !== undefined) {
      const isIn = parent === undefined ? id.startsWith(this.#agent) : this.#branch.has(parent);
      if (side && isIn) this.#branch.add(id);
      return side && isIn;
    }
    if (this.#index === 0 && side && this.roots.length === 0) this.fileOf ??= text(read()["agentId"]);
    const isOwn = side === (this.fileOf !== undefined);
    if (!isOwn && side && parent === undefined) this.roots.push(id.slice(0, 8));
    return isOwn;
  }
}

const onMainLine: ClaudePlace = { isOn: true, isRewind: false, isEarly: false };
const offMainLine: ClaudePlace = { isOn: false, isRewind: false, isEarly: false };
