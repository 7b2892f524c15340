// Lets each real client write fixtures/sessions/<client>.jsonl anew: node test/hosts/make-fixtures.mjs [folder]
// Time and randomness are frozen, so an unchanged client and story give unchanged bytes.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const here = import.meta.dirname;
const target = resolve(process.argv[2] ?? join(here, "..", "..", "fixtures", "sessions"));
const clients = JSON.parse(readFileSync(join(here, "clients.json"), "utf8"));

mkdirSync(target, { recursive: true });
for (const client of clients) {
  const folder = mkdtempSync(join(tmpdir(), "session-journal-fixture-"));
  try {
    copyFileSync(written(client, folder), join(target, `${client.name}.jsonl`));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Path of the session that the client wrote. */
function written(client, folder) {
  const packaged = client.node && join(here, client.node);
  const node = packaged && existsSync(packaged) ? packaged : process.execPath;
  const sessionManager = pathToFileURL(join(here, client.sessionManager)).href;
  const env = { ...process.env, TZ: "UTC" };
  const { status, stdout, stderr } = spawnSync(node, [join(here, "write-session.mjs"), sessionManager, folder], {
    encoding: "utf8",
    env,
  });
  if (status !== 0) throw new Error(`${client.name} wrote no session: ${stderr}`);
  return stdout.trim();
}
