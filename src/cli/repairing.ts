/** This file is `doctor --fix`, which repairs by appending, and `--dry-run`, which tries that on a copy. */

import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fields } from "../event/fields.ts";
import { parseObject } from "../line/decode.ts";
import { storeAt } from "../open/addresses.ts";
import { SessionBytes } from "../store/session-file/session-bytes.ts";
import type { Options } from "./options.ts";
import type { Environment } from "./output.ts";
import { readOptions } from "./session.ts";
import { UsageError } from "./usage.ts";
import { placeNamed } from "./where.ts";

/** The result says what was appended, or would be, in a line each. */
export async function repaired(where: string, options: Options, env: Environment): Promise<readonly string[]> {
  const file = await fileOf(await placeNamed(where, "write", env), options, env);
  return options.flag("dry-run") ? mendedCopy(file, options, env) : mendedFile(file, options, env);
}

/** Only a session file has a last line that tears, and values for older runtimes. */
async function fileOf(where: string, options: Options, env: Environment): Promise<string> {
  const store = await storeOf(where, options, env, true);
  const { file, where: place } = store;
  const foreign = await store
    .sessionId()
    .then(() => store.foreign())
    .finally(() => store.close());
  // Whose file it is refuses to be written, and says what to do instead.
  if (foreign !== undefined) await (await storeOf(where, options, env, false)).close();
  if (file === undefined || foreign !== undefined) {
    throw new UsageError(`--fix repairs journals in session files; in ${place} there is nothing to repair`);
  }
  return place;
}

async function mendedCopy(file: string, options: Options, env: Environment): Promise<readonly string[]> {
  const folder = orNoRoom(file, () => fs.mkdtempSync(path.join(tmpdir(), "session-journal-")));
  const copy = path.join(folder, path.basename(file));
  try {
    orNoRoom(file, () => fs.copyFileSync(file, copy, fs.constants.COPYFILE_FICLONE));
    return await mendedFile(copy, options, env);
  } catch (error) {
    // Nobody knows the copy, and it is gone.
    if (error instanceof Error) error.message = error.message.replaceAll(copy, file);
    throw error;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function orNoRoom<Result>(file: string, make: () => Result): Result {
  try {
    return make();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `--dry-run makes a copy of ${file} in ${tmpdir()}, and cannot (${code}): name another folder in the variable TMPDIR`,
    );
  }
}

async function mendedFile(file: string, options: Options, env: Environment): Promise<readonly string[]> {
  const { size } = fs.statSync(file);
  const store = await storeOf(file, options, env, false);
  try {
    // No records: what is left to do is to repair.
    await store.importRecords("any", nothing());
  } finally {
    await store.close();
  }
  return appendedTo(file, size);
}

async function storeOf(where: string, options: Options, env: Environment, readonly: boolean) {
  return storeAt(where, { ...(await readOptions(options, env)), readonly, create: false });
}

async function* nothing(): AsyncGenerator<never, undefined> {
  // There is none.
}

function appendedTo(file: string, from: number): string[] {
  const opened = SessionBytes.open(file);
  const bytes = opened?.slice(from, opened.size()) ?? Buffer.alloc(0);
  opened?.close();
  const [first = "", ...rest] = bytes.toString("utf8").split("\n");
  const ending = first === "" && rest.length > 0 ? ["a line feed, behind a torn last line"] : [];
  const entries = [first, ...rest].map((line) => parseObject(Buffer.from(line)) ?? {});
  // Others may write at the same time: commits, and with each of them its values.
  const commits = new Set(entries.map(({ data }) => fields(data)["id"]));
  const ours = entries.filter(({ mirror }) => mirror !== undefined && !commits.has(mirror));
  return [...ending, ...ours.map(({ customType }) => described(String(customType)))];
}

function described(customType: string): string {
  return customType.endsWith(":mark")
    ? "a line that puts the host's newest entry on the path again"
    : `the value of ${customType}, for older runtimes`;
}
