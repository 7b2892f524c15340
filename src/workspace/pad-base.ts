/**
 * What the files of a pad held when they were last in step with the journal. With it, a file that differs from its entry
 * tells who changed: a text that the entry has had since then is the journal's, any other one is a person's.
 */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { RecordedEvent, Version } from "../event/event.ts";
import { isFields } from "../event/fields.ts";
import { readVersion } from "../event/read.ts";
import { own } from "../state/own.ts";
import { writeWholeFile } from "./whole-file.ts";

export interface Base {
  /** The base belongs to this session. */
  readonly session: string;
  readonly version: Version;
  /** This has the SHA-256 of each file's text, by key. */
  readonly files: Readonly<Record<string, string>>;
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The base is empty if there is none, if it cannot be read, or if it belongs to another history. */
export function readBase(directory: string, session: string): Base {
  const none: Base = { session, version: 0, files: {} };
  try {
    if (isLinked(directory)) return none;
    const base: unknown = JSON.parse(fs.readFileSync(basePath(directory), "utf8"));
    return isBase(base) && base.session === session ? base : none;
  } catch {
    return none;
  }
}

/** Throws what the operating system does, and ELOOP where the folder for it is a link, which leads somewhere else. */
export async function writeBase(directory: string, base: Base): Promise<void> {
  const folder = sideFolder(directory);
  if (isLinked(directory)) throw Object.assign(new Error("a symbolic link"), { code: "ELOOP", path: folder });
  await writeWholeFile(basePath(directory), `${JSON.stringify(base)}\n`);
}

function sideFolder(directory: string): string {
  return path.join(directory, ".session-journal");
}

function basePath(directory: string): string {
  return path.join(sideFolder(directory), "pad.json");
}

function isLinked(directory: string): boolean {
  return fs.lstatSync(sideFolder(directory), { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function isBase(value: unknown): value is Base {
  if (!isFields(value)) return false;
  const { session, version, files } = value;
  return typeof session === "string" && readVersion(version) !== undefined && isFields(files);
}

/** This knows what each entry has been since the base: the digest of a text, or absent. */
export class Known {
  readonly #base: Base;
  readonly #texts = new Map<string, Set<string>>();
  readonly #absent = new Set<string>();
  #allAbsent = false;

  constructor(base: Base) {
    this.#base = base;
  }

  add({ event }: RecordedEvent): void {
    if (event.type === "entry.written") this.#addText(event.key, event.text);
    if (event.type === "entry.deleted") this.#absent.add(event.key);
    if (event.type === "state.restored" || event.type === "session.forked") {
      this.#allAbsent = true;
      for (const [key, text] of Object.entries(event.state.entries)) this.#addText(key, text);
    }
  }

  /** Whether the journal itself has put this text there, or left nothing there. */
  has(key: string, text: string | undefined): boolean {
    if (text === undefined) return !this.hadFile(key) || this.#allAbsent || this.#absent.has(key);
    const digest = digestOf(text);
    return this.digest(key) === digest || this.#texts.get(key)?.has(digest) === true;
  }

  hadFile(key: string): boolean {
    return this.digest(key) !== undefined;
  }

  digest(key: string): string | undefined {
    return own(this.#base.files, key);
  }

  #addText(key: string, text: string): void {
    const texts = this.#texts.get(key) ?? new Set<string>();
    this.#texts.set(key, texts.add(digestOf(text)));
  }
}
