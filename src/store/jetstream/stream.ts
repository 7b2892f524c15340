/** This file sees that the stream of a broker is there, and says whether its owner wants old records dropped. */
import { StorageError } from "../../errors.ts";
import { type BrokerOptions, streamConfig } from "./broker-options.ts";
import type { BrokerNames } from "./names.ts";
import type { NatsBroker } from "./nats-broker.ts";

/** This is an error code of the broker. */
const streamNotFound = 10059;

/** The result says whether old records are dropped. Throws StorageError where there is no stream and none may be made. */
export async function requireStream(broker: NatsBroker, options: BrokerOptions): Promise<boolean> {
  const { stream } = broker.names;
  const { readonly = false, create = true } = options;
  const { streams } = await broker.manager;
  const { config } = await broker.patiently(async () => {
    try {
      return await streams.info(stream);
    } catch (error) {
      if ((error as { code?: unknown }).code !== streamNotFound) throw error;
      if (readonly || !create) {
        throw new StorageError(`the broker has no stream ${stream}: check the prefix`, "not-written", {}, error);
      }
      return await streams.add(streamConfig(broker.names, options) as Parameters<typeof streams.add>[0]);
    }
  });
  requireKept(config);
  requireOwn(config, broker.names);
  return dropsOld(config);
}

/** With another retention, the broker removes a record once nobody waits for it, though it has acknowledged it. */
function requireKept({ name, retention }: StreamConfig): void {
  if (retention === "limits") return;
  const fault = `the stream ${name} has retention policy ${JSON.stringify(retention)}, which removes what nobody waits for`;
  throw new StorageError(`${fault}: make it anew with policy "limits", or choose another prefix`, "not-written");
}

/** Two prefixes share the name of their streams if one has a dot where the other has _. What others send on may have any subjects. */
function requireOwn(
  { name, subjects = [], mirror, sources }: StreamConfig,
  { prefix, subjects: own }: BrokerNames,
): void {
  if (subjects.length === 0 || mirror !== undefined || sources !== undefined) return;
  if (subjects.some((subject) => haveCommon(subject.split("."), own.split(".")))) return;
  const fault = `the stream ${name} is for ${subjects.join(", ")}, and not for ${own}`;
  throw new StorageError(
    `${fault}: choose another prefix than ${prefix}, or add the subject to the stream`,
    "not-written",
  );
}

/** The result says whether some subject matches both of these patterns. */
function haveCommon([first, ...rest]: readonly string[], [other, ...others]: readonly string[]): boolean {
  if (first === undefined || other === undefined) return first === other;
  if (first === ">" || other === ">") return true;
  return (first === other || first === "*" || other === "*") && haveCommon(rest, others);
}

type StreamConfig = Awaited<ReturnType<Awaited<NatsBroker["manager"]>["streams"]["info"]>>["config"];

/** A full stream may refuse what comes instead. What is too old is dropped in any case. */
function dropsOld({ discard, max_age, max_bytes, max_msgs, ...ofSubject }: StreamConfig): boolean {
  const isLimited = discard !== "new" && (max_bytes > 0 || max_msgs > 0);
  const areLimited = ofSubject.max_msgs_per_subject > 0 && ofSubject.discard_new_per_subject !== true;
  return max_age > 0 || isLimited || areLimited;
}
