/** Keeps the files of a pad and the entries of its journal in step, both ways. */

import fs from "node:fs";
import path from "node:path";
import type { Action } from "../action/actions.ts";
import { decide } from "../action/decide.ts";
import { contentUnitsMax } from "../action/limits.ts";
import type { Measures } from "../action/measures.ts";
import { readKey } from "../action/parameters.ts";
import { isJournalError, StorageError } from "../errors.ts";
import type { Journal } from "../journal/public.ts";
import { given } from "../options.ts";
import { type Base, digestOf, Known, readBase, writeBase } from "./pad-base.ts";
import type { PadFinding, PadFindingCode } from "./pad-finding.ts";
import { extension, type Look, lookAround, lookAt, namingFinding, sameLook, unnamableKey } from "./pad-folder.ts";
import { writeWholeFile } from "./whole-file.ts";

/** Under this name what a person put into the folder stands in the history. */
const person = "human";

/** Others may write all the time; somebody who is always faster than this is a loop. */
const attemptsMax = 20;

/** A longer file holds more than one action can carry. A code unit takes three bytes of UTF-8 at the most. */
const fileBytesMax = contentUnitsMax * 3;

/** What to do about a file that differs from its entry. */
type Verdict = "same" | "take" | "delete-entry" | "write" | "remove-file";

/** Keeps other processes out of the folder for the time of a task, as well as a lock can. */
export type Guard = <Result>(task: () => Promise<Result>) => Promise<Result>;

interface MirrorParts {
  readonly guard: Guard;
  readonly measure: Measures | undefined;
}

export class PadMirror {
  readonly #directory: string;
  readonly #journal: Journal;
  readonly #parts: MirrorParts;

  constructor(directory: string, journal: Journal, parts: MirrorParts) {
    this.#directory = directory;
    this.#journal = journal;
    this.#parts = parts;
  }

