#!/usr/bin/env node
import { runCli } from "./run.ts";

const { stdout, stderr, env } = process;
const stdin = () => process.stdin;
process.exitCode = await runCli({ argv: process.argv.slice(2), stdin, stdout, stderr, env, interruption });

function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => controller.abort());
  return controller.signal;
}
