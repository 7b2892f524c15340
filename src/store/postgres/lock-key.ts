import { createHash } from "node:crypto";

/** Names an advisory lock. Two names with the same key wait for each other, which costs time only. */
export function lockKey(...names: readonly string[]): bigint {
  const digest = createHash("sha256")
    .update(JSON.stringify(["session-journal", ...names]))
    .digest();
  return digest.readBigInt64BE();
}
