/** What each entry point of the package is, what it weighs, and what it can do without. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { root } from "./run.ts";

interface Manifest {
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

const manifest: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const page = readFileSync(join(root, "docs", "library.md"), "utf8");
const entries = Object.entries(manifest.exports).flatMap(([name, target]) =>
  typeof target === "string" ? [] : [[name.replace(/^\./, "session-journal"), join(root, target.default)] as const],
);
/** Nothing of that name is installed, so that each optional peer is missing. */
const absent = Object.fromEntries(Object.keys(manifest.peerDependencies).map((name) => [name, "no-such-package"]));

async function bundled(file: string, platform: "node" | "browser", alias: Record<string, string>) {
  const { outputFiles, metafile, warnings } = await build({
    entryPoints: [file],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform,
    alias,
    logLevel: "silent",
  });
  return { bytes: outputFiles[0]?.contents.length ?? 0, metafile, warnings };
}

/** The row of an entry point in the table: the names of its values, and the kilobytes that it takes at most. */
function rowOf(entry: string): { readonly names: readonly string[]; readonly kilobytesMax: number } {
  const [, names = "", kilobytes = ""] = new RegExp(`^\\| \`${entry}\` \\| (.*) \\| (\\d+) \\|$`, "m").exec(page) ?? [];
  return { names: [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name), kilobytesMax: Number(kilobytes) };
}

test.each(entries)("%s: the reference names all of its values", async (entry, file) => {
  expect(rowOf(entry).names.toSorted()).toEqual(Object.keys((await import(file)) as object).sort());
});

test.each(entries)("%s is bundled without its optional peers, as small as the reference says", async (entry, file) => {
  // Properties without fast-check are none, and no spans without their interface: these two cannot do without their peer.
  const { bytes } = await bundled(file, "node", /\/(testing|opentelemetry)$/.test(entry) ? {} : absent);
  const { kilobytesMax } = rowOf(entry);
  expect(bytes / 1000).toBeLessThanOrEqual(kilobytesMax);
  expect(bytes / 1000).toBeGreaterThan(kilobytesMax * 0.7);
});

test("the JSON Schemas that lie in the package are those that the library gives", async () => {
  const library = (await import(join(root, "dist", "bundle", "index.js"))) as { jsonSchema(name: string): object };
  for (const name of ["action", "answer", "event"]) {
    const file = fileURLToPath(import.meta.resolve(`session-journal/schemas/${name}.json`));
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(library.jsonSchema(name));
  }
});

test("the pure part imports nothing of Node, and is bundled for a browser", async () => {
  const { metafile, warnings } = await bundled(join(root, "dist", "bundle", "core.js"), "browser", absent);
  const imports = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  expect([imports, warnings]).toEqual([[], []]);
  expect(readFileSync(join(root, "dist", "bundle", "core.js"), "utf8")).not.toMatch(
    /\bprocess\.|\bBuffer\b|\brequire\(/,
  );
});
