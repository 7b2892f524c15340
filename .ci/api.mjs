// Lists every public name with its signature, as the compiled declarations have it: `node .ci/api.mjs` writes docs/api.txt,
// `--check` fails where it is not what it would be. A review sees there what a change means for users.
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import ts from "typescript";
import { faultsOf } from "./docstrings.mjs";

const root = resolve(import.meta.dirname, "..");
const page = join(root, "docs", "api.txt");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entries = Object.entries(manifest.exports).flatMap(([name, { types }]) =>
  types === undefined ? [] : [{ name: name.replace(/^\./, manifest.name), file: join(root, types) }],
);
const options = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  types: [],
  noLib: true,
};
const program = ts.createProgram(
  entries.map(({ file }) => file),
  options,
);
const checker = program.getTypeChecker();
const printer = ts.createPrinter({ removeComments: true });
const dist = join(root, "dist");

/** Symbol → the entry that lists it first. */
const listedIn = new Map();
const sections = entries.map(({ name, file }) => [`# ${name}`, ...namesOf(name, file)].join("\n\n"));
const text = ["Every public name of the package. Made by `npm run api`; a test holds it.", ...sections].join("\n\n\n");

const unlisted = hidden();
if (unlisted.length > 0) {
  console.error(
    `Named in public signatures, but exported by no entry point: ${unlisted.join(", ")}. Export them, or hide them.`,
  );
  process.exitCode = 1;
}
const undocumented = faulty();
if (undocumented.length > 0) {
  console.error(`Docstrings that users cannot read alone:\n${undocumented.join("\n")}`);
  process.exitCode = 1;
}
if (!process.argv.includes("--check")) writeFileSync(page, `${text}\n`);
else if (readFileSync(page, "utf8") !== `${text}\n`) {
  console.error("docs/api.txt is out of date: npm run api writes it anew. Look at what changed for users.");
  process.exitCode = 1;
}

function namesOf(entry, file) {
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
  return exported.toSorted(byName).map((symbol) => {
    const target = resolved(symbol);
    const before = listedIn.get(target);
    if (before !== undefined) return `${symbol.name}: as in ${before}`;
    listedIn.set(target, entry);
    return target.declarations.map((declaration) => `${symbol.name}: ${signature(declaration)}`).join("\n");
  });
}

function signature(declaration) {
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return printer
    .printNode(ts.EmitHint.Unspecified, node, node.getSourceFile())
    .replace(/^(?:export |default |declare )+/, "")
    .replace(/^ +(?:private|protected|#private)\b.*\n/gm, "")
    .replace(/^( +)/gm, (spaces) => " ".repeat(spaces.length / 2));
}

/** What is wrong with docstrings, of names and of their members. */
function faulty() {
  const found = [];
  for (const symbol of listedIn.keys()) for (const declaration of symbol.declarations) visit(declaration, symbol.name);
  return found;

  function visit(node, name) {
    if (ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(isHiding)) return;
    const isMember = ts.isClassElement(node) || ts.isTypeElement(node);
    const named = isMember && node.name ? `${name}.${node.name.getText()}` : name;
    const { fileName } = node.getSourceFile();
    found.push(...faultsOf(node).map((fault) => `${relative(dist, fileName)} ${named}: ${fault}`));
    ts.forEachChild(node, (child) => visit(child, named));
  }
}

/** What a user meets in a hover and cannot import. */
function hidden() {
  const found = new Set();
  for (const symbol of listedIn.keys()) {
    for (const declaration of symbol.declarations) visit(declaration);
  }
  return [...found].sort();

  function visit(node) {
    if (ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(isHiding)) return;
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      const symbol = checker.getSymbolAtLocation(node.typeName ?? node.expression);
      const target = symbol && resolved(symbol);
      const from = target?.declarations?.[0]?.getSourceFile().fileName;
      const isOurs = from !== undefined && !relative(dist, from).startsWith("..");
      if (isOurs && !(target.flags & ts.SymbolFlags.TypeParameter) && !listedIn.has(target)) found.add(target.name);
    }
    ts.forEachChild(node, visit);
  }
}

function isHiding({ kind }) {
  return kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword;
}

function resolved(symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function byName(a, b) {
  return a.name < b.name ? -1 : 1;
}
