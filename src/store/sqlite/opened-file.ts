/**
 * The file that was opened must stay at its path. Where it is removed, or another one is put there, SQLite goes on with the file that it
 * has: what it commits then is in no file that anybody finds.
 */
import { statSync } from "node:fs";
import { StorageError } from "../../errors.ts";

export class OpenedFile {
  readonly #file: string;
  readonly #identity: string;

  private constructor(file: string, identity: string) {
    this.#file = file;
    this.#identity = identity;
  }

  /** The result is undefined for what is no file. */
  static of(file: string): OpenedFile | undefined {
    const identity = file === "" ? undefined : identityOf(file);
    return identity === undefined ? undefined : new OpenedFile(file, identity);
  }

  /** Throws StorageError where the file is not there any more. `where` is for the message. */
  requireInPlace(where: string): void {
    const identity = identityOf(this.#file);
    if (identity === this.#identity) return;
    const fault =
      identity === undefined ? "is not at its path any more" : "is another file than the one that was opened";
    const message = `${where} ${fault}: open it again`;
    throw new StorageError(message, "not-written", { file: where });
  }
}

/** A link stands for the file behind it. */
function identityOf(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}
