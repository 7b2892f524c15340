/** Those of a session file's options that other backends have, too. */
import type { SessionFileOptions } from "./session-file/session-file-options.ts";

export function sharedOptions({ seal, strict, readonly, create }: SessionFileOptions) {
  return {
    ...(seal === undefined ? {} : { seal }),
    ...(strict === undefined ? {} : { strict }),
    ...(readonly === undefined ? {} : { readonly }),
    ...(create === undefined ? {} : { create }),
  };
}

/** As databases call them. */
export function databaseOptions(options: SessionFileOptions) {
  return { ...sharedOptions(options), ...(options.durability === "os" ? { synchronous: "normal" as const } : {}) };
}
