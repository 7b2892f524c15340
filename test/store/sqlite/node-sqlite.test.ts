import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { program } from "../process/spawn.ts";

const hosts = path.resolve(import.meta.dirname, "../../hosts");
const clients = JSON.parse(fs.readFileSync(path.join(hosts, "clients.json"), "utf8")) as { node: string | null }[];

test("a database of node:sqlite that is handed in keeps every promise", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-node-sqlite-"));
  const conform = await program("conform-node-sqlite.ts");
  onTestFinished(() => {
    conform.remove();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  const newer = clients.find(({ node }) => node !== null)?.node ?? "";
  const kept = JSON.parse(await conform.runIn(path.join(hosts, newer), path.join(folder, "journals.db"))) as string[];
  expect(kept.length).toBeGreaterThan(20);
});
