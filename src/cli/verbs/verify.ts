import { countOf, type Finding, type Verification, withDamage } from "../../audit/verify/finding.ts";
import { withoutPassword } from "../../errors.ts";
import type { Head } from "../../event/commit.ts";
import type { Journal } from "../../journal/public.ts";
import { given } from "../../options.ts";
import type { Options } from "../options.ts";
import type { Output } from "../output.ts";
import { readAt } from "../read-file.ts";
import { fingerprint, publicKeyAt, signatureFault, signedHeadAt } from "../signed-head.ts";
import type { Span } from "../span.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";
import { counted, unlistedIn } from "../words.ts";

export const verify: Verb = {
  about: "check every line, and list everything unusual",
  endsByItself: true,
  takesNewest: true,
  options: {
    head: { value: "HASH", about: "a hash that was kept elsewhere: check that nothing up to it has changed" },
    at: { value: "VERSION", about: "the version that the hash was kept for" },
    signed: { value: "FILE", about: "what head --sign printed: check its signature and its head" },
    "public-key": { value: "FILE", about: "the public key (PEM) that must belong to the signature" },
    timestamp: { value: "FILE", about: "what head --timestamp made: check its time stamp and its head" },
    ca: { value: "FILE", about: "certificates (PEM), one of which must have issued the signer of the time stamp" },
    crl: { value: "FILE", about: "the issuer's list of revoked certificates (PEM), which must not name the signer" },
  },
  notes: [
    "A note is something that a crash, a race or a host leaves behind. Damage is something that none of them leaves; then the exit code is 1.",
  ],
  example: "session-journal verify session.jsonl --head 9f2c4e8b1d3a5f7092c4e6a8b0d2f416 --at 12",
  async run({ where, options, output, open }) {
    const witness = await witnessOf(options);
    const head = headOf(options) ?? (witness?.fault === undefined ? witness?.head : undefined);
    const journal = await open("verify");
    if (head !== undefined) await mustHaveChain(journal, where);
    const verified = await journal.verify(head === undefined ? {} : { head });
    const fault = witness && (witness.fault ?? otherSession(witness, await journal.sessionId()));
    const verification = fault === undefined ? verified : withDamage(verified, "head", fault);
    if (options.flag("json")) output.json(verification);
    else printVerification(verification, head, output);
    if (witness !== undefined && !options.flag("json") && verification.ok) output.line(witness.says);
    return verification.ok ? 0 : 1;
  },
};

/** Throws a {@link UsageError} for the session of another client, of which no head can have been kept: its file is not damaged by that. */
async function mustHaveChain(journal: Journal, where: string): Promise<void> {
  if ((await journal.foreign()) === undefined) return;
  throw new UsageError(
    `${withoutPassword(where)} has no chain of hashes, so this head is of another session: session-journal copy makes a journal of it, and that has one`,
  );
}

/** A witness is a head that somebody stands for. `fault` says why that proves nothing. */
interface Witness {
  readonly what: string;
  readonly head: Head & { readonly session: string };
  readonly fault: string | undefined;
  /** This is said if all is well. */
  readonly says: string;
}

async function witnessOf(options: Options): Promise<Witness | undefined> {
  const [signed, stamped] = [options.text("signed"), options.text("timestamp")];
  for (const [option, of, file] of [
    ["public-key", "signed", signed],
    ["ca", "timestamp", stamped],
    ["crl", "ca", options.text("ca")],
  ] as const)
    if (options.text(option) !== undefined && file === undefined)
      throw new UsageError(`--${option} belongs to --${of}: --${of} FILE --${option} FILE`);
  if ([options.text("head"), signed, stamped].filter((each) => each !== undefined).length > 1)
    throw new UsageError("--head, --signed and --timestamp are heads: verify one at a time");
  if (signed !== undefined) return signedOf(signed, options.text("public-key"));
  return stamped === undefined ? undefined : stampedOf(stamped, options.text("ca"), options.text("crl"));
}

