// Makes the reference site of the documents and the docstrings: `node .ci/docs.mjs [FOLDER]`, into `site` by default. A link that leads
// nowhere, in a page or in a docstring, is an error.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Application } from "typedoc";

const root = resolve(import.meta.dirname, "..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const sources = Object.values(manifest.exports).flatMap(({ types }) =>
  types === undefined ? [] : [types.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts")],
);

const app = await Application.bootstrap({
  name: `${manifest.name} ${manifest.version}`,
  basePath: root,
  entryPoints: sources.map((file) => join(root, file)),
  tsconfig: join(root, "tsconfig.build.json"),
  readme: join(root, "README.md"),
  projectDocuments: [join(root, "docs", "**", "*.md"), join(root, "CHANGELOG.md"), join(root, "CONTRIBUTING.md")],
  out: resolve(process.argv[2] ?? join(root, "site")),
  disableGit: true,
  sourceLinkTemplate: `${manifest.homepage.replace(/#.*/, "")}/blob/main/{path}#L{line}`,
  highlightLanguages: ["console", "js", "json", "jsonl", "python", "sh", "toml", "ts"],
  excludeInternal: true,
  excludePrivate: true,
  validation: { notExported: false, invalidLink: true, invalidPath: true, notDocumented: false },
});
const project = await app.convert();
if (project === undefined) process.exit(1);
app.validate(project);
if (!isFaulty()) await app.generateOutputs(project);
if (isFaulty()) process.exitCode = 1;

function isFaulty() {
  return app.logger.hasErrors() || app.logger.hasWarnings();
}
