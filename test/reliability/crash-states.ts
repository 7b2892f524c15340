/**
 * What a crash may leave of a sequence of calls. A disk keeps what was synced, and of the rest whatever it likes: of a file
 * any part of what was written since, in any order, with NULs where data was never written; of a folder any of the names
 * that were given since.
 */
import { createHash } from "node:crypto";

export type Call =
  | { readonly call: "create"; readonly name: string; readonly node: number }
  | { readonly call: "mkdir"; readonly name: string }
  /** At the end. */
  | { readonly call: "write"; readonly node: number; readonly bytes: string }
  | { readonly call: "rename"; readonly from: string; readonly to: string; readonly node: number }
  | { readonly call: "sync"; readonly node: number }
  | { readonly call: "sync-folder"; readonly name: string }
  /** Not of the file system: what the writer was told. */
  | { readonly call: "made" }
  | { readonly call: "acknowledged"; readonly command: string; readonly action: object };

export interface CrashState {
  /** By name; folders hold undefined. */
  readonly tree: ReadonlyMap<string, Content>;
  /** What was told before the crash. */
  readonly made: boolean;
  readonly acknowledged: readonly string[];
}

export type Content = { readonly node: number; readonly bytes: Buffer } | undefined;

/** Every state after every call, each once, with the most that was acknowledged in it. */
export function crashStates(calls: readonly Call[]): CrashState[] {
  const states = new Map<string, CrashState>();
  for (let end = 0; end <= calls.length; end++) {
    const before = calls.slice(0, end);
    const told = {
      made: before.some(({ call }) => call === "made"),
      acknowledged: before.flatMap((each) => (each.call === "acknowledged" ? [each.command] : [])),
    };
    for (const tree of treesAfter(before)) states.set(digestOf(tree), { tree, ...told });
  }
  return [...states.values()];
}

function digestOf(tree: CrashState["tree"]): string {
  const hash = createHash("sha256");
  for (const [name, content] of [...tree].sort()) hash.update(`${name}\0${content?.bytes.toString("hex")}\0`);
  return hash.digest("hex");
}

function* treesAfter(calls: readonly Call[]): Generator<Map<string, Content>> {
  for (const names of namesAfter(calls)) {
    let trees: Map<string, Content>[] = [new Map()];
    for (const [name, node] of names) {
      const contents = node === undefined ? [undefined] : contentsOf(node, calls);
      trees = trees.flatMap((tree) => contents.map((content) => new Map(tree).set(name, content)));
    }
    yield* trees;
  }
}

type Names = ReadonlyMap<string, number | undefined>;
type Naming = Extract<Call, { call: "create" | "mkdir" | "rename" }>;

/** The synced ones, and any of those that were given since. */
function* namesAfter(calls: readonly Call[]): Generator<Names> {
  const synced: Naming[] = [];
  const open: Naming[] = [];
  calls.forEach((each, at) => {
    if (each.call !== "create" && each.call !== "mkdir" && each.call !== "rename") return;
    const folder = folderOf(each.call === "rename" ? each.to : each.name);
    const isSynced = calls.slice(at).some((later) => later.call === "sync-folder" && later.name === folder);
    (isSynced ? synced : open).push(each);
  });
  for (let choice = 0; choice < 2 ** open.length; choice++) {
    const kept = open.filter((_, at) => (choice >> at) % 2 === 1);
    yield named(calls.filter((each) => (synced as Call[]).includes(each) || (kept as Call[]).includes(each)));
  }
}

function folderOf(name: string): string {
  return name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : "";
}

/** What is in a folder that was lost is lost. */
function named(calls: readonly Call[]): Names {
  const names = new Map<string, number | undefined>();
  for (const each of calls) {
    if (each.call === "create") names.set(each.name, each.node);
    else if (each.call === "mkdir") names.set(each.name, undefined);
    else if (each.call === "rename") {
      names.set(each.to, each.node);
      names.delete(each.from);
    }
  }
  for (const name of [...names.keys()]) {
    const folder = folderOf(name);
    if (folder !== "" && !names.has(folder)) names.delete(name);
  }
  return names;
}

function contentsOf(node: number, calls: readonly Call[]): Content[] {
  const lastSync = calls.findLastIndex((each) => each.call === "sync" && each.node === node);
  const bytesOf = (some: readonly Call[]): Buffer[] =>
    some.flatMap((each) => (each.call === "write" && each.node === node ? [Buffer.from(each.bytes, "base64")] : []));
  const synced = Buffer.concat(bytesOf(calls.slice(0, lastSync + 1)));
  return tailsOf(bytesOf(calls.slice(lastSync + 1))).map((tail) => ({ node, bytes: Buffer.concat([synced, tail]) }));
}

/** Of writes that were not synced: nothing, cut off anywhere, or with NULs for what was never written. */
function tailsOf(writes: readonly Buffer[]): Buffer[] {
  const whole = Buffer.concat(writes);
  const tails = new Map<string, Buffer>([["", Buffer.alloc(0)]]);
  let start = 0;
  for (const { length } of writes) {
    for (const cut of [1, length >> 2, length >> 1, length - 1, length]) {
      const tail = whole.subarray(0, start + cut);
      const lacking = Buffer.from(tail).fill(0, start);
      const late = Buffer.from(tail).fill(0, 0, start + (cut >> 1));
      for (const each of [tail, lacking, late, Buffer.alloc(tail.length)]) tails.set(each.toString("latin1"), each);
    }
    start += length;
  }
  return [...tails.values()];
}