async function signedOf(file: string, keyFile: string | undefined): Promise<Witness> {
  const head = await signedHeadAt(file);
  const fault = signatureFault(head, keyFile === undefined ? undefined : await publicKeyAt(keyFile));
  const { version, signedAt, publicKey } = head;
  return {
    what: "the signed head",
    head,
    fault: fault && `the signed head in ${file} proves nothing: ${fault}`,
    says: `signed: v${version} at ${signedAt} by ${fingerprint(publicKey)}`,
  };
}

async function stampedOf(file: string, caFile: string | undefined, crlFile: string | undefined): Promise<Witness> {
  const { stampedHeadAt, stampOf } = await import("../stamped-head.ts");
  const { StampFault } = await import("../timestamp-token.ts");
  const head = await stampedHeadAt(file);
  const what = "the stamped head";
  const trusted = caFile && (await readAt(caFile)).toString("utf8");
  if (trusted?.includes("-----BEGIN CERTIFICATE-----") === false)
    throw new UsageError(
      `${caFile} has no certificate in PEM: openssl x509 -inform DER -in ${caFile} -out ca.pem makes one of a certificate in DER`,
    );
  const revoked = crlFile && (await readAt(crlFile)).toString("utf8");
  if (revoked?.includes("-----BEGIN X509 CRL-----") === false)
    throw new UsageError(
      `${crlFile} has no list of revoked certificates in PEM: openssl crl -inform DER -in ${crlFile} -out list.pem makes one of a list in DER`,
    );
  try {
    const { time, signer, fingerprint: of } = await stampOf(head, given({ trusted, revoked }));
    const isTrusted = trusted === undefined ? "; who that is was not checked: --ca FILE does" : "";
    return {
      what,
      head,
      fault: undefined,
      says: `stamped: v${head.version} at ${time} by ${signer} (SHA256 ${of})${isTrusted}`,
    };
  } catch (error) {
    if (!(error instanceof StampFault)) throw error;
    return { what, head, fault: `the time stamp in ${file} proves nothing: ${error.message}`, says: "" };
  }
}

function otherSession({ what, head: { session } }: Witness, own: string): string | undefined {
  return session === own ? undefined : `${what} is of session ${session}, and this is ${own}`;
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
  const damages = countOf(verification, ({ severity }) => severity === "damage");
  const events = counted(head.version, "event");
  const verdict: Span = ok ? { text: "OK", style: "green" } : { text: "DAMAGED", style: "red" };
  const found = ok ? "no damage" : `${counted(damages, "finding")} of damage, session-journal doctor says what to do`;
  output.line(verdict, `: ${events}, ${found}.${ok ? ` ${proofOf(verification, kept)}` : ""}`);
  if (findings.length > 0) output.table(findings.map(row), "wrapped");
  for (const text of unlistedIn(verification)) output.line(text);
  if (head.hash !== "") output.line({ text: `head: v${head.version} ${head.hash}`, style: "dim" });
}

/** The result says what the check can show, and what it cannot. */
function proofOf({ findings, head }: Verification, kept: Head | undefined): string {
  // The session of another client has none.
  if (head.hash === "") return "It has no chain: this shows that every line can be read, and no more.";
  const isSealed = head.hash.length === sealedHashLength;
  const has = (wanted: Finding["kind"]): boolean => findings.some(({ kind }) => kind === wanted);
  if (has("sealed")) return "Sealed, but without its key this shows accidents only.";
  if (kept !== undefined && !has("head")) {
    // Any hash can stand in a redacted commit as the one that it had: the chain before it hangs on that word.
    return has("redacted")
      ? `Up to v${kept.version}, no commit behind the newest redacted one has changed since that head was kept; of the others this proves nothing.`
      : `No commit up to v${kept.version} has changed since that head was kept.`;
  }
  return isSealed
    ? "Sealed: only somebody who has the key can have changed it."
    : "Not sealed: this shows accidents only.";
}

/** Hex digits of an HMAC-SHA-256; a hash without a key has half as many. */
const sealedHashLength = 64;

function row({ severity, kind, line, offset, detail }: Finding): Span[] {
  return [
    { text: severity, style: severity === "damage" ? "red" : "yellow" },
    kind,
    { text: line === 0 ? "-" : `line ${line}, byte ${offset}`, style: "dim" },
    detail,
  ];
}
