#!/usr/bin/env node
import { runCli } from "./run.ts";
import { standardOutput } from "./standard-output.ts";

const { env } = process;
const stdin = () => process.stdin;
const stdout = standardOutput(() => process.stdout);
// Made when there is something to say.
const stderr = {
  write: (text: string) => process.stderr.write(text),
  get isTTY() {
    return process.stderr.isTTY;
  },
};
const openPager = async (command: string) => (await import("./pager.ts")).openPager(command, env);
const argv = process.argv.slice(2);
void runCli({ argv, stdin, stdout, stderr, env, interruption, openPager }).then((code) => {
  process.exitCode = code;
});

function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => controller.abort());
  return controller.signal;
}
