// Bundles the page of the audit report into src/audit/report/asset.ts: `node .ci/report-page.mjs [--print]`.
// The bundle is kept, so that building and rendering need no bundler; a test compares it with a fresh one.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build, transform } from "esbuild";

const root = resolve(import.meta.dirname, "..");
const page = join(root, "src", "audit", "report", "page");
const asset = join(root, "src", "audit", "report", "asset.ts");

/** The text of asset.ts for the page as it stands. */
async function reportAsset() {
  const bundle = await build({
    absWorkingDir: root,
    entryPoints: [join(page, "main.ts")],
    bundle: true,
    minify: true,
    format: "iife",
    charset: "ascii",
    legalComments: "none",
    banner: { js: licenses() },
    target: "es2022",
    write: false,
  });
  const style = await transform(readFileSync(join(page, "style.css"), "utf8"), { loader: "css", minify: true });
  const texts = { pageScript: bundle.outputFiles[0].text.trim(), pageStyle: style.code.trim() };
  const lines = Object.entries(texts).flatMap(([name, text]) => [
    `export const ${name} =\n  ${JSON.stringify(text)};`,
    `export const ${name}Hash = "sha256-${createHash("sha256").update(text).digest("base64")}";`,
  ]);
  return [
    "// biome-ignore-all format: made by .ci/report-page.mjs from page/, which is where to change it.",
    "/** The script and the style of the audit report, and what its content security policy calls them. */",
    ...lines,
    "",
  ].join("\n");
}

/** The page carries a library, and its license asks to go with it. */
function licenses() {
  const text = readFileSync(join(root, "node_modules", "diff", "LICENSE"), "utf8");
  return `/*!\ndiff\n\n${text.trim()}\n*/`;
}

const text = await reportAsset();
if (process.argv.includes("--print")) process.stdout.write(text);
else writeFileSync(asset, text);
