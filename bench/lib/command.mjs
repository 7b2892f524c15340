// The command line as its users run it: when its first output comes, when it ends, and the most memory that it takes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { commandOf, dist } from "./dist.mjs";

const telling = pathToFileURL(resolve(import.meta.dirname, "tell-peak.mjs")).href;

/** `{ firstMs, ms, peakMb, bytes, errors }`: `bytes` of output; `errors`: what it said on standard error. */
export async function timeCommand(...words) {
  const start = performance.now();
  const command = ["--import", telling, commandOf(dist), ...words];
  const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "pipe", "pipe"] });
  let firstMs = Number.NaN;
  let bytes = 0;
  child.stdout.on("data", (piece) => {
    if (bytes === 0) firstMs = performance.now() - start;
    bytes += piece.length;
  });
  let [errors, peak] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  child.stdio[3].setEncoding("utf8").on("data", (text) => {
    peak += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`Error: ${words.join(" ")} ended with ${code}: ${errors}`);
  return { firstMs, ms: performance.now() - start, peakMb: Number(peak), bytes, errors };
}
