/** What must hold before a commit is appended: throws where it could not be read back, or would not count. */
import { CorruptEntryError, FoldPolicyError, ReadonlyError, StorageError } from "../errors.ts";
import type { FoldPolicy } from "../event/commit.ts";
import type { Ledger } from "../line/acceptance.ts";
import type { SealedCommit, SealKey } from "../line/chain.ts";
import { commitLineBytesMax } from "../line/format.ts";
import { escapeSeparators } from "../line/json.ts";
import type { StreamRecord } from "../line/record.ts";

/** Left for the rest of a line, so that every commit fits into a session file. */
const lineRestBytes = 4096;

export function requireWritable(where: string, ledger: Ledger, fold: FoldPolicy, seal: SealKey | undefined): void {
  const { policy, version, sealed, lastCommit } = ledger;
  const place = { file: where };
  const advice = { option: "seal", said: "as option seal" } as const;
  if (sealed) throw new ReadonlyError(`${where} is sealed: pass its key ${advice.said} to write`, place, { advice });
  if (seal !== undefined && lastCommit === "" && ledger.mistrusted) {
    throw new ReadonlyError(
      `${where} was not written with this seal: pass its own key ${advice.said}, or no key if it has none, to write`,
      place,
      { advice },
    );
  }
  if (lastCommit === "" || policy === fold) return;
  const said = `open it with fold: "${policy}"`;
  throw new FoldPolicyError(
    `${where} at version ${version} is folded by "${policy}", this handle by "${fold}": ${said}`,
    place,
    { advice: { option: "fold", value: policy, said } },
  );
}

/** A record that could never be read is not written. */
export function requireFit(where: string, { data, json }: SealedCommit): void {
  if (!Number.isSafeInteger(data.version)) {
    const message = `${where} holds a commit with the highest possible version: fork the session before it`;
    throw new StorageError(message, "not-written", { file: where });
  }
  const sizeMax = commitLineBytesMax - lineRestBytes;
  // A line takes at most six bytes for a character.
  if (6 * json.length <= sizeMax) return;
  const size = Buffer.byteLength(escapeSeparators(json));
  if (size <= sizeMax) return;
  throw new StorageError(
    `the commit is ${size} bytes, more than ${sizeMax}: send smaller actions, or fewer at once`,
    "not-written",
    { file: where },
  );
}

/** What comes from another store is appended as it is. */
export function requireTaken(where: string, ledger: Ledger, record: StreamRecord): void {
  if (record.kind !== "commit") return;
  if (record.data.fold !== undefined)
    throw new FoldPolicyError("a journal that is folded by branch stays in its file: its lines hang on the host's");
  if (ledger.trusts(record.data)) return;
  throw new CorruptEntryError(
    `${where} does not take commit ${record.data.id}, whose hash is another: copy with the key of its journal`,
    { file: where },
  );
}
