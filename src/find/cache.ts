/**
 * What was read of sessions, so that a list need not read them again: a file in the user's cache folder, for that user
 * alone. Nothing hangs on it: one that is not there, or damaged, or of another version is as good as none.
 */
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { type Fields, isFields } from "../event/fields.ts";
import { makeFolders } from "../make-folders.ts";
import type { SessionHead } from "./heads.ts";
import type { SessionFile } from "./session-files.ts";
import type { FileSummary } from "./summary.ts";

/** Null: it was looked at, and is none. */
interface Known {
  readonly size: number;
  readonly mtimeMs: number;
  /** A time of change can be set back, this one cannot. */
  readonly ctimeMs: number;
  readonly ino: number;
  head?: SessionHead | null;
  summary?: FileSummary | null;
}

/** This counts the form of the file, and what is read out of a session. With another number, everything is read anew. */
const form = 5;
const ownerOnly = 0o600;
/** A file that was changed so recently may be changed again without a new time. */
const settledMs = 2000;

export class SessionCache {
  readonly #file: string | undefined;
  readonly #nowMs: number;
  readonly #known: Map<string, Known>;
  #isChanged = false;

  /** `file` is undefined if nothing is to be remembered. */
  constructor(file: string | undefined, nowMs: number) {
    this.#file = file;
    this.#nowMs = nowMs;
    this.#known = file === undefined ? new Map() : load(file);
  }

  /** Nothing is remembered if `read` throws: the same file may be readable at the next time. */
  head(file: SessionFile, read: () => SessionHead | undefined): SessionHead | undefined {
    const known = this.#entry(file);
    if (known.head === undefined) {
      known.head = read() ?? null;
      this.#isChanged = true;
    }
    return known.head ?? undefined;
  }

  /** Nothing is remembered if `read` rejects. */
  async summary(file: SessionFile, read: () => Promise<FileSummary | undefined>): Promise<FileSummary | undefined> {
    const known = this.#entry(file);
    if (known.summary === undefined) {
      known.summary = (await read()) ?? null;
      this.#isChanged = true;
    }
    return known.summary ?? undefined;
  }

  /** `isThere` says which of the files still exist. If saving fails, the file stays as it was. */
  save(isThere: (file: string) => boolean): void {
    if (this.#file === undefined || !this.#isChanged) return;
    const kept = [...this.#known].filter(([file, known]) => this.#isSettled(known) && isThere(file));
    const next = `${this.#file}.${randomUUID()}`;
    try {
      makeFolders(path.dirname(this.#file), 0o700);
      fs.writeFileSync(next, JSON.stringify({ form, files: Object.fromEntries(kept) }), {
        flag: "wx",
        mode: ownerOnly,
      });
      fs.renameSync(next, this.#file);
    } catch {
      fs.rm(next, { force: true }, () => undefined);
    }
  }

  #isSettled({ mtimeMs, ctimeMs }: Known): boolean {
    return Math.max(mtimeMs, ctimeMs) < this.#nowMs - settledMs;
  }

  #entry({ file, size, mtimeMs, ctimeMs, ino }: SessionFile): Known {
    const known = this.#known.get(file);
    const isSame = known?.size === size && known.mtimeMs === mtimeMs && known.ctimeMs === ctimeMs && known.ino === ino;
    if (isSame) return known;
    const fresh = { size, mtimeMs, ctimeMs, ino };
    this.#known.set(file, fresh);
    return fresh;
  }
}

function load(file: string): Map<string, Known> {
  try {
    const saved: unknown = JSON.parse(fs.readFileSync(file, "utf8"));
    if (!isFields(saved) || saved["form"] !== form || !isFields(saved["files"])) return new Map();
    return new Map(Object.entries(saved["files"]).filter((entry): entry is [string, Known] => isKnown(entry[1])));
  } catch {
    return new Map();
  }
}

function isKnown(value: unknown): boolean {
  if (!isFields(value) || !allOf("number", value, "size", "mtimeMs", "ctimeMs", "ino")) return false;
  const { head, summary } = value;
  return isAbsent(head) || isHead(head) ? isAbsent(summary) || isSummary(summary) : false;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isHead(value: unknown): boolean {
  return isFields(value) && allOf("string", value, "session") && maybe("string", value, "cwd", "folderHash", "parent");
}

function isSummary(value: unknown): boolean {
  if (!isFields(value) || !allOf("number", value, "version", "turns")) return false;
  const { progress, agents } = value;
  const isProgress =
    isFields(progress) && allOf("number", progress, "done", "total") && maybe("string", progress, "current");
  const areAgents =
    Array.isArray(agents) && agents.every((agent) => isSummary(agent) && allOf("string", agent, "session"));
  return (
    maybe("string", value, "firstMessage", "clientVersion") &&
    (progress === undefined || isProgress) &&
    (agents === undefined || areAgents)
  );
}

function allOf(type: "string" | "number", value: Fields, ...names: string[]): boolean {
  return names.every((name) => typeof value[name] === type);
}

function maybe(type: "string" | "number", value: Fields, ...names: string[]): boolean {
  return names.every((name) => value[name] === undefined || typeof value[name] === type);
}
