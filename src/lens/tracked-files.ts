/** Agents edit files of plans and of memory with their own tools. This says which files they are, and what their sections are called. */

const names = [
  ...["CLAUDE.md", "AGENTS.md", "GEMINI.md", "MEMORY.md", "PLAN.md", "TODO.md", "NOTES.md", "PROGRESS.md"],
  ...["plans/*.md", "memory/*.md"],
];

const homePattern = /^(?:\/Users\/[^/]+|\/home\/[^/]+|\/root|[A-Za-z]:[\\/]Users[\\/][^\\/]+)(?=[\\/])/;

const knownMax = 4096;

export class TrackedFiles {
  /** Agents come back to the same files again and again. */
  readonly #known = new Map<string, boolean>();
  readonly #globs: readonly { readonly glob: string; readonly wanted: boolean }[];

  /** `globs` are added to the usual ones; one that begins with `!` takes files away. The last that fits decides. */
  constructor(globs: readonly string[] = []) {
    this.#globs = [...names, ...globs].map((glob) =>
      glob.startsWith("!") ? { glob: slashed(glob.slice(1)), wanted: false } : { glob: slashed(glob), wanted: true },
    );
  }

  has(path: string): boolean {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const isWanted = this.#isWanted(slashed(path));
    if (this.#known.size >= knownMax) this.#known.clear();
    this.#known.set(path, isWanted);
    return isWanted;
  }

  #isWanted(whole: string): boolean {
    let isWanted = false;
    for (const { glob, wanted } of this.#globs) if (wanted !== isWanted && fits(glob, whole)) isWanted = wanted;
    return isWanted;
  }
}

/** The section of a file is called by its path from the session's folder, by `~/…` in the session's home, and else by the whole path. */
export function sectionName(path: string, cwd: string | undefined): string {
  const whole = slashed(path);
  if (!isAbsolute(whole)) return normal(whole.replace(/^(?:\.\/)+/, ""), path);
  const folder = cwd === undefined ? "" : slashed(cwd).replace(/\/+$/, "");
  if (folder !== "" && whole.startsWith(`${folder}/`)) return normal(whole.slice(folder.length + 1), path);
  const home = homePattern.exec(`${folder}/`)?.[0] ?? homePattern.exec(whole)?.[0];
  return home !== undefined && whole.startsWith(`${home}/`) ? normal(`~/${whole.slice(home.length + 1)}`, path) : path;
}

/** A path with `..` in it is left as it is: where it leads is not known. */
function normal(name: string, path: string): string {
  return name === "" || name.split("/").includes("..") ? path : name;
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:\//.test(path);
}

function slashed(path: string): string {
  return /^[A-Za-z]:\\|^[^/]*\\/.test(path) ? path.replaceAll("\\", "/") : path;
}

/** A glob without a slash at its beginning fits at any depth. Takes time in proportion to both lengths. */
function fits(glob: string, path: string): boolean {
  // Most paths end otherwise, and cost no more than this.
  if (!path.endsWith(glob.slice(Math.max(glob.lastIndexOf("*"), glob.lastIndexOf("?")) + 1))) return false;
  if (glob.startsWith("/")) return matches(glob, path);
  return matches(glob, path) || matches(`**/${glob}`, path);
}

/** `*` and `?` stand for what is no slash, `**` for anything. */
function matches(glob: string, path: string): boolean {
  const tokens = glob.match(/\*\*\/?|\*|\?|[^*?]/gu) ?? [];
  let reached = withSkipped(new Set([0]), tokens, true);
  for (const character of path) {
    const next = new Set<number>();
    for (const state of reached) {
      const token = tokens[state];
      if (token === "**" || token === "**/" || (token === "*" && character !== "/")) next.add(state);
      else if (token === character || (token === "?" && character !== "/")) next.add(state + 1);
    }
    reached = withSkipped(next, tokens, character === "/");
  }
  return reached.has(tokens.length);
}

/** A star may stand for nothing, `**` and a slash for no folder. */
function withSkipped(states: Set<number>, tokens: readonly string[], atFolder: boolean): ReadonlySet<number> {
  for (const state of states) {
    const token = tokens[state];
    if (token === "*" || token === "**" || (token === "**/" && atFolder)) states.add(state + 1);
  }
  return states;
}
