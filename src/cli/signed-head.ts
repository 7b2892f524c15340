/**
 * A head with a signature (Ed25519): whoever has the public key can tell later that the holder of the private one stood for
 * this history at this version.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { Head } from "../event/commit.ts";
import { type Fields, fields } from "../event/fields.ts";
import { parsed } from "../lens/fields.ts";
import { canonicalJson } from "../line/json.ts";
import { readAt } from "./read-file.ts";
import { UsageError } from "./usage.ts";

/** What is signed is the canonical JSON of all fields but `publicKey` and `signature`, in UTF-8. */
export interface SignedHead extends Head {
  readonly type: "session-journal head";
  readonly session: string;
  /** ISO time of the signing, as the signer's clock had it. */
  readonly signedAt: string;
  /** The key is DER (SPKI) in base64. */
  readonly publicKey: string;
  /** The signature is in base64. */
  readonly signature: string;
}

export function signHead(head: Head, session: string, signedAt: string, key: KeyObject): SignedHead {
  const { version, hash } = head;
  const signed = { type: "session-journal head", session, version, hash, signedAt } as const;
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
  const signature = sign(null, Buffer.from(canonicalJson(signed)), key).toString("base64");
  return { ...signed, publicKey, signature };
}

/**
 * The fault says why the head is not to be believed. It is undefined if the signature is of what the head says and of the key that it
 * names.
 */
export function signatureFault(
  { publicKey, signature, ...signed }: SignedHead,
  wanted?: KeyObject,
): string | undefined {
  const key = publicKeyIn(publicKey);
  if (key === undefined) return "its public key is not an Ed25519 key";
  if (wanted !== undefined && !key.equals(wanted)) return `it was signed by another key, ${fingerprint(publicKey)}`;
  const isRight = verify(null, Buffer.from(canonicalJson(signed)), key, Buffer.from(signature, "base64"));
  return isRight ? undefined : "its signature does not fit its content";
}

/** The fingerprint is written as `ssh-keygen` does: SHA-256 in base64, here of the DER. */
export function fingerprint(publicKey: string): string {
  const digest = createHash("sha256").update(Buffer.from(publicKey, "base64")).digest("base64");
  return `SHA256:${digest.replace(/=+$/, "")}`;
}

function publicKeyIn(base64: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(base64, "base64"), type: "spki", format: "der" });
    return key.asymmetricKeyType === "ed25519" ? key : undefined;
  } catch {
    return undefined;
  }
}

const makeKey = "openssl genpkey -algorithm ed25519 -out head.key makes one";

export async function privateKeyAt(file: string): Promise<KeyObject> {
  return keyAt(file, createPrivateKey, `no private Ed25519 key in PEM: ${makeKey}`);
}

export async function publicKeyAt(file: string): Promise<KeyObject> {
  const how = "openssl pkey -in head.key -pubout -out head.pub makes one of a private key";
  return keyAt(file, createPublicKey, `no public Ed25519 key in PEM: ${how}`);
}

async function keyAt(file: string, read: (pem: Buffer) => KeyObject, fault: string): Promise<KeyObject> {
  const pem = await readAt(file);
  if (pem.includes("-----BEGIN ENCRYPTED PRIVATE KEY-----"))
    throw new UsageError(
      `${file} is encrypted, and a passphrase is not asked for: openssl pkey -in ${file} -out head.key writes the key without one`,
    );
  try {
    const key = read(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Said below: what the library says of it names no file.
  }
  throw new UsageError(`${file} is ${fault}`);
}

export async function signedHeadAt(file: string): Promise<SignedHead> {
  const { type, session, version, hash, signedAt, publicKey, signature } = await fieldsAt(file);
  const texts = [session, hash, signedAt, publicKey, signature];
  const isOne = type === "session-journal head" && texts.every((each) => typeof each === "string");
  if (!isOne || !Number.isSafeInteger(version) || Number(version) < 0) {
    throw new UsageError(
      `${file} is not a signed head: session-journal head <session> --sign KEY > head.json makes one`,
    );
  }
  return { type, session, version, hash, signedAt, publicKey, signature } as SignedHead;
}

/** The result has the fields of a file of JSON. It is empty if the file holds something else. */
export async function fieldsAt(file: string): Promise<Fields> {
  return fields(parsed(await readAt(file)));
}
