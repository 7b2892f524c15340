/** Assembles the working-memory file of a workspace from what its providers know, and reads it. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { readName } from "../action/parameters.ts";
import { checkedMeasure, fourUnits, type Measure } from "../action/text.ts";
import { StorageError } from "../errors.ts";
import type { Journal } from "../journal/public.ts";
import { given } from "../options.ts";
import {
  isWorkingMemory,
  type MissingSection,
  parseWorkingMemory,
  renderWorkingMemory,
} from "../prompt/working-memory.ts";
import { readMessages } from "../prompt/working-memory-messages.ts";
import { localTime } from "../prompt/working-memory-time.ts";
import { requireAssembleOptions } from "./assemble-check.ts";
import { builtInProviders, type Sources } from "./built-in.ts";
import { othersSections, withOthers } from "./others-sections.ts";
import { type Provider, runProviders } from "./providers.ts";
import { recordSections } from "./record-sections.ts";
import { beginningOf, notWritten, writeWholeFile } from "./whole-file.ts";

/** Under this name the assembler signs what it records. */
export const assemblerName = "assembler";

/** This is what the assembler needs of a journal. */
export type WorkingMemoryJournal = Pick<Journal, "state" | "version" | "turn" | "refresh" | "history" | "applyAll">;

/** These are the options of {@link assembleWorkingMemory}. */
export interface AssembleOptions extends Sources {
  readonly journal: WorkingMemoryJournal;
  /**
   * This is where the text goes, such as `SCRATCHPAD.md`; an older one there is replaced, but no file of another kind. Without
   * it, the text is only returned.
   */
  readonly file?: string;
  /** These are recent messages, oldest first: `{ role, content, timestamp? }`, or lines of a session file. */
  readonly messages?: readonly unknown[];
  /** These are used in addition to those built in, or in their place if they have the same name. */
  readonly providers?: readonly Provider[];
  /** The default is the clock of the computer. */
  readonly clock?: () => Date;
  /** This is the user's offset from UTC in hours, such as 11 or -3.5. The default is 0. */
  readonly utcOffsetHours?: number;
  /** The file is valid for this time. The default is 30. */
  readonly ttlMinutes?: number;
  /** The file has fewer tokens than this. The default is 500. */
  readonly tokensUnder?: number;
  /** This counts tokens. The default is a quarter of the length, rounded up. */
  readonly measure?: Measure;
  /** This is how long each provider may take. The default is 5000. */
  readonly providerMs?: number;
  /** This is how long all of them together may take. The default is 30,000. */
  readonly totalMs?: number;
  /** The recorded sections are signed with this name. The default is "assembler". */
  readonly actor?: string;
}

/** This is the result of {@link assembleWorkingMemory}. */
export interface WorkingMemory {
  readonly text: string;
  readonly tokens: number;
  /** This is an ISO time with the offset. */
  readonly updated: string;
  /** Names of the sections in the text, in its order. */
  readonly sections: readonly string[];
  /** Names of those that stand in the text with a part of theirs only. */
  readonly shortened: readonly string[];
  /** Names of those that were dropped to keep it short. */
  readonly leftOut: readonly string[];
  /** These are the sections whose provider failed or was too slow. */
  readonly missing: readonly MissingSection[];
}

/**
 * Runs the providers, adds the sections that others wrote into the journal, writes the file as a whole or not at all, and
 * records each section of its own that changed as an event.
 *
 * @param options The journal, the file, and where the sections come from.
 * @throws TypeError for a wrong option, what `journal.applyAll` throws, and StorageError if the file cannot be written or is
 * another's.
 * @example
 * const { text } = await assembleWorkingMemory({ journal, file: "SCRATCHPAD.md" });
 */
