/**
 * A file may hold the journals of other namespaces, too. To this one their lines are the host's, but a commit without a text would
 * have a wrong hash and count no more: so it gets the hash that is right for what is left of it.
 */
import type { CommitData } from "../../event/commit.ts";
import { checkCommit, type SealKey } from "../../line/chain.ts";
import { classify } from "../../line/classify.ts";
import { type Entry, type HostLine, namesOfCommits } from "../../line/format.ts";
import { Redactor, type RedactorParts } from "./redactor.ts";

/** This is a commit of another namespace, without the texts that go. */
export interface OtherCommit {
  readonly customType: string;
  readonly data: CommitData;
  readonly entry: Entry;
}

export class OtherCommits {
  readonly #seal: SealKey | undefined;
  readonly #open: Redactor;
  readonly #sealed: Redactor;

  /** Versions to redact are not those of other journals. `took` is called with each text that is taken. */
  constructor({ matcher, key, seal }: Pick<RedactorParts, "matcher" | "key" | "seal">, took: () => void) {
    const parts = { matcher, key, versions: new Set<number>(), took };
    this.#seal = seal;
    this.#open = new Redactor(parts);
    this.#sealed = new Redactor({ ...parts, seal });
  }

  /** The result is undefined if the line is no such commit, its hash is wrong or cannot be made, or nothing of it goes. */
  take(line: Uint8Array, { type, customType }: HostLine): OtherCommit | undefined {
    const names = type === "custom" && customType !== undefined ? namesOfCommits(customType) : undefined;
    const content = names && classify(line, names);
    if (names === undefined || content?.kind !== "commit") return undefined;
    const { data, entry } = content;
    const [redactor, seal] =
      checkCommit(data) === "sealed" ? ([this.#sealed, this.#seal] as const) : ([this.#open, undefined] as const);
    if (checkCommit(data, seal) !== "right") return undefined;
    const now = redactor.commit(data, data.version - data.events.length);
    return now === data ? undefined : { customType: names.events, data: now, entry };
  }
}
