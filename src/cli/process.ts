/** The command line as a process: its words, its streams, and what the system tells it. */
import fs from "node:fs";
import { endUnfinishedAtSignals } from "../store/archive/unfinished.ts";
import { runCli } from "./run.ts";
import { standardOutput } from "./standard-output.ts";
import { UsageError } from "./usage.ts";

export async function runProcess(): Promise<void> {
  const { env } = process;
  const stdout = standardOutput(() => process.stdout);
  // Made when there is something to say.
  const stderr = {
    write: (text: string) => {
      // Who cannot be told why still gets the exit code.
      if (process.stderr.listenerCount("error") === 0) process.stderr.on("error", () => undefined);
      return process.stderr.write(text);
    },
    get isTTY() {
      return process.stderr.isTTY;
    },
  };
  let isPaged = false;
  const openPager = async (command: string) => {
    isPaged = true;
    return (await import("./pager.ts")).openPager(command, env);
  };
  // An interruption is for the pager.
  endUnfinishedAtSignals((signal) => signal !== "SIGINT" || !isPaged);
  // The lock listens for it and ends a process in which nobody else does. What is over the limit of a file's size fails anyway, and is told.
  process.on("SIGXFSZ", () => undefined);
  const argv = process.argv.slice(2);
  process.exitCode = await runCli({ argv, stdin: standardInput, stdout, stderr, env, interruption, openPager });
}

/** Node reads a folder as if nothing stood in it. */
function standardInput(): typeof process.stdin {
  if (fs.fstatSync(0).isDirectory())
    throw new UsageError("standard input is a folder: name a file behind <, or use a pipe");
  return process.stdin;
}

/** The second signal ends the process at once. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    const onSignal = () => {
      if (controller.signal.aborted) {
        process.off(signal, onSignal);
        process.kill(process.pid, signal);
      } else controller.abort();
    };
    // The lock listens for signals, too, and kills a process in which nobody else does any more, as after `once`.
    process.on(signal, onSignal);
  }
  return controller.signal;
}
