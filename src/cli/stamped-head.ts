/**
 * A head with a time stamp (RFC 3161): whoever trusts the server can tell later that this history existed at that time,
 * whatever its owner's clock says.
 */
import type { Head } from "../event/commit.ts";
import { canonicalJson } from "../line/json.ts";
import { fieldsAt } from "./signed-head.ts";
import { type Stamp, type StampCheck, StampFault, stampIn, stampQuery } from "./timestamp-token.ts";
import { UsageError } from "./usage.ts";

/** What is stamped is the canonical JSON of `type`, `session`, `version` and `hash`, in UTF-8. */
export interface StampedHead extends Head {
  readonly type: "session-journal head";
  readonly session: string;
  /** The address of the server that was asked. */
  readonly server: string;
  /** The server's answer (a TimeStampResp) as it came, in base64. */
  readonly timestamp: string;
}

const waitMs = 30_000;
const answerBytesMax = 1 << 20;

/** Asks a server for a time stamp, and checks it. Throws a {@link UsageError} that says what came instead. */
export async function stampHead({ version, hash }: Head, session: string, server: string): Promise<StampedHead> {
  if (!/^https?:\/\//.test(server) || !URL.canParse(server))
    throw new UsageError(
      `--timestamp takes the address of a server, such as https://freetsa.org/tsr, not ${JSON.stringify(server)}`,
    );
  const head = { type: "session-journal head", session, version, hash } as const;
  const message = Buffer.from(canonicalJson(head));
  const { query, nonce } = await stampQuery(message);
  const answer = await asked(server, query);
  await stampIn(answer, message, { nonce }).catch((error: unknown) => {
    throw error instanceof StampFault
      ? new UsageError(`${server} gave no time stamp that can be used: ${error.message}`)
      : error;
  });
  return { ...head, server, timestamp: answer.toString("base64") };
}

async function asked(server: string, query: Buffer): Promise<Buffer> {
  try {
    const response = await fetch(server, {
      method: "POST",
      headers: { "content-type": "application/timestamp-query", accept: "application/timestamp-reply" },
      // Bytes alone are gone when a server sends us on to another address.
      body: new Blob([new Uint8Array(query)]),
      signal: AbortSignal.timeout(waitMs),
    });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const answer = Buffer.from(await response.arrayBuffer());
    if (answer.length > answerBytesMax) throw new Error("its answer is too long");
    return answer;
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    throw new UsageError(`${server} gave no time stamp (${why}): check the address, or ask another server`);
  }
}

/** It throws {@link StampFault} if the stamp does not belong to this head, or proves nothing. */
export async function stampOf({ timestamp, server: _, ...head }: StampedHead, check: StampCheck): Promise<Stamp> {
  const message = Buffer.from(canonicalJson({ ...head }));
  return stampIn(Buffer.from(timestamp, "base64"), message, check);
}

export async function stampedHeadAt(file: string): Promise<StampedHead> {
  const { type, session, version, hash, server, timestamp } = await fieldsAt(file);
  const isOne =
    type === "session-journal head" && [session, hash, server, timestamp].every((each) => typeof each === "string");
  if (!isOne || !Number.isSafeInteger(version) || Number(version) < 0)
    throw new UsageError(
      `${file} is not a stamped head: session-journal head <session> --timestamp URL -o FILE makes one`,
    );
  return { type, session, version, hash, server, timestamp } as StampedHead;
}
