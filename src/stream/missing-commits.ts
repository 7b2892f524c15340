/** What a handle has acknowledged and its log no longer shows. */
import type { SealedCommit } from "../line/chain.ts";
import type { UnlinkedCommit } from "../line/encode.ts";
import { Acknowledged } from "./acknowledged.ts";
import type { EventStream } from "./event-stream.ts";

/** These commits were found to be gone, in this history. So many of the first of them are there again. */
interface Gone {
  readonly generation: number;
  readonly commits: readonly UnlinkedCommit[];
  returned: number;
}

/** Some may be nowhere: of those the newest are kept. */
const doubtfulMax = 64;

export class MissingCommits {
  readonly #stream: Pick<EventStream, "generation" | "ledger" | "session">;
  /** They stand by session. */
  readonly #acknowledged = new Map<string, Acknowledged>();
  #gone: Gone = noneGone(0);
  /** Nobody knows yet whether these were written. */
  #doubtful: readonly SealedCommit[] = [];

  constructor(stream: Pick<EventStream, "generation" | "ledger" | "session">) {
    this.#stream = stream;
  }

  acknowledge(sealed: SealedCommit): void {
    this.#here().add(sealed);
  }

  /** The call of it failed. Where it is found later, it is shown, and a repeated command is told so: from then on it is not to be lost. */
  doubt(sealed: SealedCommit): void {
    this.#doubtful = [...this.#doubtful.slice(1 - doubtfulMax), sealed];
  }

  acknowledgeFound(): void {
    if (this.#doubtful.length === 0) return;
    const isFound = ({ data }: SealedCommit) => this.#stream.ledger.hasCommit(data.id);
    for (const sealed of this.#doubtful.filter(isFound)) this.acknowledge(sealed);
    this.#doubtful = this.#doubtful.filter((sealed) => !isFound(sealed));
  }

  /** The result is undefined if none is missing. An event whose command was accepted meanwhile is left out, and a commit with none left is not missing. */
  oldest(): UnlinkedCommit | undefined {
    const { generation } = this.#stream;
    if (this.#gone.generation !== generation)
      this.#gone = { generation, commits: [...this.#here()].filter(this.#isMissing), returned: 0 };
    const gone = this.#gone;
    // Within one history what was accepted stays so, and they come back in their order: each is looked at only while it is the oldest.
    for (; gone.returned < gone.commits.length; gone.returned++) {
      const commit = gone.commits[gone.returned];
      if (commit !== undefined && this.#isMissing(commit)) return { ...commit, events: this.#eventsMissing(commit) };
    }
    if (gone.returned > 0) this.#gone = noneGone(generation);
    return undefined;
  }

  /** The result is how many may be missing. */
  get left(): number {
    return this.#gone.commits.length - this.#gone.returned;
  }

  /** This may err only towards true. */
  isAnyOfCommand(): boolean {
    if (this.oldest() === undefined) return false;
    const { commits, returned } = this.#gone;
    return commits.slice(returned).some(({ events }) => events.some(({ command }) => command !== undefined));
  }

  /** The history is read again: all that was acknowledged is looked for in it. */
  searchAgain(): void {
    this.#gone = noneGone(-1);
  }

  /** The result has those of the session that the log is now. */
  #here(): Acknowledged {
    const id = this.#stream.session?.id ?? "";
    const here = this.#acknowledged.get(id) ?? new Acknowledged();
    this.#acknowledged.set(id, here);
    return here;
  }

  readonly #isMissing = (commit: UnlinkedCommit): boolean =>
    !this.#stream.ledger.hasCommit(commit.id) && this.#eventsMissing(commit).length > 0;

  #eventsMissing({ events }: UnlinkedCommit): UnlinkedCommit["events"] {
    const { ledger } = this.#stream;
    return events.filter(({ command }) => typeof command !== "string" || !ledger.hasCommand(command));
  }
}

function noneGone(generation: number): Gone {
  return { generation, commits: [], returned: 0 };
}