export async function assembleWorkingMemory(options: AssembleOptions): Promise<WorkingMemory> {
  requireAssembleOptions(options);
  const { journal, file, clock = () => new Date(), utcOffsetHours = 0, ttlMinutes = 30, tokensUnder = 500 } = options;
  const { providerMs = 5000, totalMs = 30_000, messages = [] } = options;
  const measure = checkedMeasure(options.measure ?? fourUnits, "measure");
  for (const [name, value] of Object.entries({ ttlMinutes, tokensUnder, providerMs, totalMs })) mustCount(name, value);
  const now = clock();
  const { iso: updated } = localTime(now, utcOffsetHours);
  const workspace = options.workspace ?? (file === undefined ? undefined : path.dirname(file));
  const sources = { ...options, ...given({ workspace }) };
  const providers = withOwn(builtInProviders(sources), options.providers ?? []);
  if (file !== undefined) await requireOurs(file);
  await journal.refresh();
  const input = { now, utcOffsetHours, messages: readMessages(messages), journal };
  const provided = await runProviders(providers, input, { providerMs, totalMs });
  const priorities = new Map(providers.map(({ name, priority }) => [name, priority]));
  const { actor = assemblerName } = options;
  const assembler = { now, providers: priorities, actors: [actor, assemblerName] };
  const others = await othersSections(journal, assembler, new Set(provided.sections.map(({ name }) => name)));
  const { rendered, missing } = await recordSections({
    journal,
    own: [...priorities.keys()].filter((name) => !others.names.has(name)),
    now,
    ttlMinutes,
    actor,
    sections: withOthers(provided.sections, others.shown),
    missing: provided.missing,
    render: (sections, missing) =>
      renderWorkingMemory({ now, utcOffsetHours, ttlMinutes, tokensUnder, measure, sections, missing }),
  });
  if (file !== undefined) await put(file, rendered.text);
  return {
    text: rendered.text,
    tokens: measure(rendered.text),
    updated,
    sections: rendered.sections.map(({ name }) => name),
    shortened: rendered.sections.flatMap(({ name, shortened }) => (shortened === undefined ? [] : [name])),
    leftOut: rendered.leftOut,
    missing,
  };
}

/** Before anything is recorded: a slip of the keyboard must not cost what lies there. */
async function requireOurs(file: string): Promise<void> {
  const found = await beginningOf(file).catch((cause: unknown) => {
    throw notWritten(file, cause);
  });
  // Some editors put a byte order mark before it.
  const beginning = found?.replace(/^\ufeff/, "");
  if (beginning === undefined || beginning.trim() === "" || isWorkingMemory(beginning)) return;
  const message = `${file} is not a working-memory file: name another file, or move it away`;
  throw new StorageError(message, "not-written", { file });
}

async function put(file: string, text: string): Promise<void> {
  try {
    await writeWholeFile(file, text);
  } catch (cause) {
    throw notWritten(file, cause);
  }
}

/** This is a working-memory file as it was read. */
export interface WorkingMemoryFile {
  /** Older than it says it holds, or it does not say. */
  readonly stale: boolean;
  /** This is an ISO time with its offset. */
  readonly updated?: string;
  readonly ttlMinutes?: number;
  /** This has the text of each section, by name. */
  readonly sections: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Reads a working-memory file, and says whether it is stale. The result is undefined if there is no such file.
 *
 * @param file The path of the file.
 * @param options The clock that says whether the file is stale.
 * @throws StorageError if the file cannot be read.
 * @example
 * const memory = await readWorkingMemory("SCRATCHPAD.md");
 */
export async function readWorkingMemory(
  file: string,
  { clock = () => new Date() }: { readonly clock?: () => Date } = {},
): Promise<WorkingMemoryFile | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    const message = `cannot read ${file} (${error.code}): check that it is a file, and its permissions`;
    throw new StorageError(message, "not-written", { file }, error);
  });
  if (text === undefined) return undefined;
  const memory = parseWorkingMemory(text);
  const { updated, ttlMinutes } = memory;
  const isFresh =
    updated !== undefined && ttlMinutes !== undefined && clock().getTime() - Date.parse(updated) <= ttlMinutes * 60_000;
  return { stale: !isFresh, ...memory, text };
}

/** Throws a TypeError for a name that cannot be a heading, or that two have. */
function withOwn(builtIn: readonly Provider[], own: readonly Provider[]): Provider[] {
  const byName = new Map(builtIn.map((provider) => [provider.name, provider]));
  const seen = new Set<string>();
  for (const provider of own) {
    const reading = readName(provider.name, "name of a provider");
    if ("problem" in reading) throw new TypeError(reading.problem.message);
    if (seen.has(provider.name)) throw new TypeError(`two providers are named ${JSON.stringify(provider.name)}`);
    if (!Number.isFinite(provider.priority)) throw new TypeError(`the priority of ${provider.name} must be a number`);
    byName.set(provider.name, provider);
    seen.add(provider.name);
  }
  return [...byName.values()];
}

function mustCount(name: string, value: number): void {
  if (!(Number.isFinite(value) && value > 0)) throw new TypeError(`${name} must be a number above 0`);
}
