/** Reads a session file from its first byte, under the policy that it says. */
import type { FoldPolicy } from "../../event/commit.ts";
import type { Header } from "../../line/decode.ts";
import type { EventSink } from "../store.ts";
import type { ReadFinding } from "./read-finding.ts";
import type { ByteSource } from "./session-bytes.ts";
import { type ReaderSettings, SessionReader } from "./session-reader.ts";
import { Collector, FirstTelling } from "./told.ts";

export interface Whole {
  readonly reader: SessionReader;
  readonly told: Collector;
  readonly findings: readonly ReadFinding[];
}

/** Without a policy asked for, the file is read under `file` first, and again if its newest commit says `branch`. */
export async function readPolicy(
  bytes: ByteSource,
  header: Header,
  settings: Omit<ReaderSettings, "fold"> & { readonly fold?: FoldPolicy | undefined },
  first: EventSink | undefined,
): Promise<Whole> {
  const whole = await readUnder(bytes, header, { ...settings, fold: settings.fold ?? "file" }, first);
  if (settings.fold !== undefined || whole.reader.ledger.policy === "file") return whole;
  if (whole.told instanceof FirstTelling && whole.told.begun) first?.reset("branch");
  return readUnder(bytes, header, { ...settings, fold: "branch" }, undefined);
}

async function readUnder(
  bytes: ByteSource,
  header: Header,
  settings: ReaderSettings,
  first: EventSink | undefined,
): Promise<Whole> {
  const reader = new SessionReader(bytes, header, settings);
  const told =
    first === undefined ? new Collector() : new FirstTelling(first, () => reader.ledger.policy === settings.fold);
  const findings = await reader.read(told);
  return { reader, told, findings };
}
