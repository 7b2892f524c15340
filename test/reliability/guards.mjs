// The safeguards that mutants.json takes away: the line behind a comment `// @guard TAG` in the sources.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** `[file, line number, line]` of every tag under `root`. A tag stands once. */
export function guardsIn(root) {
  const guards = new Map();
  for (const name of readdirSync(join(root, "src"), { recursive: true }).filter((file) => file.endsWith(".ts"))) {
    const file = join("src", name);
    const lines = readFileSync(join(root, file), "utf8").split("\n");
    for (const [index, line] of lines.entries()) {
      const tag = /^\s*\/\/ @guard (\S+)$/.exec(line)?.[1];
      if (tag === undefined) continue;
      if (guards.has(tag)) throw new Error(`the tag ${tag} stands in ${guards.get(tag).file} and in ${file}`);
      guards.set(tag, { file, index: index + 1, line: (lines[index + 1] ?? "").trim() });
    }
  }
  return guards;
}

/** The source with the safeguard's line replaced. */
export function without(source, { index }, replace) {
  const lines = source.split("\n");
  lines[index] = replace;
  return lines.join("\n");
}

/** Tells whether a result is one of this mutant: of this line and this replacement, tried with these suites. */
export function digestOf({ tag, replace, suites }, { file, line }) {
  return createHash("sha256")
    .update(JSON.stringify([tag, file, line, replace, suites]))
    .digest("hex")
    .slice(0, 12);
}
