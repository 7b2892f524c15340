/**
 * Code that a process has compiled is kept for the next one, where Node can (from 22.8 on): a start is a quarter shorter.
 * Nothing hangs on it. Only what is loaded afterwards is kept, so this imports nothing that other modules import.
 */
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";

type Keeper = { readonly enableCompileCache?: (folder: string) => unknown };
type Environment = Readonly<Record<string, string | undefined>>;

/** Where the folder cannot be written, Node answers so, and throws nothing. */
export function keepCompiled(env: Environment): void {
  // Older ones would load a part of themselves to say that they cannot.
  if (Number.parseInt(process.versions.node, 10) < 22) return;
  const { enableCompileCache } = process.getBuiltinModule("node:module") as Keeper;
  const folder = compiledFolder(env, process.platform);
  if (folder === undefined) return;
  try {
    makeFolder(folder, foldersMax);
    enableCompileCache?.(folder);
  } catch {
    // Then it is compiled anew.
  }
}

/** We may have to make these: `.cache`, and two in it. A home that is not there is left so. */
const foldersMax = 3;

/** Node would make the folder itself, but never ends where the system makes nothing and says that what is there is not, as in `/proc`. */
function makeFolder(folder: string, levels: number): void {
  if (existsSync(folder)) return;
  if (levels > 1) makeFolder(path.dirname(folder), levels - 1);
  mkdirSync(folder, { mode: 0o700 });
}

/** The folder is the user's own: what others can write, they could have us run. The result is undefined if no such folder is known. */
export function compiledFolder(env: Environment, platform: NodeJS.Platform): string | undefined {
  const home = env["HOME"] && `${env["HOME"]}/.cache`;
  const caches = env["XDG_CACHE_HOME"] || (platform === "win32" ? env["LOCALAPPDATA"] : home);
  const isAbsolute = caches !== undefined && /^(?:\/|[A-Za-z]:[\\/])/.test(caches);
  return isAbsolute ? `${caches}/session-journal/compiled` : undefined;
}
