/** The options that all backends which keep records have. */
import { flag, given, type OptionParsers, parseRequired } from "../../options.ts";
import { type StreamOptions, streamParsers } from "../../stream/stream-store.ts";
import type { SessionFileOptions } from "../session-file/session-file-options.ts";
import { keptId } from "../session-id.ts";

export interface RecordOptions extends Omit<StreamOptions, "fold"> {
  /** This is the session's id. */
  readonly session: string;
  /** With true, the place is made if there is none, and the session is begun. The default is true. */
  readonly create?: boolean | undefined;
}

export const recordParsers: OptionParsers<RecordOptions> = {
  session: keptId,
  ...streamParsers,
  create: flag,
};

/** Other backends have these options of a session file, too. */
export function sharedOptions({ seal, strict, readonly, create }: SessionFileOptions): Omit<RecordOptions, "session"> {
  return given({ seal, strict, readonly, create });
}

/** The names are those that databases use. */
export function databaseOptions({ durability, ...options }: SessionFileOptions) {
  const synchronous = durability === "os" ? ("normal" as const) : undefined;
  return given({ ...sharedOptions(options), synchronous });
}

/** `usage`: said to who gives no options. Throws a TypeError that names the option. */
export function parseRecordOptions<Options extends RecordOptions, Required extends keyof Options & string>(
  options: unknown,
  parsers: OptionParsers<Options>,
  required: readonly Required[],
  usage: string,
) {
  if (typeof options !== "object" || options === null) throw new TypeError(usage);
  return parseRequired(options, parsers, required);
}
