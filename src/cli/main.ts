#!/usr/bin/env node
import { runCli } from "./run.ts";

const { stdin, stdout, stderr, env } = process;
process.exitCode = await runCli({ argv: process.argv.slice(2), stdin, stdout, stderr, env });
