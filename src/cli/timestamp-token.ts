/** Time stamps by RFC 3161: what a server is asked, and whether its answer is one that may be believed. */
import { createHash, randomBytes, type X509Certificate } from "node:crypto";
import type { Certificate, CertificateRevocationList, RevokedCertificate, SignedData, TSTInfo } from "pkijs";
import { installing } from "../errors.ts";
import { UsageError } from "./usage.ts";

/** What a time stamp says, once it has been checked. */
export interface Stamp {
  /** This is an ISO time by the server's clock. */
  readonly time: string;
  /** This is the subject of the certificate that signed the stamp. */
  readonly signer: string;
  /** This is the SHA-256 of that certificate, in hex digits. */
  readonly fingerprint: string;
}

export interface StampCheck {
  /** The server was asked with this number, which its answer must repeat. */
  readonly nonce?: Buffer;
  /**
   * These are certificates in PEM. The signer's certificate must lead to one of them. If they are absent, nothing is checked about who
   * signed.
   */
  readonly trusted?: string;
  /** These are lists of revoked certificates (CRLs) in PEM: the issuer's own list must be among them, and must not name the signer. */
  readonly revoked?: string;
}

/** The message says why a time stamp proves nothing. */
export class StampFault extends Error {}

const sha256 = "2.16.840.1.101.3.4.2.1";
const signedDataType = "1.2.840.113549.1.7.2";
const stampType = "1.2.840.113549.1.9.16.1.4";
const stampingPurpose = "1.3.6.1.5.5.7.3.8";
const reasonCode = "2.5.29.21";
/** By these reasons no key was lost: unspecified, affiliation changed, superseded, cessation of operation. */
const harmlessReasons: readonly number[] = [0, 3, 4, 5];
const signingCertificates = ["1.2.840.113549.1.9.16.2.12", "1.2.840.113549.1.9.16.2.47"];

/** Throws a TypeError without the libraries. */
async function libraries() {
  try {
    const [pkijs, asn1js] = await Promise.all([import("pkijs"), import("asn1js")]);
    return { pkijs, asn1js };
  } catch (cause) {
    throw new TypeError(`time stamps need the packages pkijs and asn1js: ${installing("pkijs", "asn1js")}`, { cause });
  }
}

/** The result is the query for a time stamp of a message, in DER. */
export async function stampQuery(message: Uint8Array): Promise<{ readonly query: Buffer; readonly nonce: Buffer }> {
  const { pkijs, asn1js } = await libraries();
  const nonce = randomBytes(8);
  // A whole number above 0, in as many bytes.
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40;
  const request = new pkijs.TimeStampReq({
    version: 1,
    messageImprint: new pkijs.MessageImprint({
      hashAlgorithm: new pkijs.AlgorithmIdentifier({ algorithmId: sha256, algorithmParams: new asn1js.Null() }),
      hashedMessage: new asn1js.OctetString({ valueHex: bufferOf(digest("sha256", message)) }),
    }),
    nonce: new asn1js.Integer({ valueHex: bufferOf(nonce) }),
    certReq: true,
  });
  return { query: Buffer.from(request.toSchema().toBER()), nonce };
}

