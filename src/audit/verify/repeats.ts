/** Lines that stand in a file twice, byte for byte: client 0.73.1 writes again what it loaded before its first answer. */
import { hashText } from "../../line/chain.ts";
import { IdSet, plainIdsOfCheck } from "../../line/id-set.ts";
import type { VerifiedLine } from "./finding.ts";

export class RepeatCheck {
  readonly #digests = new IdSet("", plainIdsOfCheck);

  /** Remembers the line. */
  isRepeat({ bytes }: VerifiedLine): boolean {
    return !this.#digests.add(hashText(bytes));
  }
}
