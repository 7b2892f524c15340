import type { Finding, Verification } from "../../audit/verify/finding.ts";
import type { Head } from "../../event/commit.ts";
import type { Options } from "../options.ts";
import type { Output, Span } from "../output.ts";
import { fingerprint, publicKeyAt, type SignedHead, signatureFault, signedHeadAt } from "../signed-head.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";
import { counted } from "../words.ts";

export const verify: Verb = {
  about: "check every line, and list what is remarkable",
  endsByItself: true,
  takesNewest: true,
  options: {
    head: { value: "HASH", about: "a hash that was kept elsewhere: nothing up to it may have changed" },
    at: { value: "VERSION", about: "the version that the hash was kept for" },
    signed: { value: "FILE", about: "what head --sign printed: its signature and its head must hold" },
    "public-key": { value: "FILE", about: "the public key in PEM that it must be signed with" },
  },
  notes: ["Notes are what crashes, races and hosts leave behind. Damage is what none of them leaves: exit code 1."],
  example: "session-journal verify session.jsonl --head 9f2c4e8b1d3a5f7092c4e6a8b0d2f416 --at 12",
  async run({ options, output, open }) {
    const signed = await signedOf(options);
    const head = headOf(options) ?? (signed?.fault === undefined ? signed?.head : undefined);
    const journal = await open("check");
    const verified = await journal.verify(head === undefined ? {} : { head });
    const fault = signed && (signed.fault ?? otherSession(signed.head, await journal.sessionId()));
    const verification = fault === undefined ? verified : withFault(verified, fault);
    if (options.flag("json")) output.json(verification);
    else printVerification(verification, head, output);
    if (signed !== undefined && !options.flag("json") && verification.ok) {
      const { version, signedAt, publicKey } = signed.head;
      output.line(`signed: v${version} at ${signedAt} by ${fingerprint(publicKey)}`);
    }
    return verification.ok ? 0 : 1;
  },
};

/** `fault`: why its signature proves nothing. */
interface Signed {
  readonly head: SignedHead;
  readonly fault: string | undefined;
}

async function signedOf(options: Options): Promise<Signed | undefined> {
  const file = options.text("signed");
  const keyFile = options.text("public-key");
  if (file === undefined) {
    if (keyFile === undefined) return undefined;
    throw new UsageError("--public-key belongs to --signed: --signed FILE --public-key FILE");
  }
  if (options.text("head") !== undefined) throw new UsageError("--head and --signed are two heads: leave one out");
  const head = await signedHeadAt(file);
  const fault = signatureFault(head, keyFile === undefined ? undefined : await publicKeyAt(keyFile));
  return { head, fault: fault === undefined ? undefined : `the signed head in ${file} proves nothing: ${fault}` };
}

function otherSession({ session }: SignedHead, own: string): string | undefined {
  return session === own ? undefined : `the signed head is of session ${session}, and this is ${own}`;
}

function withFault(verification: Verification, detail: string): Verification {
  const finding: Finding = { kind: "head", severity: "damage", offset: 0, line: 0, detail };
  return { ...verification, ok: false, findings: [...verification.findings, finding] };
}

function headOf(options: Options): Head | undefined {
  const hash = options.text("head");
  const version = options.count("at", "v");
  if (hash === undefined && version === undefined) return undefined;
  if (hash === undefined || version === undefined) {
    throw new UsageError("--head and --at belong together: --head HASH --at VERSION, as verify printed them");
  }
  if (!/^(?:[0-9a-f]{32}|[0-9a-f]{64})$/i.test(hash)) {
    throw new UsageError(
      `--head takes a whole hash, 32 or 64 hex digits as verify prints it, not ${JSON.stringify(hash)}`,
    );
  }
  return { version, hash: hash.toLowerCase() };
}

function printVerification(verification: Verification, kept: Head | undefined, output: Output): void {
  const { ok, findings, head } = verification;
  const damages = findings.filter(({ severity }) => severity === "damage").length;
  const events = counted(head.version, "event");
  const verdict: Span = ok ? { text: "OK", style: "green" } : { text: "DAMAGED", style: "red" };
  const found = ok ? "no damage" : `${counted(damages, "finding")} of damage, session-journal doctor says what to do`;
  output.line(verdict, `: ${events}, ${found}.${ok ? ` ${proofOf(verification, kept)}` : ""}`);
  if (findings.length > 0) output.table(findings.map(row));
  output.line({ text: head.hash === "" ? "no chain" : `head: v${head.version} ${head.hash}`, style: "dim" });
}

/** What the check can show, and what it cannot. */
function proofOf({ findings, head }: Verification, kept: Head | undefined): string {
  const isSealed = head.hash.length === sealedHashLength;
  const isAgreed = kept !== undefined && !findings.some(({ kind }) => kind === "head");
  if (isAgreed) return `Nothing up to v${kept.version} has changed since that head was kept.`;
  if (findings.some(({ kind }) => kind === "sealed")) return "Sealed, but without its key this shows accidents only.";
  return isSealed ? "Sealed: only who has the key can have changed it." : "Not sealed: this shows accidents only.";
}

/** Hex digits of an HMAC-SHA-256; a hash without a key has half as many. */
const sealedHashLength = 64;

function row({ severity, kind, line, offset, detail }: Finding): Span[] {
  return [
    { text: severity, style: severity === "damage" ? "red" : "yellow" },
    kind,
    { text: `line ${line}, byte ${offset}`, style: "dim" },
    detail,
  ];
}