  /** Reads the journal on, takes in what a person did, then writes what others did. */
  async sync(): Promise<readonly PadFinding[]> {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      try {
        const findings = await this.#parts.guard(() => this.#attempt());
        if (findings !== undefined) return findings;
      } catch (error) {
        if (!isJournalError(error, "version_conflict")) throw error;
      }
    }
    const file = this.#directory;
    throw new StorageError(`${file} changes faster than it can be read: try again`, "not-written", { file });
  }

  /**
   * The result is undefined if something changed meanwhile. Base, files and journal are read in this order: so a text that the journal had
   * before it came to its file is known when the file is judged.
   */
  async #attempt(): Promise<readonly PadFinding[] | undefined> {
    const journal = this.#journal;
    const session = await journal.sessionId();
    const read = readBase(this.#directory, session);
    const { looks, strays } = lookAround(this.#directory, fileBytesMax);
    await journal.refresh();
    const version = journal.version;
    const base = read.version <= version ? read : { session, version: 0, files: {} };
    const known = new Known(base);
    for await (const recorded of journal.history({ from: base.version })) known.add(recorded);
    const findings = new Map<string, PadFinding>(strays.map((finding) => [finding.file, finding]));
    for (const finding of this.#unnamable()) findings.set(`entry ${finding.key}`, finding);
    const keys = this.#usableKeys(looks, known, findings);
    const after = await this.#takeIn(keys, looks, known, version, findings);
    const files = await this.#writeOut(keys, looks, known, findings);
    if (files === undefined) return undefined;
    await this.#keepBase(base, { session, version: after, files }, findings);
    return [...findings.values()];
  }

  /** Entries whose keys no action takes: whoever may write the journal has put them there. They never become a path. */
  #unnamable(): PadFinding[] {
    return Object.keys(this.#journal.state.entries).flatMap((key) => {
      const reading = readKey(key, "key");
      return "problem" in reading ? [unnamableKey(this.#directory, key, reading.problem.message)] : [];
    });
  }

  /** Those that have a file, or should have one, and can. */
  #usableKeys(looks: ReadonlyMap<string, Look>, known: Known, findings: Map<string, PadFinding>): string[] {
    // @guard pad-key
    const keys = Object.keys(this.#journal.state.entries).filter((key) => !("problem" in readKey(key, "key")));
    const present = new Set([...looks.keys(), ...keys]);
    const usable: string[] = [];
    for (const key of present) {
      const look = looks.get(key);
      const finding =
        namingFinding(this.#directory, key, present, (other) => known.hadFile(other)) ??
        (look !== undefined && "problem" in look ? look.problem : undefined);
      if (finding === undefined) usable.push(key);
      else findings.set(finding.file, finding);
    }
    return usable.sort();
  }

  /** Answers the version afterwards. Throws VersionConflictError where the journal moved: the verdicts are old then. */
  async #takeIn(
    keys: readonly string[],
    looks: ReadonlyMap<string, Look>,
    known: Known,
    version: number,
    findings: Map<string, PadFinding>,
  ): Promise<number> {
    const { limits } = this.#journal;
    const { measure } = this.#parts;
    let expectedVersion = version;
    for (const key of keys) {
      const text = textOf(looks.get(key));
      const verdict = judge(key, text, this.#journal.entries.read(key), known);
      if (verdict !== "take" && verdict !== "delete-entry") continue;
      const action: Action =
        verdict === "take" && text !== undefined
          ? { action: "entries.write", key, content: text }
          : { action: "entries.delete", key };
      const at = new Date().toISOString();
      const { answer } = decide(this.#journal.state, action, { limits, ...given({ measure }), actor: person, at });
      if (answer.ok) {
        await this.#journal.apply(action, { actor: person, expectedVersion });
        expectedVersion += 1;
      } else {
        // Not offered to the journal, which would record the same refusal at each reading: the file is there as evidence.
        const file = this.#fileOf(key);
        findings.set(file, { file, key, code: answer.code as PadFindingCode, message: answer.message });
      }
    }
    return expectedVersion;
  }

  /** Answers what the files hold now; undefined where a file or the journal changed since they were read. */
  async #writeOut(
    keys: readonly string[],
    looks: ReadonlyMap<string, Look>,
    known: Known,
    findings: Map<string, PadFinding>,
  ): Promise<Base["files"] | undefined> {
    const files: Record<string, string> = {};
    for (const key of keys) {
      const file = this.#fileOf(key);
      const entry = this.#journal.entries.read(key);
      const outcome = findings.get(file) ?? (await this.#carryOut(key, looks.get(key), entry, known));
      if (outcome === "changed") return undefined;
      if (outcome !== "done") findings.set(file, outcome);
      const digest = outcome === "done" ? (entry === undefined ? undefined : digestOf(entry)) : known.digest(key);
      if (digest !== undefined) files[key] = digest;
    }
    return files;
  }

  async #carryOut(
    key: string,
    look: Look,
    entry: string | undefined,
    known: Known,
  ): Promise<"done" | "changed" | PadFinding> {
    const file = this.#fileOf(key);
    const unchanged = () => sameLook(lookAt(this.#directory, key, fileBytesMax), look);
    try {
      switch (judge(key, textOf(look), entry, known)) {
        case "same":
          return "done";
        case "take":
        case "delete-entry":
          return "changed";
        case "write":
          return (await writeWholeFile(file, entry ?? "", { mayReplace: unchanged })) ? "done" : "changed";
        case "remove-file":
          if (!unchanged()) return "changed";
          fs.rmSync(file);
          return "done";
      }
    } catch (error) {
      const message = `cannot be written (${(error as NodeJS.ErrnoException).code}): check permissions and space`;
      return { file, key, code: "unwritable", message };
    }
  }

  async #keepBase(before: Base, base: Base, findings: Map<string, PadFinding>): Promise<void> {
    if (JSON.stringify(before) === JSON.stringify(base)) return;
    try {
      await writeBase(this.#directory, base);
    } catch (error) {
      const { code, path: file = this.#directory } = error as NodeJS.ErrnoException;
      const advice = code === "ELOOP" ? "remove the symbolic link" : "check permissions";
      findings.set(file, { file, code: "unwritable", message: `cannot be written (${code}): ${advice}` });
    }
  }

  #fileOf(key: string): string {
    return path.join(this.#directory, key + extension);
  }
}

/** Where both changed, the person's text stands, because it is nowhere else; what the journal had is in its history. */
function judge(key: string, text: string | undefined, entry: string | undefined, known: Known): Verdict {
  if (text === entry) return "same";
  if (known.has(key, text)) return entry === undefined ? "remove-file" : "write";
  if (text !== undefined) return "take";
  // A file that was removed while its entry changed comes back: removing it carried no text that could be lost.
  return entry !== undefined && known.digest(key) === digestOf(entry) ? "delete-entry" : "write";
}

function textOf(look: Look): string | undefined {
  return look !== undefined && "text" in look ? look.text : undefined;
}
