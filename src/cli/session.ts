/** The journals that a verb works on, opened as the global options say. */

import { existsSync } from "node:fs";
import path from "node:path";
import type { Limits } from "../action/limits.ts";
import { withoutPassword } from "../errors.ts";
import type { FoldPolicy } from "../event/commit.ts";
import { isFields } from "../event/fields.ts";
import type { Journal } from "../journal/public.ts";
import { parsed } from "../lens/fields.ts";
import { lineNames } from "../line/format.ts";
import { parseAddress } from "../open/addresses.ts";
import { openJournal, openToLookBack, openToVerify } from "../open/open-journal.ts";
import type { OpenOptions } from "../open/open-options.ts";
import { given } from "../options.ts";
import { memoryStore } from "../store/memory.ts";
import type { Options } from "./options.ts";
import type { Environment } from "./output.ts";
import { keyBytesAt } from "./read-file.ts";
import { UsageError } from "./usage.ts";
import type { Access, Call } from "./verb.ts";
import { placeNamed } from "./where.ts";

/** Runs `task` and closes what it opened. `warn` is handed a line for each journal that is damaged and was read. */
export async function withJournals<Result>(
  where: string,
  options: Options,
  env: Environment,
  warn: (line: string) => void,
  task: (open: Call["open"]) => Promise<Result>,
): Promise<Result> {
  const opened: Journal[] = [];
  const read = new Map<Journal, string>();
  const warnOfDamage = (): void => {
    for (const [journal, place] of read) {
      if (!journal.isDamaged) continue;
      read.delete(journal);
      warn(damageIn(place));
    }
  };
  try {
    const done = await task(async (access, named = where, ofVerb = {}) => {
      const other = await placeNamed(named, access, env, warn);
      const seal = await sealOf(options, env);
      const isUnmade = access === "preview" && isUnmadeFile(other);
      const journal = isUnmade
        ? await openUnmade({ ...ofVerb, ...optionsOfAnyStore(options) }, options.text("namespace"))
        : await openerFor(access)(other, {
            ...ofVerb,
            ...openOptions(options),
            ...given({ seal }),
            readonly: isReading(access),
            create: ["create", "serve"].includes(access),
          });
      opened.push(journal);
      if (seal !== undefined && !isUnmade) await requireOwnSeal(journal, other, access);
      if (!isChecking(access)) read.set(journal, other);
      // What fails to write says itself what is wrong with the journal.
      if (isReading(access) || access === "serve") warnOfDamage();
      return journal;
    });
    warnOfDamage();
    return done;
  } finally {
    for (const journal of opened) await journal.close();
  }
}

function openUnmade(options: OpenOptions, namespace: string | undefined): Promise<Journal> {
  // A wrong one is told now, and not once there is a file.
  lineNames(namespace);
  return openJournal(memoryStore(), options);
}

function openerFor(access: Access): (where: string, options: OpenOptions) => Promise<Journal> {
  if (access === "verify" || access === "page") return openToVerify;
  return isReading(access) ? openToLookBack : openJournal;
}

function isReading(access: Access): boolean {
  return !["write", "create", "serve"].includes(access);
}

/** Damage is what it looks for, and not worth a warning. */
function isChecking(access: Access): boolean {
  return access === "check" || access === "verify";
}

/** The result is one line for standard error. */
export function damageIn(where: string): string {
  const shown = withoutPassword(where);
  const quoted = /^[\w./:@#-]+$/.test(shown) ? shown : JSON.stringify(shown);
  return `${shown} is damaged: what cannot be read is left out; session-journal verify ${quoted} lists it, doctor says what to do`;
}

/** Under a key that is not its own, a journal reads as one in which nothing was ever written. */
async function requireOwnSeal(journal: Journal, where: string, access: Access): Promise<void> {
  if (isChecking(access)) return;
  for await (const { origin } of journal.history()) if (origin === "journal") return;
  const { findings } = await journal.verify();
  if (!findings.some(({ kind }) => kind === "hash")) return;
  throw new UsageError(
    `${withoutPassword(where)} was not written with this seal: pass its own key by --seal-file FILE, or no key if it has none (verify lists what does not fit)`,
  );
}

function openOptions(options: Options): OpenOptions {
  return { ...optionsOfAnyStore(options), ...optionsOfFile(options) };
}

function optionsOfFile(options: Options): Pick<ReadOptions, "namespace" | "fold"> {
  const fold = options.text("fold") as FoldPolicy | undefined;
  return given({ namespace: options.text("namespace"), fold });
}

/** What is written in a session file is found and read by these. */
export type ReadOptions = Pick<OpenOptions, "namespace" | "fold" | "seal">;

export async function readOptions(options: Options, env: Environment): Promise<ReadOptions> {
  return { ...optionsOfFile(options), ...given({ seal: await sealOf(options, env) }) };
}

function optionsOfAnyStore(options: Options): OpenOptions {
  return given({ actor: options.text("actor"), limits: limitsOf(options) });
}

/** A file that could be made: nothing is there, but its folder. */
export function isUnmadeFile(where: string): boolean {
  const address = parseAddress(where);
  return address.kind === "file" && !existsSync(address.path) && existsSync(path.dirname(address.path));
}

/**
 * The key of a sealed journal, from a file alone: words of a command line and the environment are shown to others by
 * the system.
 */
export async function sealOf(options: Options, env: Environment): Promise<Uint8Array | undefined> {
  const file = options.text("seal-file") ?? env["SESSION_JOURNAL_SEAL_FILE"];
  if (file === undefined || file === "") return undefined;
  return keyBytesAt(file, "the seal's key", "after --seal-file or in SESSION_JOURNAL_SEAL_FILE");
}

/** The limits are as they were given: `parseLimits` checks them. */
export function limitsOf(options: Options): Partial<Limits> | undefined {
  const text = options.text("limits");
  if (text === undefined) return undefined;
  const limits = parsed(text);
  if (isFields(limits)) return limits;
  throw new UsageError("--limits takes a JSON object, such as '{\"notes\":8000}'");
}
