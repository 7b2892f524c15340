import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

interface Locked {
  readonly version?: string;
  readonly bin?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
const packages: Readonly<Record<string, Locked>> = read("package-lock.json").packages;

/** Where a registry serves one platform only, npm leaves the packages of the others out; `npm ci` then refuses the file. */
test("a package for another platform is pinned like any other: a clean install works everywhere", () => {
  const missing: string[] = [];
  for (const [path, { optionalDependencies = {} }] of Object.entries(packages)) {
    for (const [name, range] of Object.entries(optionalDependencies)) {
      const found = packages[placeOf(name, path)];
      const isPinned = found !== undefined && (/^\d/.test(range) ? found.version === range : true);
      if (!isPinned) missing.push(`${path}: ${name}@${range}`);
    }
  }
  expect(missing).toEqual([]);
});

test("the lockfile is that of this package", () => {
  const { version, bin, dependencies, devDependencies } = read("package.json");
  expect(packages[""]).toMatchObject({ version, bin, dependencies, devDependencies });
});

/** As Node looks for it: the nearest `node_modules` upwards that has it. */
function placeOf(name: string, from: string): string {
  const here = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
  if (here in packages || from === "") return here;
  return placeOf(name, from.slice(0, Math.max(0, from.lastIndexOf("node_modules/") - 1)));
}

function read(file: string): Locked & { readonly packages: Readonly<Record<string, Locked>> } {
  return JSON.parse(readFileSync(join(root, file), "utf8"));
}
