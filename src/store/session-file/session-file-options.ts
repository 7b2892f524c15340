/** How a journal is kept in a session file. */
import type { FoldPolicy } from "../../event/commit.ts";
import type { SealKey } from "../../line/chain.ts";
import type { MirrorMode } from "../../line/legacy.ts";
import {
  clock,
  flag,
  milliseconds,
  type OptionParsers,
  oneOf,
  parseOptions,
  sealKey,
  sessionId,
  text,
  texts,
} from "../../options.ts";
import type { Durability } from "./appender.ts";
import type { LockOptions } from "./lock.ts";

export interface SessionFileOptions {
  /** This is the prefix of the custom types. The default is "openclaw:scratchpad". */
  readonly namespace?: string;
  /** This says which lines are folded; absent: as the journal itself says, "file" for a new one. */
  readonly fold?: FoldPolicy;
  /** This says which values are repeated for older runtimes. The default is true. */
  readonly mirror?: MirrorMode;
  /** "fsync": acknowledged is on disk. "os": acknowledged is with the operating system. */
  readonly durability?: Durability;
  readonly lock?: Partial<LockOptions>;
  /** This is the key that seals the hash chain. */
  readonly seal?: SealKey;
  readonly readonly?: boolean;
  /** With true, the file is made if there is none, with a valid session header. The default is true. */
  readonly create?: boolean;
  /** A gap or a damaged line of ours throws {@link CorruptEntryError}. */
  readonly strict?: boolean;
  /** This goes into the header of a created file. The default is the working directory of this process. */
  readonly cwd?: string;
  /** This goes into the header of a created file. The default is a new UUID. */
  readonly sessionId?: string;
  /** This goes into the header of a created file: the session that it comes from. */
  readonly parentSession?: string;
  readonly clock?: () => Date;
  /**
   * These globs name files of another client's session whose edits are read, besides the usual ones for plans and memory. A glob
   * that begins with `!` takes files away.
   */
  readonly files?: readonly string[];
}

export const defaultLock: LockOptions = { mode: "always", waitMs: 250, staleMs: 5000, required: false };

/** A session in a live host has these options, too. */
export const hostSessionParsers = {
  namespace: text,
  fold: oneOf("file", "branch"),
  mirror: oneOf(true, false, "single-key"),
  durability: oneOf("fsync", "os"),
  lock: (value, name) =>
    parseOptions<LockOptions>(
      value,
      { mode: oneOf("always", "off"), waitMs: milliseconds, staleMs: milliseconds, required: flag },
      `${name}.`,
    ),
  seal: sealKey,
  readonly: flag,
  strict: flag,
  clock,
} satisfies Partial<OptionParsers<SessionFileOptions>>;

export const sessionFileParsers: OptionParsers<SessionFileOptions> = {
  ...hostSessionParsers,
  create: flag,
  cwd: text,
  sessionId,
  parentSession: text,
  files: texts,
};
