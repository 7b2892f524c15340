/** This file reads what the first lines of a session's file say: whose session it is, and of which folder. */

import { createHash } from "node:crypto";
import path from "node:path";
import { type Fields, fields, isFields } from "../event/fields.ts";
import { parsed, text } from "../lens/fields.ts";
import { given } from "../options.ts";
import { atBeginning } from "../store/lens/beginning.ts";
import { openText } from "../store/lens/packed-bytes.ts";
import { SessionBytes } from "../store/session-file/session-bytes.ts";
import type { SessionFile } from "./session-files.ts";

export interface SessionHead {
  readonly session: string;
  readonly cwd?: string;
  /** This is the SHA-256 of the folder's path. Some clients keep it instead of the path. */
  readonly folderHash?: string;
  /** This is the id of the session whose subagent wrote the file. */
  readonly parent?: string;
}

const usualBytes = 16 * 1024;
/** The first line of Codex holds the instructions of the model. */
const longBytes = 128 * 1024;
const bytesMax = 1024 * 1024;

/**
 * The result is undefined if the first lines are no session's. If people may have given the file its name, `file.isRenamed`, only the
 * lines say whose it is.
 */
export function headOf(file: SessionFile): SessionHead | undefined {
  const bytes = openText(file.file);
  if (bytes === undefined) return undefined;
  try {
    const head = atBeginning(bytes, usualBytes, (beginning) => headIn(beginning, file));
    if (isWhole(head) || (bytes instanceof SessionBytes && file.size <= usualBytes)) return head;
    const longer = headIn(bytes.slice(0, longBytes), file) ?? head;
    return isWhole(longer) ? longer : (headIn(bytes.slice(0, bytesMax), file) ?? longer);
  } finally {
    bytes.close();
  }
}

/** The result is the id, if the name of the file holds the whole of it. */
export function idInName({
  client,
  file,
  isRenamed,
}: Pick<SessionFile, "client" | "file" | "isRenamed">): string | undefined {
  const name = path.basename(file).replace(/\.jsonl?(?:\.zst)?$/, "");
  // The lines of a subagent's file have the id of its parent.
  if (isRenamed === true && !name.startsWith("agent-")) return undefined;
  switch (client) {
    case "claude-code":
      return name.replace(/^agent-/, "");
    case "droid":
      return name;
    case "codex":
      return /^rollout-.*?-([0-9a-f]{8}-[0-9a-f-]{27})$/.exec(name)?.[1];
    case "pi":
      return /_([0-9a-f-]{8,36})$/.exec(name)?.[1];
    case "gemini-cli":
    case "opencode":
    case "session-journal":
      return undefined;
  }
}

export function folderHashOf(folder: string): string {
  return createHash("sha256").update(folder).digest("hex");
}

function isWhole(head: SessionHead | undefined): boolean {
  return head?.cwd !== undefined || head?.folderHash !== undefined;
}

function headIn(beginning: Buffer, file: SessionFile): SessionHead | undefined {
  const session = idInName(file);
  const parent = file.parent === undefined ? {} : { parent: file.parent };
  let head: SessionHead | undefined;
  // Mostly the first line says all: the others are not even cut.
  for (let from = 0, to = 0; to !== -1; from = to + 1) {
    to = beginning.indexOf(0x0a, from);
    const value = parsed(beginning.subarray(from, to === -1 ? beginning.length : to));
    const found = isFields(value) ? headAt(value, file) : undefined;
    if (found !== undefined) head = { ...found, ...head, ...(session === undefined ? {} : { session }), ...parent };
    if (isWhole(head)) return head;
  }
  return head ?? documentHead(beginning.toString("utf8"), file);
}

function headAt(line: Fields, { client, file }: SessionFile): SessionHead | undefined {
  switch (client) {
    case "claude-code":
      return claudeHead(line, path.basename(file).startsWith("agent-"));
    case "codex":
      return codexHead(line);
    case "gemini-cli":
      return named(text(line["sessionId"]), { folderHash: text(line["projectHash"]) });
    case "droid":
      return line["type"] === "session_start" ? named(text(line["id"]), { cwd: text(line["cwd"]) }) : undefined;
    case "pi":
    case "session-journal":
      return line["type"] === "session" ? named(text(line["id"]), { cwd: text(line["cwd"]) }) : undefined;
    case "opencode":
      return undefined;
  }
}

/** A session that was gone on with may begin with lines of another one: its file's name says which it is. */
function claudeHead(line: Fields, isAgent: boolean): SessionHead | undefined {
  const session = text(line["sessionId"]);
  return named(session, { cwd: text(line["cwd"]), ...(isAgent ? { parent: session } : {}) });
}

function codexHead(line: Fields): SessionHead | undefined {
  if (line["type"] !== "session_meta") {
    const isOldest = !("type" in line) && text(line["timestamp"]) !== undefined;
    return isOldest ? named(text(line["id"]), {}) : undefined;
  }
  const meta = fields(line["payload"]);
  const agent = fields(fields(meta["source"])["subagent"]);
  const spawned = text(fields(agent["thread_spawn"])["parent_thread_id"]);
  return named(text(meta["id"]), { cwd: text(meta["cwd"]), parent: text(meta["parent_thread_id"]) ?? spawned });
}

function named(
  session: string | undefined,
  { cwd, folderHash, parent }: { [Name in "cwd" | "folderHash" | "parent"]?: string | undefined },
): SessionHead | undefined {
  if (session === undefined) return undefined;
  return {
    session,
    ...given({ cwd, folderHash, parent }),
  };
}

/** The file is one JSON document, which does not end here. */
function documentHead(beginning: string, { client }: SessionFile): SessionHead | undefined {
  switch (client) {
    case "gemini-cli": {
      const [, session] = /^\s*\{\s*"sessionId":\s*"([^"\\]{1,128})"/.exec(beginning) ?? [];
      const [, folderHash] = /"projectHash":\s*"([^"\\]{1,128})"/.exec(beginning) ?? [];
      return named(session, { folderHash });
    }
    case "opencode": {
      // What stands behind is said of messages, which have parents, too.
      const [info = ""] = beginning.split('"messages":');
      const [, session] = /^\s*\{\s*"info":\s*\{\s*"id":\s*"([^"\\]{1,128})"/.exec(info) ?? [];
      const [, cwd] = /"directory":\s*("(?:[^"\\]|\\.){1,4096}")/.exec(info) ?? [];
      const [, parent] = /"parentID":\s*"([^"\\]{1,128})"/.exec(info) ?? [];
      return named(session, { cwd: text(parsed(cwd ?? "")), parent });
    }
    case "claude-code":
    case "codex":
    case "droid":
    case "pi":
    case "session-journal":
      return undefined;
  }
}
