// A real broker on loopback, in a folder of its own.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Answers its address, its process id and how to end it. */
export async function startBroker(folder) {
  const port = await freePort();
  const config = join(folder, "broker.conf");
  writeFileSync(config, `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${join(folder, "store")}" }\n`);
  const broker = spawn("nats-server", ["-c", config], { stdio: "ignore" });
  const ended = new Promise((resolve) => broker.once("exit", resolve));
  broker.once("error", () => {
    console.error("nats-server does not start: install it");
    process.exit(1);
  });
  while (!(await answers(port))) await sleep(20);
  const stop = async () => {
    broker.kill();
    await ended;
  };
  return { server: `127.0.0.1:${port}`, pid: broker.pid, stop };
}

/** Resident memory of a process, and the processor time that it has had; Linux only. */
export function usage(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return {
    residentMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
    cpuSeconds: (Number(stat[11]) + Number(stat[12])) / 100,
  };
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const settle = (result) => {
      socket.destroy();
      resolve(result);
    };
    socket.once("data", () => settle(true));
    socket.once("error", () => settle(false));
  });
}
