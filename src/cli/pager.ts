/** This file starts the program that shows a text which is longer than the screen: PAGER, or less. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Environment, Pager } from "./output.ts";

export async function openPager(command: string, env: Environment): Promise<Pager> {
  // As git sets it: ends at once where all fits, shows colours, leaves the text on the screen.
  const child = spawn(command, { shell: true, stdio: ["pipe", "inherit", "inherit"], env: { LESS: "FRX", ...env } });
  // A reader who leaves the pager early has read enough.
  child.stdin.on("error", () => undefined);
  // An interruption is for the pager; without it, the terminal would be left as the pager set it.
  const ignore = (): void => undefined;
  process.on("SIGINT", ignore);
  const ended = once(child, "close")
    .then(
      ([code]) => code !== notFound && code !== notExecutable,
      () => false,
    )
    .finally(() => process.off("SIGINT", ignore));
  return {
    write: (text) => void child.stdin.write(text),
    ended,
    end() {
      child.stdin.end();
      return ended;
    },
  };
}

/** A shell ends with these codes if it cannot run a command. */
const notFound = 127;
const notExecutable = 126;
