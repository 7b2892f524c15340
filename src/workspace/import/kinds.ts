/** This file turns what other tools keep as memory into actions on a scratchpad. It is pure; what cannot be taken whole is an error. */
import { planSteps } from "../../audit/steps.ts";
import type { MemoryAction } from "../../journal/imported.ts";
import { isWorkingMemory } from "../../prompt/working-memory.ts";
import { keyOfPath } from "../../tool/memory-paths.ts";
import { lettaBlocks } from "./letta.ts";
import { MemoryMismatch } from "./mismatch.ts";
import { serverMemory } from "./server-memory.ts";

/** A file, under its path in the folder that is read, or under its name. */
export interface MemoryText {
  readonly name: string;
  readonly text: string;
}

/** This names the format in which a memory is read. */
export type MemoryKind = "memory-tool" | "server-memory" | "scratchpad" | "letta" | "todo.txt" | "tasks";

interface Kind {
  /** This describes the kind in a line of help. */
  readonly about: string;
  /** It is a folder of files. */
  readonly isFolder?: true;
  /** Throws a {@link MemoryMismatch}. */
  readonly actionsOf: (files: readonly MemoryText[]) => readonly MemoryAction[];
}

export const memoryKinds: { readonly [Name in MemoryKind]: Kind } = {
  "memory-tool": {
    about: "a folder of Anthropic's memory tool: each file is an entry",
    isFolder: true,
    actionsOf: (files) => files.map(({ name, text }) => entry(name, text)),
  },
  "server-memory": {
    about: "the JSON lines of the MCP server server-memory: each entity with its relations is an entry",
    actionsOf: (files) => ofOne(files, (text) => [...serverMemory(text)].map(([name, lines]) => entry(name, lines))),
  },
  scratchpad: {
    about: "SCRATCHPAD.md: each of its headings is a section, and a page of another form is one",
    actionsOf: (files) => ofOne(files, scratchpadSections),
  },
  letta: {
    about: "blocks of a Letta agent, as JSON or an agent file: each block is an entry",
    actionsOf: (files) => ofOne(files, (text) => [...lettaBlocks(text)].map(([label, value]) => entry(label, value))),
  },
  "todo.txt": {
    about: "a list of tasks in the format todo.txt: the plan",
    actionsOf: (files) => ofOne(files, (text) => [{ action: "set_plan", content: todoPlan(text) }]),
  },
  tasks: {
    about: "a list of tasks in Markdown: the plan",
    actionsOf: (files) => ofOne(files, (text) => [{ action: "set_plan", content: markdownPlan(text) }]),
  },
};

function ofOne(files: readonly MemoryText[], actionsOf: (text: string, name: string) => readonly MemoryAction[]) {
  return files.flatMap(({ name, text }) => actionsOf(text.replaceAll("\r\n", "\n"), name));
}

/** A name that is no key is written so that it can be read back: `docs/plan.md` is `docs_-2Fplan_-2Emd`. */
function entry(name: string, content: string): MemoryAction {
  const key = keyOfPath(name);
  if (key === "") throw new MemoryMismatch("something in it has an empty name, which cannot be the key of an entry");
  if (key === undefined) throw new MemoryMismatch(`${JSON.stringify(name)} is too long for the key of an entry`);
  return { action: "entries.write", key, content };
}

function scratchpadSections(text: string, file: string): MemoryAction[] {
  if (text.trim() === "") throw new MemoryMismatch("it is empty");
  if (!isWorkingMemory(text)) return [{ action: "sections.write", name: file, content: text.trimEnd() }];
  const [head = "", ...bodies] = text.split(/^## /m);
  const stray = head.split("\n").find((line, index) => index > 0 && line.trim() !== "" && !line.startsWith("<!--"));
  if (stray !== undefined) throw new MemoryMismatch(`${JSON.stringify(stray)} stands before the first heading`);
  if (bodies.length === 0) throw new MemoryMismatch("there is no section in it: none of its lines begins with ##");
  const names = new Set<string>();
  return bodies.map((body) => {
    const [name = "", ...lines] = body.split("\n");
    if (names.has(name.trim())) throw new MemoryMismatch(`there are two headings ${JSON.stringify(name.trim())}`);
    names.add(name.trim());
    return { action: "sections.write", name: name.trim(), content: lines.join("\n").trim() };
  });
}

/** Priority, dates, projects and contexts stay where they are in the text. */
function todoPlan(text: string): string {
  const tasks = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
  if (tasks.length === 0) throw new MemoryMismatch("there is no task in it");
  return tasks.map((task) => (/^x /.test(task) ? `- [x] ${task.slice(2)}` : `- [ ] ${task}`)).join("\n");
}

function markdownPlan(text: string): string {
  if (planSteps(text).length === 0) throw new MemoryMismatch('there is no task in it, such as "- [ ] Fix the bug"');
  return text.trimEnd();
}
