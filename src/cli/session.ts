/** The journals that a verb works on, opened as the global options say. */
import type { Limits } from "../action/limits.ts";
import type { FoldPolicy } from "../event/commit.ts";
import type { Journal } from "../journal/journal.ts";
import { openJournal } from "../open.ts";
import type { OpenOptions } from "../open-options.ts";
import type { Options } from "./options.ts";
import { UsageError } from "./usage.ts";
import type { Call } from "./verb.ts";

/** Runs `task` and closes what it opened. */
export async function withJournals<Result>(
  where: string,
  options: Options,
  task: (open: Call["open"]) => Promise<Result>,
): Promise<Result> {
  const opened: Journal[] = [];
  try {
    return await task(async (access, other = where) => {
      const journal = await openJournal(other, {
        ...openOptions(options),
        readonly: access === "read",
        create: access === "create",
      });
      opened.push(journal);
      return journal;
    });
  } finally {
    for (const journal of opened) await journal.close();
  }
}

function openOptions(options: Options): OpenOptions {
  const actor = options.text("actor");
  const namespace = options.text("namespace");
  const fold = options.text("fold") as FoldPolicy | undefined;
  const limits = limitsOf(options);
  return {
    ...(actor === undefined ? {} : { actor }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(fold === undefined ? {} : { fold }),
    ...(limits === undefined ? {} : { limits }),
  };
}

/** As they were given: `parseLimits` checks them. */
export function limitsOf(options: Options): Partial<Limits> | undefined {
  const text = options.text("limits");
  if (text === undefined) return undefined;
  const limits = parseJson(text);
  if (typeof limits === "object" && limits !== null && !Array.isArray(limits)) return limits;
  throw new UsageError("--limits takes a JSON object, such as '{\"notes\":8000}'");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
