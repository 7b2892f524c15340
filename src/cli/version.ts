import { readFileSync } from "node:fs";

/** The manifest of this package, wherever its command lies in it. */
export function manifestUrl(): URL {
  return new URL("../../package.json", import.meta.url);
}

/** The result is the version of this package, from its manifest. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(manifestUrl(), "utf8")) as { version: string }).version;
}
