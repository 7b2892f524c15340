// Carries the version of package.json to every file that repeats it: `node .ci/version.mjs [FOLDER]`, after changesets chose the
// version and wrote CHANGELOG.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(process.argv[2] ?? join(import.meta.dirname, ".."));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

changeJson("package-lock.json", (lock) => {
  lock.version = version;
  lock.packages[""].version = version;
});
changeJson("server.json", (server) => {
  server.version = version;
  for (const each of server.packages) each.version = version;
});
change("docs/mcp.md", (text) => text.replace(/session-journal@[\w.-]+/g, `session-journal@${version}`));

function changeJson(file, edit) {
  change(file, (text) => {
    const value = JSON.parse(text);
    edit(value);
    return `${JSON.stringify(value, null, 2)}\n`;
  });
}

function change(file, edit) {
  const place = join(root, file);
  writeFileSync(place, edit(readFileSync(place, "utf8")));
}
