/**
 * This file says how a session is written. A session file is the host's: one JSON object a line, a header first, then entries
 * that form a tree by `parentId`. We add lines and never change one. `docs/format.md` states the whole format; in short:
 *
 * - A COMMIT line carries the events of one flush, numbered and chained by hash.
 * - A VALUE line carries a space's whole value, as runtimes before us wrote it. With a field `mirror` it is ours, a copy
 *   for those runtimes and never an event. Without, another runtime wrote it, and it is an event.
 * - A MARK line carries nothing: it only gives the file a last entry whose parent is right.
 * - Every other line is the HOST's.
 *
 * A commit counts if and only if (see acceptance.ts)
 * 1. its hash is right, and
 * 2. no accepted commit has its id, and no event of one has one of its commands, and
 * 3. its base (its version minus the number of its events) is not below the version reached so far.
 */
import type { CommitData } from "../event/commit.ts";

/** This is one of the three mirrored spaces. */
export type MirroredSpace = "notes" | "plan" | "refs";

/** Each custom type carries something else. */
export interface LineNames {
  readonly namespace: string;
  readonly events: string;
  readonly mark: string;
  readonly legacy: string;
  readonly notes: string;
  readonly plan: string;
  readonly refs: string;
}

const defaultNamespace = "openclaw:scratchpad";

const namespacePattern = /^[A-Za-z][A-Za-z0-9._:-]{0,63}$/;

/** Namespaces are plain ASCII, so that every JSON printer writes them alike and a scan for their bytes finds them. */
export function lineNames(namespace: string = defaultNamespace): LineNames {
  if (namespace !== defaultNamespace && !namespacePattern.test(namespace)) {
    throw new TypeError(`namespace ${JSON.stringify(namespace)}: use a letter, then up to 63 of A-Z a-z 0-9 . _ : -`);
  }
  return {
    namespace,
    events: `${namespace}:events`,
    mark: `${namespace}:mark`,
    legacy: namespace,
    notes: `${namespace}:notes`,
    plan: `${namespace}:plan`,
    refs: `${namespace}:refs`,
  };
}

/** The result has the names of the journal whose commits have this custom type. It is undefined if no commits can have it. */
export function namesOfCommits(customType: string): LineNames | undefined {
  const namespace = customType.endsWith(":events") ? customType.slice(0, -":events".length) : "";
  return namespacePattern.test(namespace) ? lineNames(namespace) : undefined;
}

/** This is the key of a value line: a space, or the old single key. */
export type ValueKey = MirroredSpace | "legacy";

/** This is what an entry line says of its place in the tree. `id` and `parentId` are undefined where the line has none. */
export interface Entry {
  readonly id: string | undefined;
  readonly parentId: string | null | undefined;
  readonly timestamp: string | undefined;
}

/** This is a decoded line with one of our custom types. */
export type JournalLine =
  | { readonly kind: "commit"; readonly entry: Entry; readonly data: CommitData }
  | {
      readonly kind: "value";
      readonly entry: Entry;
      readonly key: ValueKey;
      readonly data: unknown;
      readonly mirror?: unknown;
      /** This is how many bytes the line has, where its data is nested too deeply to be told. */
      readonly unreadBytes?: number | undefined;
    }
  | { readonly kind: "mark"; readonly entry: Entry; readonly mirror: unknown }
  /**
   * This is a line under one of our names that counts for nobody. With `broken`, it is no JSON object, and only its bytes claim the name.
   */
  | { readonly kind: "damaged"; readonly entry: Entry; readonly reason: string; readonly broken: boolean };

/** This is what a line of a session file is. The one function that says so is `classify`. */
export type SessionLine =
  | JournalLine
  | HostLine
  /** The line is not one JSON object, or it is empty. It begins no turn, and nothing can hang on it. */
  | { readonly kind: "broken"; readonly isBlank: boolean };

/** This is a line of the host. */
export interface HostLine {
  readonly kind: "host";
  readonly entry: Entry;
  readonly type: string | undefined;
  readonly customType: string | undefined;
  /** This is `message.role`. */
  readonly role: string | undefined;
  /** These are all its fields. They are absent if the line is too long to be held in memory. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** With true, it has a message, fields that say where it stands, and no others. */
  readonly isPlain?: true;
}

/** A turn of the host's begins where the user speaks. */
export function beginsTurn(line: SessionLine): boolean {
  return line.kind === "host" && line.type === "message" && line.role === "user";
}

/** A copy wrote it in place of what the user said. */
export function isCopiedTurn(line: SessionLine): boolean {
  return beginsTurn(line) && line.kind === "host" && line.isPlain !== true && line.fields?.["copied"] === true;
}

/**
 * For an entry `leaf`, with which OpenClaw says from where its conversation goes on, the result is that entry, or null for the
 * root. For other lines it is undefined.
 */
export function leafTarget(line: SessionLine): string | null | undefined {
  if (line.kind !== "host" || line.type !== "leaf") return undefined;
  const target = line.fields?.["targetId"];
  return typeof target === "string" || target === null ? target : undefined;
}

/** The result says where a line hangs in the tree of entries. What is broken hangs nowhere. */
export function entryOf(line: SessionLine): Entry {
  return line.kind === "broken" ? noEntry : line.entry;
}

export const noEntry: Entry = { id: undefined, parentId: undefined, timestamp: undefined };

/** This is the size of a commit line in bytes, including its line feed. */
export const commitLineBytesMax = 1 << 20;

/** A longer line is never read whole: it is counted and reported. */
export const lineBytesMax = 32 << 20;

/** Older runtimes read these values. */
export interface MirroredValues {
  readonly notes: string;
  readonly plan: string;
  readonly refs: readonly string[];
}

export function isOurs(line: SessionLine): boolean {
  switch (line.kind) {
    case "commit":
    case "damaged":
    case "mark":
      return true;
    case "value":
      return line.mirror !== undefined;
    case "host":
    case "broken":
      return false;
  }
}
