/** Lists the session files of a folder. */
import fs from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { NotASessionError } from "../../errors.ts";
import { unreadable } from "../session-file/session-path.ts";

/** Paths in `folder`, sorted. Side folders of ours hold none, and what packages bring in `node_modules` is nobody's session. */
export async function sessionFiles(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true }).catch((error: unknown) => {
    if (!fs.existsSync(folder)) throw new NotASessionError(`${folder} is not there: check the path`, { file: folder });
    if ((error as NodeJS.ErrnoException).code !== "ENOTDIR") throw unreadable(folder, error);
    const advice = `name a folder of sessions, or sqlite:${path.relative("", folder)} where it is a database`;
    throw new NotASessionError(`${folder} is a file: ${advice}`, { file: folder });
  });
  return found.filter((name) => name.endsWith(".jsonl") && !name.split(path.sep).includes("node_modules")).sort();
}
