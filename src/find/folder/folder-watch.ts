/**
 * Watches a folder of session files with one handle for each folder, not one for each file. Events of the operating system
 * are a hint: what they miss, and what happens in folders that are new, a slow look at every file finds.
 */
import fs from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { sessionFiles } from "./session-files.ts";

const trailMs = 100;
const lookMs = 3000;
/** Looking takes a fifth of the time at most, however many files there are. */
const restFactor = 4;
/** So many files are looked at at once. */
const statsMax = 64;

export class FolderWatch {
  readonly #folder: string;
  readonly #wake: (session: string) => void;
  readonly #watchers = new Map<string, fs.FSWatcher>();
  readonly #trails = new Map<string, NodeJS.Timeout>();
  readonly #seen = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #begun = false;
  #closed = false;

  constructor(folder: string, wake: (session: string) => void) {
    this.#folder = folder;
    this.#wake = wake;
  }

  /** Looks at every file, and again after a while. The first look only remembers. */
  async look(): Promise<void> {
    const startMs = performance.now();
    try {
      await this.#lookOnce();
    } catch (error) {
      if (!this.#begun) throw error;
    }
    this.#begun = true;
    if (!this.#closed)
      this.#timer = setTimeout(() => void this.look(), Math.max(lookMs, restFactor * (performance.now() - startMs)));
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const trail of this.#trails.values()) clearTimeout(trail);
    for (const watcher of this.#watchers.values()) watcher.close();
  }

  async #lookOnce(): Promise<void> {
    this.#watchFolder("");
    const files = [...sessionFiles(this.#folder)];
    for (let index = 0; index < files.length && !this.#closed; index += statsMax) {
      await Promise.all(files.slice(index, index + statsMax).map((file) => this.#lookAt(file)));
    }
  }

  async #lookAt(session: string): Promise<void> {
    this.#watchFolder(path.dirname(session));
    const stats = await stat(path.join(this.#folder, session)).catch(() => undefined);
    const look = stats === undefined ? "" : `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
    if (this.#seen.get(session) === look) return;
    this.#seen.set(session, look);
    if (this.#begun && !this.#closed) this.#wake(session);
  }

  #watchFolder(name: string): void {
    const folder = name === "." ? "" : name;
    if (this.#closed || this.#watchers.has(folder)) return;
    try {
      const watcher = fs.watch(path.join(this.#folder, folder), (_, file) => {
        if (file?.endsWith(".jsonl")) this.#hint(path.join(folder, file));
      });
      // A watcher that fails leaves the slow look.
      watcher.on("error", () => undefined);
      this.#watchers.set(folder, watcher);
    } catch {
      // A folder that is gone is found by the slow look when it is back.
    }
  }

  /** The last event of a burst may be missing. */
  #hint(session: string): void {
    if (this.#closed) return;
    clearTimeout(this.#trails.get(session));
    const trail = setTimeout(() => {
      this.#trails.delete(session);
      this.#wake(session);
    }, trailMs);
    this.#trails.set(session, trail);
    this.#wake(session);
  }
}
