/** Starts real brokers on loopback, each with a folder of its own, and ends them. */
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import { connect, createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface NatsNode {
  readonly name: string;
  readonly port: number;
  /** This folder has all that it keeps. */
  readonly store: string;
  /** `kill`: SIGKILL, and wait for the end. */
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  start(): Promise<void>;
}

export interface NatsCluster {
  readonly nodes: readonly NatsNode[];
  /** host:port of each. */
  readonly servers: readonly string[];
  stop(): Promise<void>;
}

export function startServer(): Promise<NatsCluster> {
  return startCluster(1);
}

export async function startCluster(size: number): Promise<NatsCluster> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-nats-"));
  const ports = await freePorts(size * 2);
  const routes = ports.slice(size).map((port) => `nats://127.0.0.1:${port}`);
  const nodes = ports.slice(0, size).map((port, index) => {
    const route = size === 1 ? undefined : { port: ports[size + index] as number, routes };
    return new ServerProcess(`n${index + 1}`, port, folder, route);
  });
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.kill()));
    fs.rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
    return { nodes, servers: nodes.map(({ port }) => `127.0.0.1:${port}`), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

class ServerProcess implements NatsNode {
  readonly name: string;
  readonly port: number;
  readonly store: string;
  readonly #arguments: readonly string[];
  #process: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(name: string, port: number, folder: string, route?: { port: number; routes: readonly string[] }) {
    this.name = name;
    this.port = port;
    const config = path.join(folder, `${name}.conf`);
    const cluster =
      route === undefined
        ? ""
        : `cluster { name: test, listen: "127.0.0.1:${route.port}", routes: [${route.routes.join(", ")}] }\n`;
    this.store = path.join(folder, name);
    fs.writeFileSync(
      config,
      `server_name: ${name}\nlisten: "127.0.0.1:${port}"\njetstream { store_dir: "${this.store}" }\n${cluster}`,
    );
    this.#arguments = ["-c", config, "-l", path.join(folder, `${name}.log`)];
  }

  async start(): Promise<void> {
    const started = spawn("nats-server", this.#arguments, { stdio: "ignore" });
    this.#process = started;
    let failure: Error | undefined;
    this.#ended = new Promise((resolve) => {
      started.once("exit", resolve);
      started.once("error", (error) => {
        failure = error;
        resolve(undefined);
      });
    });
    while (!(await answers(this.port))) {
      if (failure !== undefined) throw new Error("nats-server did not start: install it", { cause: failure });
      if (started.exitCode !== null) throw new Error(`nats-server ended with exit code ${started.exitCode}`);
      await sleep(20);
    }
  }

  async kill(): Promise<void> {
    this.#process?.kill("SIGKILL");
    await this.#ended;
  }

  pause(): void {
    this.#process?.kill("SIGSTOP");
  }

  resume(): void {
    this.#process?.kill("SIGCONT");
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const settle = (result: boolean): void => {
      socket.destroy();
      resolve(result);
    };
    socket.once("data", () => settle(true));
    socket.once("error", () => settle(false));
    socket.once("close", () => settle(false));
  });
}
