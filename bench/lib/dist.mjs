// The build under measurement: dist, or the one that SESSION_JOURNAL_DIST names. Its package.json lies beside it.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export const dist = process.env.SESSION_JOURNAL_DIST ?? resolve(import.meta.dirname, "../../dist");

/** Loads a module from within that build: `load("line/encode.js")`. */
export function load(path) {
  return import(pathToFileURL(join(dist, path)).href);
}

/** Loads what users import: `library()`, `library("./audit")`. */
export function library(entry = ".") {
  return import(pathToFileURL(entryOf(dist, entry)).href);
}

/** The file that users import, of any build. */
export function entryOf(folder, entry = ".") {
  return resolve(folder, "..", manifestOf(folder).exports[entry].default);
}

/** The file behind the command `session-journal`, of any build. */
export function commandOf(folder) {
  return resolve(folder, "..", manifestOf(folder).bin["session-journal"]);
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, "..", "package.json"), "utf8"));
}
