import { fields } from "../../event/fields.ts";
import { MemoryMismatch } from "./mismatch.ts";

/**
 * The lines of each entity: its own, and those of the relations that begin at it, as they stand in the file, so that nothing of
 * them is lost.
 */
export function serverMemory(text: string): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const name = nameIn(line, index + 1);
    const before = lines.get(name);
    lines.set(name, before === undefined ? line.trim() : `${before}\n${line.trim()}`);
  }
  if (lines.size === 0) throw new MemoryMismatch("there is no entity in it");
  return lines;
}

function nameIn(line: string, number: number): string {
  const { type, name, entityType, observations, from, to, relationType } = fields(parsed(line));
  const isTexts = Array.isArray(observations) && observations.every((each) => typeof each === "string");
  if (type === "entity" && typeof name === "string" && typeof entityType === "string" && isTexts) return name;
  if (type === "relation" && typeof from === "string" && typeof to === "string" && typeof relationType === "string") {
    return from;
  }
  throw new MemoryMismatch(`line ${number} is neither an entity nor a relation of server-memory`);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
