/** Verification of a journal wherever it lives. */
import type { Finding, Verification } from "../audit/verify/finding.ts";
import type { VerifiedRecord } from "../audit/verify/records.ts";
import type { Head } from "../event/commit.ts";
import { requireOptions } from "../options.ts";
import type { SessionLines } from "../stream/log.ts";
import type { JournalStore } from "../stream/stream-store.ts";
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

/** `fault`: what the kept checkpoint says that the record does not. */
export function withSnapshot(verification: Verification, fault: string | undefined): Verification {
  if (fault === undefined) return verification;
  const finding: Finding = { kind: "snapshot", severity: "damage", offset: 0, line: 0, detail: fault };
  return { ...verification, ok: false, findings: [...verification.findings, finding] };
}

/** What is not as it was when it was put away. */
function withNoted(verification: Verification, noted: SessionLines["noted"]): Verification {
  if (noted === undefined) return verification;
  const { head, fault } = noted;
  const { version, hash } = verification.head;
  const isSame = version === head.version && hash === head.hash;
  const other = `the manifest names head v${head.version} ${head.hash}, and the lines end at v${version} ${hash}`;
  const found: Finding[] = [
    ...(fault === undefined
      ? []
      : [{ kind: "corrupt", severity: "damage", offset: 0, line: 0, detail: fault } as const]),
    ...(isSame ? [] : [{ kind: "head", severity: "damage", offset: 0, line: 0, detail: other } as const]),
  ];
  if (found.length === 0) return verification;
  return { ...verification, ok: false, findings: [...verification.findings, ...found] };
}

export async function verifyStore(store: JournalStore, newest: Head, options: VerifyOptions): Promise<Verification> {
  const foreign = await store.foreign({ whole: true });
  if (foreign !== undefined) {
    const { verifyForeign } = await import("../audit/verify/foreign.ts");
    return verifyForeign(foreign, newest, options);
  }
  const { seal } = store.options;
  if (store.file !== undefined) {
    // Who only reads and writes never loads it.
    const { verifyLines } = await import("../audit/verify/verify.ts");
    const verified = await verifyLines(store.file.lines(), { namespace: store.file.namespace, seal, ...options });
    return withNoted(verified, store.file.noted);
  }
  const { verifyRecords } = await import("../audit/verify/records.ts");
  const session = await store.sessionId();
  const [drops, saved] = [await store.drops(), await store.savedHead()];
  return verifyRecords(recordsIn(store), { session, seal, drops, saved, shown: newest, ...options });
}

async function* recordsIn(store: JournalStore): AsyncGenerator<VerifiedRecord> {
  let last = 0;
  for await (const entry of store.entries()) {
    if (entry.kind !== "commit" && entry.kind !== "value" && entry.kind !== "damaged") continue;
    last = entry.place ?? last + 1;
    yield { place: last, record: entry.kind === "damaged" ? undefined : { ...entry, turn: entry.turn ?? 0 } };
  }
}
