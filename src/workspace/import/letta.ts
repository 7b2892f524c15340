import { fields } from "../../event/fields.ts";
import { MemoryMismatch } from "./mismatch.ts";

/** Label → value: of a list of blocks, of an agent, or of an agent file, newer (`blocks`) or older (`core_memory`). */
export function lettaBlocks(text: string): ReadonlyMap<string, string> {
  const found = blocksIn(parsed(text));
  if (found === undefined)
    throw new MemoryMismatch("there are no blocks in it: a list of { label, value } is looked for");
  const blocks = new Map<string, string>();
  for (const [index, block] of found.entries()) {
    const { label, value } = fields(block);
    if (typeof label !== "string" || typeof value !== "string") {
      throw new MemoryMismatch(`block ${index + 1} has no label, or no text as its value`);
    }
    if (blocks.has(label))
      throw new MemoryMismatch(`there are two blocks ${JSON.stringify(label)}: export one agent alone`);
    blocks.set(label, value);
  }
  if (blocks.size === 0) throw new MemoryMismatch("there is no block in it");
  return blocks;
}

function blocksIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  const { blocks, core_memory: coreMemory, memory } = fields(value);
  const places = [blocks, coreMemory, fields(memory)["blocks"]];
  return places.find((each): each is unknown[] => Array.isArray(each));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MemoryMismatch("it is not JSON");
  }
}