/** The result is what the answer of a server says about the message. An answer that proves nothing throws {@link StampFault}. */
export async function stampIn(answer: Uint8Array, message: Uint8Array, check: StampCheck = {}): Promise<Stamp> {
  const { pkijs } = await libraries();
  const { signed, info, certificate } = await parsed(answer);
  const imprint = Buffer.from(info.messageImprint.hashedMessage.valueBlock.valueHexView);
  if (info.messageImprint.hashAlgorithm.algorithmId !== sha256 || !imprint.equals(digest("sha256", message)))
    throw new StampFault("it is a time stamp of something else");
  const nonce = info.nonce && Buffer.from(info.nonce.valueBlock.valueHexView);
  if (check.nonce !== undefined && nonce?.equals(check.nonce) !== true)
    throw new StampFault("it answers another question: its nonce is not the one that was sent");
  requireForStamping(certificate);
  requireNamed(signed, certificate);
  const own = new (certificateClass())(Buffer.from(certificate.toSchema().toBER()));
  const trusted = check.trusted === undefined ? [] : certificatesIn(check.trusted);
  const verified = await signed
    .verify({
      signer: 0,
      data: bufferOf(message),
      trustedCerts: trusted.map((each) => pkijs.Certificate.fromBER(each)),
      checkChain: check.trusted !== undefined,
      checkDate: info.genTime,
      extendedMode: true,
    })
    .catch((error: { readonly message?: string; readonly signatureVerified?: boolean | null }) => ({
      signatureVerified: error.signatureVerified ?? false,
      signerCertificateVerified: false,
      certificatePath: [],
    }));
  if (check.trusted !== undefined && verified.signerCertificateVerified !== true)
    throw new StampFault(`its signer, ${nameOf(own)}, does not lead to a certificate that is trusted`);
  if (verified.signatureVerified !== true) throw new StampFault("its signature does not fit its content");
  if (check.revoked !== undefined) await requireNotRevoked(verified.certificatePath, info.genTime, check.revoked);
  const fingerprint = own.fingerprint256.replaceAll(":", "").toLowerCase();
  return { time: info.genTime.toISOString(), signer: nameOf(own), fingerprint };
}

interface Token {
  readonly signed: SignedData;
  readonly info: TSTInfo;
  /** This is the certificate of the signer. */
  readonly certificate: Certificate;
}

async function parsed(answer: Uint8Array): Promise<Token> {
  const { pkijs } = await libraries();
  const response = orFault(
    () => pkijs.TimeStampResp.fromBER(bufferOf(answer)),
    "it is not an answer of a time stamp server",
  );
  const { status, statusStrings = [] } = response.status;
  const token = response.timeStampToken;
  if (status > 1 || token === undefined) {
    const why = statusStrings.map((each) => each.valueBlock.value).join("; ");
    throw new StampFault(`the server refused (status ${status}${why === "" ? "" : `: ${why}`})`);
  }
  return orFault(() => {
    const signed = new pkijs.SignedData({ schema: token.content });
    const { eContent, eContentType } = signed.encapContentInfo;
    if (token.contentType !== signedDataType || eContentType !== stampType || eContent === undefined)
      throw new TypeError("another type");
    const info = pkijs.TSTInfo.fromBER(bufferOf(Buffer.from(eContent.getValue())));
    const [signer] = signed.signerInfos;
    if (signer === undefined || signed.signerInfos.length !== 1) throw new TypeError("not one signer");
    const { serialNumber: serial } = signer.sid as { serialNumber?: { isEqual(other: unknown): boolean } };
    const certificates = (signed.certificates ?? []).filter((each) => each instanceof pkijs.Certificate);
    const certificate = certificates.find((each) => serial?.isEqual(each.serialNumber));
    if (certificate === undefined) throw new TypeError("no certificate");
    return { signed, info, certificate };
  }, "it holds no time stamp with its signer's certificate");
}

/** A key for anything else must not stamp. */
function requireForStamping(certificate: Certificate): void {
  const usage = certificate.extensions?.find(({ extnID }) => extnID === "2.5.29.37");
  const purposes = (usage?.parsedValue as { keyPurposes?: string[] } | undefined)?.keyPurposes ?? [];
  if (usage?.critical === true && purposes.length === 1 && purposes[0] === stampingPurpose) return;
  throw new StampFault("its signer's certificate is not one for time stamps alone");
}

/** What is signed names the certificate, so that no other one of the same key takes its place. */
function requireNamed(signed: SignedData, certificate: Certificate): void {
  const attributes = signed.signerInfos[0]?.signedAttrs?.attributes ?? [];
  const named = attributes.filter(({ type }) => signingCertificates.includes(type));
  const der = Buffer.from(certificate.toSchema().toBER());
  const hashes = ["sha1", "sha256", "sha384", "sha512"].map((name) => digest(name, der));
  const isNamed = named.some(({ values }) =>
    values.some((value) => hashes.some((hash) => Buffer.from(value.toBER()).includes(hash))),
  );
  if (!isNamed) throw new StampFault("its signature does not name its signer's certificate");
}

