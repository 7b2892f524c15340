/** Lists the session files of a folder. */
import fs from "node:fs";
import path from "node:path";
import { NotASessionError, type StorageError } from "../../errors.ts";
import { unreadable } from "../../store/session-file/session-path.ts";

/** This is called with a folder that cannot be read, by its path, and with the reason. */
type PassedOver = (way: string, reason: StorageError) => void;

/**
 * The result has the paths in `folder`, sorted. A folder in it is read when its turn comes, and passed over if it cannot be read. No link is followed, and
 * what packages bring in `node_modules` is nobody's session.
 */
export function* sessionFiles(folder: string, passedOver: PassedOver = () => undefined, way = ""): Generator<string> {
  for (const name of sorted(namesIn(folder, way, passedOver))) {
    if (name.endsWith(path.sep)) yield* sessionFiles(folder, passedOver, `${way}${name}`);
    else yield `${way}${name}`;
  }
}

/** The first hundredth of more names is sorted before the others, so that whoever lists a large folder sees its first rows sooner. */
const sampleNames = 1000;

/** The names are sorted as whole paths are, for those of folders end with a separator. */
function* sorted(names: string[]): Generator<string> {
  const first = names.slice(0, sampleNames).sort()[sampleNames / 100];
  if (first === undefined || names.length <= sampleNames) return yield* names.sort();
  const soonest = names.filter((name) => name < first).sort();
  yield* soonest;
  names.sort();
  for (let index = soonest.length; index < names.length; index++) yield names[index] as string;
}

function namesIn(top: string, way: string, passedOver: PassedOver): string[] {
  const folder = path.join(top, way);
  try {
    const names: string[] = [];
    for (const entry of entriesOf(folder)) {
      if (!entry.isDirectory() && entry.name.endsWith(".jsonl")) names.push(entry.name);
      else if (entry.isDirectory() && entry.name !== "node_modules") names.push(`${entry.name}${path.sep}`);
    }
    return names;
  } catch (error) {
    return withoutNames(error, folder, way, passedOver);
  }
}

function withoutNames(error: unknown, folder: string, way: string, passedOver: PassedOver): string[] {
  const { code } = error as NodeJS.ErrnoException;
  if (way !== "") {
    // Snapshots lie there, and are their writer's alone.
    const isExpected = code === "ENOENT" || path.basename(folder) === ".session-journal";
    if (!isExpected) passedOver(way, unreadable(folder, error));
    return [];
  }
  const isAbsent = code === "ENOENT" || (code === "ENOTDIR" && !fs.existsSync(folder));
  if (isAbsent) throw new NotASessionError(`${folder} does not exist: check the path`, { file: folder });
  if (code !== "ENOTDIR") throw unreadable(folder, error);
  const advice = `name a folder of sessions, or sqlite:${path.relative("", folder)} where it is a database`;
  throw new NotASessionError(`${folder} is a file: ${advice}`, { file: folder });
}

/**
 * A folder may have a hundred thousand files. To read all entries at once takes twice the memory of their names, and a thousand at once a
 * megabyte and a half more than these, and no less time.
 */
const entriesAtOnce = 128;

/** The entries come in no order. This throws what the operating system does. */
export function* entriesOf(folder: string): Generator<fs.Dirent> {
  const opened = fs.opendirSync(folder, { bufferSize: entriesAtOnce });
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) yield entry;
  } finally {
    opened.closeSync();
  }
}
