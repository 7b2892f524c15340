/** Starts a real PostgreSQL server on loopback, with a folder of its own, and ends it. It refuses to run as root. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import fs from "node:fs";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";

export interface PostgresServer {
  /** postgres://user@host:port/database, without a schema. */
  readonly address: string;
  /** SIGKILL to every process of it, and wait for the end. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const startMs = 30_000;

export async function startPostgres(): Promise<PostgresServer> {
  const programs = programsFolder();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-postgres-"));
  const user = unprivileged();
  if (user !== undefined) fs.chownSync(folder, user.uid, user.gid);
  const server = new ServerProcess(programs, folder, await freePort(), user ?? {});
  try {
    await server.make();
    await server.start();
    return server;
  } catch (error) {
    await server.stop();
    throw new Error(`PostgreSQL does not start here: ${(error as Error).message}`, { cause: error });
  }
}

class ServerProcess implements PostgresServer {
  readonly address: string;
  readonly #programs: string;
  readonly #folder: string;
  readonly #port: number;
  readonly #user: { readonly uid?: number; readonly gid?: number };
  #process: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(programs: string, folder: string, port: number, user: { readonly uid?: number; readonly gid?: number }) {
    this.#programs = programs;
    this.#folder = folder;
    this.#port = port;
    this.#user = user;
    this.address = `postgres://tester@127.0.0.1:${port}/postgres`;
  }

  async make(): Promise<void> {
    const options = ["-D", this.#data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
    await promisify(execFile)(path.join(this.#programs, "initdb"), options, { cwd: this.#folder, ...this.#user });
  }

  /** A killed server loses nothing without syncs, as long as the machine goes on. */
  async start(): Promise<void> {
    const settings = ["listen_addresses=127.0.0.1", "fsync=off", "max_connections=200", "logging_collector=off"];
    const given = settings.flatMap((setting) => ["-c", setting]);
    const log = fs.openSync(this.#log, "a");
    const options = ["-D", this.#data, "-p", String(this.#port), "-k", this.#folder, ...given];
    const started = spawn(path.join(this.#programs, "postgres"), options, {
      cwd: this.#folder,
      stdio: ["ignore", log, log],
      detached: true,
      ...this.#user,
    });
    fs.closeSync(log);
    this.#process = started;
    this.#ended = new Promise((resolve) => {
      started.once("exit", resolve);
      started.once("error", resolve);
    });
    const deadline = performance.now() + startMs;
    while (!(await answers(this.address))) {
      if (started.exitCode !== null || performance.now() > deadline) {
        throw new Error(`it ended, or said nothing for too long; its log says: ${fs.readFileSync(this.#log, "utf8")}`);
      }
      await sleep(20);
    }
  }

  async kill(): Promise<void> {
    const pid = this.#process?.pid;
    if (pid === undefined || this.#process?.exitCode !== null) return;
    // Its processes have groups of their own. They end by themselves when the first of them is gone, but not at once.
    const pids = [pid, ...childrenOf(pid)];
    for (const each of pids) end(each);
    await this.#ended;
    while (pids.some(isRunning)) await sleep(5);
  }

  async stop(): Promise<void> {
    await this.kill();
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  get #data(): string {
    return path.join(this.#folder, "data");
  }

  get #log(): string {
    return path.join(this.#folder, "log");
  }
}

function programsFolder(): string {
  const debian = "/usr/lib/postgresql";
  const versions = fs.existsSync(debian) ? fs.readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => path.join(debian, version, "bin")), ...pathFolders()];
  const found = folders.find((folder) => fs.existsSync(path.join(folder, "initdb")));
  if (found !== undefined) return found;
  throw new Error("PostgreSQL is not installed here: run `apt-get install postgresql`, or put initdb on the PATH");
}

function pathFolders(): readonly string[] {
  return (process.env["PATH"] ?? "").split(path.delimiter);
}

/** Whom the server runs as, where we are root: Debian's own user for it, else nobody. */
function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = fs
    .readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith("postgres:"));
  const [, , uid = "65534", gid = "65534"] = line?.split(":") ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

function childrenOf(pid: number): readonly number[] {
  return fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1]);
  } catch {
    return undefined;
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** One that has ended, and that nobody has asked about, is still listed. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(fs.readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answers(address: string): Promise<boolean> {
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

/** What one statement answers. */
export async function sql(address: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return [(await client.query(text)).rows].flat();
  } finally {
    await client.end();
  }
}
