/**
 * A session file may hold the journals of other namespaces, too. Their commits are to count in a redacted copy as before, and nothing of
 * what goes may be left in what they add up to: so each has a plan of its own.
 */
import {
  type OtherPlan,
  planRedaction,
  type RedactionPlan,
  type RedactionWish,
  type Sought,
} from "../audit/redact/plan.ts";
import type { SealKey } from "../line/chain.ts";
import { classify, classifyRaw, type RawBytes } from "../line/classify.ts";
import { type LineNames, lineBytesMax, lineNames, namesOfCommits } from "../line/format.ts";
import { given } from "../options.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import { storeAt } from "./addresses.ts";

/** What came about in several events of one journal is looked for in all of them, and in the host's lines. */
export async function planWithOthers(
  source: JournalStore,
  wish: RedactionWish,
  key: SealKey,
  own: RedactionPlan,
): Promise<RedactionPlan> {
  for (let plan = own; ; ) {
    const others = await otherPlans(source, wish, key, plan.sought);
    const sought = soughtInAll([plan, ...[...others.values()].map((other) => other.plan)]);
    if (countOf(sought) === countOf(plan.sought)) return { ...plan, others };
    plan = await planRedaction(() => source.records(), wish, key, sought);
  }
}

function soughtInAll(plans: readonly RedactionPlan[]): Sought {
  const texts = new Set(plans.flatMap(({ sought }) => [...sought.texts]));
  return { texts, lines: new Set(plans.flatMap(({ sought }) => [...sought.lines])) };
}

function countOf({ texts, lines }: Sought): number {
  return texts.size + lines.size;
}

/** Versions to redact are not those of other journals. A sealed one whose key is not known has no plan: nobody could make its hashes. */
async function otherPlans(
  source: JournalStore,
  wish: RedactionWish,
  key: SealKey,
  sought: Sought,
): Promise<ReadonlyMap<string, OtherPlan>> {
  const plans = new Map<string, OtherPlan>();
  for (const [namespace, isSealed] of await otherJournals(source)) {
    const seal = isSealed ? source.options.seal : undefined;
    if (isSealed && seal === undefined) continue;
    const store = await storeAt(source.where, { namespace, readonly: true, create: false, ...given({ seal }) });
    try {
      const plan = await planRedaction(() => store.records(), { ...wish, versions: [] }, key, sought);
      if (plan.newest !== undefined) plans.set(namespace, { plan, seal });
    } finally {
      await store.close();
    }
  }
  return plans;
}

const sealedDigits = 64;
const typeEnd = Buffer.from(':events"');

/** The result says of each namespace that has commits whether the first of them is sealed. */
async function otherJournals({ file }: JournalStore): Promise<ReadonlyMap<string, boolean>> {
  const found = new Map<string, boolean>();
  if (file === undefined) return found;
  const own = lineNames(file.namespace);
  for await (const lines of file.lines()) {
    for (const line of lines) {
      const names = line.size > lineBytesMax ? undefined : namesIn(line, own);
      if (names === undefined || found.has(names.namespace)) continue;
      const content = classify(line.bytes, names);
      if (content.kind === "commit") found.set(names.namespace, content.data.hash.length === sealedDigits);
    }
  }
  return found;
}

/** The result has the names of another journal, if the line may be a commit of it. */
function namesIn(line: RawBytes, own: LineNames): LineNames | undefined {
  if (!holds(line.bytes, typeEnd)) return undefined;
  const content = classifyRaw(line, own);
  return content.kind === "host" ? namesOfCommits(content.customType ?? "") : undefined;
}

function holds({ buffer, byteOffset, byteLength }: Uint8Array, bytes: Buffer): boolean {
  return Buffer.from(buffer, byteOffset, byteLength).includes(bytes);
}
