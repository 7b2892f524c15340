/** Agents edit files of plans and of memory with their own tools. This says which files they are, and what their sections are called. */

const names = [
  ...["CLAUDE.md", "AGENTS.md", "GEMINI.md", "MEMORY.md", "PLAN.md", "TODO.md", "NOTES.md", "PROGRESS.md"],
  ...["plans/*.md", "memory/*.md"],
];

const homePattern = /^(?:\/Users\/[^/]+|\/home\/[^/]+|\/root|[A-Za-z]:\/[Uu][Ss][Ee][Rr][Ss]\/[^/]+)(?=\/)/;

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

/** This gives the sections of a session their names. A file keeps its name, even if the session's folder becomes known later. */
export class SectionNames {
  /** This is the session's home, if its folder lies in none: the first one in which it edited a file. */
  #home: string | undefined;
  readonly #names = new Map<string, string>();

  of(path: string, cwd: string | undefined): string {
    const file = sameFor(path);
    const known = this.#names.get(file);
    if (known !== undefined) return known;
    const name = sectionName(path, cwd, this.#home);
    this.#home ??= homeIn(plain(path));
    this.#names.set(file, name);
    return name;
  }
}

/**
 * The section of a file is called by its path from the session's folder, by `~/…` in the session's home, and else by the whole path. The
 * session's home is that of its folder, else `home`, else that of the path.
 */
export function sectionName(path: string, cwd: string | undefined, home?: string): string {
  const whole = plain(path);
  if (!isAbsolute(whole)) return normal(whole.replace(/^(?:\.\/)+/, ""), path);
  const folder = cwd === undefined ? "" : plain(cwd).replace(/\/+$/, "");
  const inFolder = folder === "" ? undefined : behind(folder, whole);
  if (inFolder !== undefined) return normal(inFolder, path);
  const inHome = behind(homeIn(`${folder}/`) ?? home ?? homeIn(whole) ?? whole, whole);
  return inHome === undefined ? path : normal(`~/${inHome}`, path);
}

function homeIn(whole: string): string | undefined {
  return homePattern.exec(whole)?.[0];
}

/** The result is undefined if the path does not lead into the folder. Windows takes no notice of capitals. */
function behind(folder: string, whole: string): string | undefined {
  const [a, b] = isOfWindows(whole) ? [folder.toLowerCase(), whole.toLowerCase()] : [folder, whole];
  return b.startsWith(`${a}/`) ? whole.slice(folder.length + 1) : undefined;
}

/** Two paths of one file have the same text here. */
function sameFor(path: string): string {
  const whole = plain(path);
  return isOfWindows(whole) ? whole.toLowerCase() : whole;
}

/** A path with `..` in it is left as it is: where it leads is not known. */
function normal(name: string, path: string): string {
  return name === "" || name.split("/").includes("..") ? path : name;
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:\//.test(path);
}

/** The path begins with a drive or names a computer. */
function isOfWindows(whole: string): boolean {
  return /^(?:[A-Za-z]:\/|\/\/)/.test(whole);
}

/** The result has slashes only, none of them twice, and no `.` between them, but two stand before the name of a computer. */
function plain(path: string): string {
  const whole = slashed(path).replace(/\/(?:\.?\/)+/g, "/");
  return path.startsWith("\\\\") ? `/${whole}` : whole;
}

function slashed(path: string): string {
  return /^[A-Za-z]:[\\/]|^[^/]*\\/.test(path) ? path.replaceAll("\\", "/") : path;
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
