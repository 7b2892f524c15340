/** What the command line may say about a working-memory file. */
import { isFields } from "../event/fields.ts";
import { parsed } from "../lens/fields.ts";
import { given } from "../options.ts";
import type { RoutingHint } from "../prompt/working-memory-sections.ts";
import { offsetOfZone } from "../prompt/working-memory-time.ts";
import type { AssembleOptions } from "../workspace/working-memory.ts";
import type { Options } from "./options.ts";
import { UsageError } from "./usage.ts";

export type AssembleSettings = Required<Pick<AssembleOptions, "ttlMinutes" | "utcOffsetHours">> &
  Pick<AssembleOptions, "tokensUnder" | "routingHint" | "actor" | "zoneName">;

/** Throws a UsageError. Gives the settings of the moment: the offset of a zone changes twice a year. */
export function assembleSettings(options: Options): () => AssembleSettings {
  const { ttlMinutes = 30, tokensUnder } = {
    ttlMinutes: above0(options, "ttl"),
    tokensUnder: above0(options, "tokens"),
  };
  const [routingHint, actor] = [routingOf(options), options.text("actor")];
  const fixed = {
    ttlMinutes,
    ...given({ tokensUnder, routingHint, actor }),
  };
  placeOf(options);
  return () => ({ ...fixed, ...placeOf(options) });
}

function above0(options: Options, name: string): number | undefined {
  const number = options.count(name);
  if (number === 0) throw new UsageError(`--${name} takes a whole number above 0, not 0`);
  return number;
}

function routingOf(options: Options): RoutingHint | undefined {
  const text = options.text("routing");
  if (text === undefined) return undefined;
  const hint = parsed(text);
  const names = ["contentSensitivity", "taskComplexity", "suggestedModel"];
  const isHint = ([name, value]: [string, unknown]) => names.includes(name) && typeof value === "string";
  if (isFields(hint) && Object.entries(hint).every(isHint)) return hint;
  throw new UsageError(
    `--routing takes a JSON object with ${names.join(", ")}, all texts, not ${JSON.stringify(text)}`,
  );
}

function placeOf(options: Options): { readonly utcOffsetHours: number; readonly zoneName?: string } {
  const zoneName = options.text("zone");
  const offset = options.text("utc-offset");
  const ofZone = zoneName === undefined ? undefined : offsetOfZone(zoneName, new Date());
  if (zoneName !== undefined && offset === undefined && ofZone === undefined)
    throw new UsageError(
      `--zone ${JSON.stringify(zoneName)} is not a time zone that this computer knows: use a name such as Australia/Sydney, or add --utc-offset`,
    );
  const utcOffsetHours = offset === undefined ? (ofZone ?? -new Date().getTimezoneOffset() / 60) : offsetOf(offset);
  return { utcOffsetHours, ...given({ zoneName }) };
}

function offsetOf(text: string): number {
  const hours = Number(text);
  if (text.trim() !== "" && Math.abs(hours) < 24) return hours;
  throw new UsageError(`--utc-offset takes hours, such as 11 or -3.5, not ${JSON.stringify(text)}`);
}
