/** Verification of a journal wherever it lives. */
import type { Finding, Verification } from "../audit/verify/finding.ts";
import { requireOptions } from "../errors.ts";
import type { Head } from "../event/commit.ts";
import type { JournalStore } from "../store/store.ts";
import { parseVersion } from "./options.ts";

export interface VerifyOptions {
  /** A head that was kept elsewhere: what the stream shows must agree with it. */
  readonly head?: Head;
}

/** Throws a TypeError for a head that is none, and for one under another name: a typing error must not look like damage. */
export function parseVerifyOptions(options: VerifyOptions = {}): VerifyOptions {
  requireOptions(options, "head");
  const { head } = options;
  if (head === undefined) return {};
  if (typeof head !== "object" || head === null || typeof head.hash !== "string") {
    throw new TypeError('option "head" must be { version, hash }, as journal.head gives it');
  }
  return { head: { version: parseVersion("head.version", head.version), hash: head.hash } };
}

/** `fault`: what the kept snapshot says that the record does not. */
export function withSnapshot(verification: Verification, fault: string | undefined): Verification {
  if (fault === undefined) return verification;
  const finding: Finding = { kind: "snapshot", severity: "damage", offset: 0, line: 0, detail: fault };
  return { ...verification, ok: false, findings: [...verification.findings, finding] };
}

/** A backend that lists neither lines nor records has nothing that others could have touched but its events and heads. */
export async function verifyStore(store: JournalStore, newest: Head, options: VerifyOptions): Promise<Verification> {
  const foreign = await store.foreign?.({ whole: true });
  if (foreign !== undefined) {
    const { verifyForeign } = await import("../audit/verify/foreign.ts");
    return verifyForeign(foreign, newest, options);
  }
  const listed = await store.lines?.();
  if (listed !== undefined) {
    const { lines, namespace, seal } = listed;
    // Who only reads and writes never loads it.
    const { verifyLines } = await import("../audit/verify/verify.ts");
    return verifyLines(lines, { namespace, ...(seal === undefined ? {} : { seal }), ...options });
  }
  const kept = await store.keptRecords?.();
  if (kept !== undefined) {
    const { records, ...context } = kept;
    const { verifyRecords } = await import("../audit/verify/records.ts");
    return verifyRecords(records, { ...context, ...options, shown: newest });
  }
  const findings: Finding[] = [];
  const nowhere = { severity: "damage", offset: 0, line: 0 } as const;
  for await (const { event, version } of store.read(0)) {
    if (event.type !== "unknown") continue;
    findings.push({ kind: "unknown_event", ...nowhere, detail: `version ${version} holds an event ${event.name}` });
  }
  const { head } = options;
  if (head !== undefined && (await store.headAt?.(head.version))?.hash !== head.hash) {
    findings.push({ kind: "head", ...nowhere, detail: `version ${head.version} does not have the hash ${head.hash}` });
  }
  return { ok: findings.length === 0, findings, head: newest };
}
