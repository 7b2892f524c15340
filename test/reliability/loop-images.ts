/**
 * File systems in files. They lie in an XFS of their own, where copying a file takes one moment of it: what a power cut
 * leaves. What a file system has not yet handed down is not in the copy.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

export type FileSystem = "ext4" | "ext4 without a journal" | "xfs";

export interface Mounted {
  readonly image: string;
  readonly folder: string;
}

const makers: Readonly<Record<FileSystem, readonly [string, ...string[]]>> = {
  ext4: ["mkfs.ext4", "-q", "-F"],
  "ext4 without a journal": ["mkfs.ext4", "-q", "-F", "-O", "^has_journal"],
  xfs: ["mkfs.xfs", "-q", "-f"],
};

/** XFS accepts no smaller one. */
const imageBytes = 320 << 20;
const holderBytes = 6 * 2 ** 30;

/** What this machine lacks for them, in words; empty: nothing. */
export function missingForImages(): string[] {
  if (process.getuid?.() !== 0) return ["root"];
  const missing = ["mkfs.xfs", "mkfs.ext4", "mount"].filter((tool) => !hasTool(tool));
  if (missing.length > 0) return missing;
  try {
    new LoopImages().close();
    return [];
  } catch {
    return ["loop devices, or an XFS to mount from them"];
  }
}

export function hasTool(tool: string): boolean {
  try {
    execFileSync("which", [tool], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export function run(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"] });
}

export class LoopImages {
  readonly #folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-images-"));
  readonly #mounts: string[] = [];
  readonly #holder: string;
  #count = 0;

  constructor() {
    try {
      const image = path.join(this.#folder, "holder.img");
      this.#create(image, holderBytes, ["mkfs.xfs", "-q", "-f", "-m", "reflink=1"]);
      this.#holder = this.#mount(image, []);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  make(kind: FileSystem): Mounted {
    const image = path.join(this.#holder, `${this.#count++}.img`);
    this.#create(image, imageBytes, makers[kind]);
    return { image, folder: this.#mount(image, []) };
  }

  /** The disk as it is now, as the machine finds it when it starts again. */
  cut({ image }: Mounted, kind: FileSystem): Mounted {
    const copy = path.join(this.#holder, `${this.#count++}.img`);
    run("cp", "--reflink=always", image, copy);
    if (kind === "ext4 without a journal") this.#repair(copy);
    return { image: copy, folder: this.#mount(copy, kind === "xfs" ? ["nouuid"] : []) };
  }

  remove({ image, folder }: Mounted): void {
    run("umount", folder);
    this.#mounts.splice(this.#mounts.indexOf(folder), 1);
    fs.rmdirSync(folder);
    fs.rmSync(image);
  }

  close(): void {
    for (const mount of this.#mounts.reverse()) run("umount", mount);
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  #create(image: string, bytes: number, [maker, ...options]: readonly [string, ...string[]]): void {
    fs.writeFileSync(image, "");
    fs.truncateSync(image, bytes);
    run(maker, ...options, image);
  }

  #mount(image: string, options: readonly string[]): string {
    const folder = path.join(this.#folder, `mount-${this.#count++}`);
    fs.mkdirSync(folder);
    run("mount", "-o", ["loop", ...options].join(","), image, folder);
    this.#mounts.push(folder);
    return folder;
  }

  /** As the machine does before it mounts: ended with 1 where there was something to repair. */
  #repair(image: string): void {
    try {
      run("e2fsck", "-fy", image);
    } catch (error) {
      if ((error as { status?: number }).status !== 1) throw error;
    }
  }
}
