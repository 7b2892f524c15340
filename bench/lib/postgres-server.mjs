// A real PostgreSQL server on loopback, in a folder of its own, with syncs. It refuses to run as root.
import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

const debian = "/usr/lib/postgresql";

/** Answers its address and how to end it. */
export async function startPostgres() {
  const versions = existsSync(debian) ? readdirSync(debian).sort() : [];
  const programs = versions.length === 0 ? "" : join(debian, versions.at(-1), "bin/");
  const folder = mkdtempSync(join(tmpdir(), "session-journal-bench-postgres-"));
  const user = process.getuid() === 0 ? idsOf("nobody") : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const port = await freePort();
  execFileSync(`${programs}initdb`, ["-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C"], {
    cwd: folder,
    ...user,
  });
  const log = openSync(join(tmpdir(), `session-journal-bench-postgres-${port}.log`), "a");
  const server = spawn(
    `${programs}postgres`,
    ["-D", data, "-p", String(port), "-k", folder, "-c", "listen_addresses=127.0.0.1"],
    {
      cwd: folder,
      stdio: ["ignore", log, log],
      ...user,
    },
  );
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const address = `postgres://bench@127.0.0.1:${port}/postgres`;
  while (!(await answers(address))) await sleep(50);
  const stop = async () => {
    server.kill("SIGINT");
    await ended;
    rmSync(folder, { recursive: true, force: true });
    rmSync(join(tmpdir(), `session-journal-bench-postgres-${port}.log`), { force: true });
  };
  return { address, stop };
}

function idsOf(name) {
  const [uid, gid] = ["-u", "-g"].map((flag) => Number(execFileSync("id", [flag, name], { encoding: "utf8" })));
  return { uid, gid };
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answers(address) {
  const client = new pg.Client({ connectionString: address });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
