import { lstat, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { makeFolders } from "../../make-folders.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";
import { manifestUrl } from "../version.ts";
import { shellWord } from "../words.ts";

interface Example {
  /** The path starts at the root of the package, which publishes the file. */
  readonly source: string;
  readonly about: string;
}

/** The documents use these names. */
const examples: Readonly<Record<string, Example>> = {
  "session.jsonl": {
    source: "fixtures/sessions/pi-0.73.1.jsonl",
    about: "a session of pi, with a compaction and a rewind",
  },
  "claude-code.jsonl": {
    source: "fixtures/sessions/claude-code/2.1.39-tasks-compaction.jsonl",
    about: "a session of Claude Code, whose fifth task was lost",
  },
  "subagent.jsonl": {
    source: "fixtures/sessions/claude-code/2.1.330-tasks-compaction-subagent.jsonl",
    about: "a session of Claude Code with a subagent, and with edits of CLAUDE.md",
  },
  "plan-mode.jsonl": {
    source: "fixtures/sessions/claude-code/2.1.330-plan-mode-refused-approved.jsonl",
    about: "a session of Claude Code in plan mode",
  },
  "journal.jsonl": { source: "fixtures/journals/0.1.0/child.jsonl", about: "a journal of session-journal" },
  "contest.jsonl": {
    source: "fixtures/journals/0.1.0/contest.jsonl",
    about: "a journal to which two programs wrote at once",
  },
};

export const demo: Verb = {
  about: "bring the sessions that the documentation uses as examples",
  endsByItself: true,
  where: "folder",
  isWhereOptional: true,
  notes: [
    "Without a folder, they go into the current one. If the folder does not exist, it is created.",
    "If one of the files exists already, nothing is written.",
  ],
  example: "session-journal demo examples",
  async run({ where: folder, options, output }) {
    const texts = await Promise.all(
      Object.entries(examples).map(async ([name, { source }]) => [name, await shipped(source)] as const),
    );
    await bring(texts, folder);
    const at = (name: string) => path.join(folder, name);
    if (options.flag("json")) {
      for (const [name, { about }] of Object.entries(examples)) output.json({ file: at(name), about });
      return 0;
    }
    output.table(
      Object.entries(examples).map(([name, { about }]) => [at(name), about]),
      "wrapped",
    );
    output.line();
    output.line("Look at one:");
    output.line(`  session-journal log ${shellWord(at("session.jsonl"))}`);
    output.line(`  session-journal lost ${shellWord(at("claude-code.jsonl"))}`);
    output.line(`Go on with ${fileURLToPath(new URL("docs/auditing.md", manifestUrl()))}`);
    return 0;
  },
};

async function shipped(source: string): Promise<Buffer> {
  return readFile(new URL(source, manifestUrl())).catch(() => {
    throw new UsageError(
      `${source} is missing from this installation: install the package with npm install session-journal`,
    );
  });
}

/** All of them are written, or none: what a reader of the documents meets is what the documents show. */
async function bring(texts: readonly (readonly [string, Buffer])[], folder: string): Promise<void> {
  makeFolders(folder || ".");
  for (const [name] of texts) await mustBeFree(path.join(folder, name));
  const brought: string[] = [];
  for (const [name, text] of texts) {
    const file = path.join(folder, name);
    await writeFile(file, text, { flag: "wx" }).catch(async (error: NodeJS.ErrnoException) => {
      const ours = error.code === "EEXIST" ? brought : [...brought, file];
      for (const each of ours) await rm(each, { force: true });
      return unwritable(file)(error);
    });
    brought.push(file);
  }
}

async function mustBeFree(file: string): Promise<void> {
  const isThere = await lstat(file).then(
    () => true,
    () => false,
  );
  if (isThere)
    throw new UsageError(`${file} exists already: name another folder, such as session-journal demo examples`);
}

function unwritable(place: string): (error: NodeJS.ErrnoException) => never {
  return ({ code }) => {
    const isFull = code !== undefined && ["ENOSPC", "EDQUOT", "EFBIG"].includes(code);
    const advice = isFull ? "free some space, or name a folder on another disk" : "name a folder that you may write to";
    throw new UsageError(`cannot write ${place || "."} (${code}): ${advice}`);
  };
}
