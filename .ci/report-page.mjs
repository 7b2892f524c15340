// Bundles the page of the audit report into src/audit/report/asset.ts: `node .ci/report-page.mjs [--print]`.
// The bundle is kept, so that building and rendering need no bundler; a test compares it with a fresh one.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "rolldown";

const root = resolve(import.meta.dirname, "..");
const page = join(root, "src", "audit", "report", "page");
const asset = join(root, "src", "audit", "report", "asset.ts");

/** The text of asset.ts for the page as it stands. */
async function reportAsset() {
  const { output } = await build({
    cwd: root,
    input: join(page, "main.ts"),
    transform: { target: "es2022" },
    output: { format: "iife", minify: true, charset: "ascii", comments: false, postBanner: licenses() },
    write: false,
  });
  const style = withoutSpaces(readFileSync(join(page, "style.css"), "utf8"));
  const texts = { pageScript: output[0].code.trim(), pageStyle: style };
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

/** Comments go, and spaces that no rule needs. None of its texts has either. */
function withoutSpaces(css) {
  return css
    .replace(/\/\*.*?\*\//gs, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};]) ?/g, "$1")
    .trim();
}

/** The page carries a library, and its license asks to go with it. */
function licenses() {
  const text = readFileSync(join(root, "node_modules", "diff", "LICENSE"), "utf8");
  return `/*!\ndiff\n\n${text.trim()}\n*/`;
}

const text = await reportAsset();
if (process.argv.includes("--print")) process.stdout.write(text);
else writeFileSync(asset, text);
