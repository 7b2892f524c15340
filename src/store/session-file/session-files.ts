/** Lists the session files of a folder. */
import fs from "node:fs";
import { readdir } from "node:fs/promises";
import { NotASessionError } from "../../errors.ts";
import { unreadable } from "./session-path.ts";

/** Paths in `folder`, sorted. Side folders of ours hold none. */
export async function sessionFiles(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true }).catch((error: unknown) => {
    throw fs.existsSync(folder)
      ? unreadable(folder, error)
      : new NotASessionError(`${folder} is not there: check the path`, { file: folder });
  });
  return found.filter((name) => name.endsWith(".jsonl")).sort();
}