/**
 * `path` leads from the signer's certificate to one that is trusted. The signer's issuer must have made one of the lists; those of
 * other issuers on the path are looked at, too. Throws {@link StampFault} for a certificate that may not have stamped at that time.
 */
async function requireNotRevoked(path: readonly Certificate[], time: Date, pem: string): Promise<void> {
  const { pkijs } = await libraries();
  const lists: CertificateRevocationList[] = [];
  for (const [, base64 = ""] of pem.matchAll(/-----BEGIN X509 CRL-----([^-]+)-----END X509 CRL-----/g))
    lists.push(
      orFault(
        () => pkijs.CertificateRevocationList.fromBER(bufferOf(Buffer.from(base64, "base64"))),
        "--crl has something that is no list of revoked certificates",
      ),
    );
  if (path.length < 2) throw new StampFault("its signer is trusted itself, so no list says whether it was revoked");
  for (const [index, certificate] of path.slice(0, -1).entries()) {
    const issuer = path[index + 1] as Certificate;
    const list = await newestOf(issuer, lists);
    if (list === undefined && index > 0) continue;
    if (list === undefined) throw new StampFault("--crl has no list that was signed by the issuer of its signer");
    if (list.nextUpdate !== undefined && list.nextUpdate.value < time)
      throw new StampFault("the list of revoked certificates ended before the stamp was made: get a newer one");
    const entry = list.revokedCertificates?.find(({ userCertificate }) =>
      userCertificate.isEqual(certificate.serialNumber),
    );
    if (entry !== undefined) requireHarmless(entry, time);
  }
}

async function newestOf(
  issuer: Certificate,
  lists: readonly CertificateRevocationList[],
): Promise<CertificateRevocationList | undefined> {
  const signed: CertificateRevocationList[] = [];
  for (const list of lists)
    if (isWhole(list) && list.issuer.isEqual(issuer.subject) && (await list.verify({ issuerCertificate: issuer })))
      signed.push(list);
  return signed.sort((a, b) => b.thisUpdate.value.getTime() - a.thisUpdate.value.getTime())[0];
}

/** RFC 5280, section 5.2: what is critical may say that a list covers only a part. */
function isWhole({ crlExtensions }: CertificateRevocationList): boolean {
  return crlExtensions?.extensions.some(({ critical }) => critical) !== true;
}

/**
 * RFC 3161, section 4: a stamp that was made before the revocation stays good if the list says a reason by which the key stayed its
 * owner's alone. Without a reason, or with another one, it does not.
 */
function requireHarmless({ revocationDate, crlEntryExtensions }: RevokedCertificate, time: Date): void {
  const said = crlEntryExtensions?.extensions.find(({ extnID }) => extnID === reasonCode)?.parsedValue;
  const reason = (said as { valueBlock?: { valueDec?: number } } | undefined)?.valueBlock?.valueDec;
  const at = revocationDate.value;
  if (at > time && reason !== undefined && harmlessReasons.includes(reason)) return;
  const why = at > time ? ", for a reason that leaves no stamp of its key good (RFC 3161, section 4)" : "";
  throw new StampFault(`a certificate that it rests on was revoked on ${at.toISOString()}${why}`);
}

function certificatesIn(pem: string): ArrayBuffer[] {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    return found.map((each) => bufferOf(new (certificateClass())(each).raw));
  } catch {
    throw new UsageError("--ca has something that is no certificate: get the file again from whoever issued it");
  }
}

function nameOf({ subject }: X509Certificate): string {
  return subject.replaceAll("\n", ", ");
}

function orFault<Result>(read: () => Result, fault: string): Result {
  try {
    return read();
  } catch {
    throw new StampFault(fault);
  }
}

function digest(name: string, bytes: Uint8Array): Buffer {
  return createHash(name).update(bytes).digest();
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

/** By an import of its own, all of cryptography would be loaded with every command. */
function certificateClass(): typeof X509Certificate {
  return process.getBuiltinModule("node:crypto").X509Certificate;
}
