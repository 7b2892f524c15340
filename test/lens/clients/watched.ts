/** What the library and the command line see of a session while its client writes it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RecordedEvent, ScratchpadEvent } from "../../../src/event/event.ts";
import type { ForeignSession } from "../../../src/event/foreign.ts";
import { type Journal, openJournal } from "../../../src/index.ts";
import { allOf } from "../../../src/journal/readings.ts";

const command = resolve("dist/command/cli.cjs");
const waitMs = 20_000;

export interface Seen {
  /** By who followed in the library, and on the command line. */
  readonly live: readonly ScratchpadEvent[];
  readonly printed: readonly ScratchpadEvent[];
  /** How often the history became another one while they looked. */
  readonly resets: number;
  /** By who read it when all was written. */
  readonly history: readonly RecordedEvent[];
  readonly foreign: ForeignSession;
}

export class Watched {
  readonly #live: ScratchpadEvent[] = [];
  readonly #journal: Journal;
  readonly #address: string;
  readonly #follower: ChildProcess;
  #printed = "";
  #resets = 0;

  private constructor(address: string, journal: Journal) {
    this.#address = address;
    this.#journal = journal;
    this.#follower = spawn(process.execPath, [command, "follow", address, "--from", "0"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#follower.stdout?.on("data", (piece) => {
      this.#printed += piece;
    });
    void this.#follow();
  }

  /** As soon as `find` says where the session is, and it can be read. */
  static async begin(find: () => string | undefined): Promise<Watched> {
    for (let waited = 0; waited < waitMs * 3; waited += 20) {
      const address = find();
      const journal = address === undefined ? undefined : await opened(address);
      if (address !== undefined && journal !== undefined) return new Watched(address, journal);
      await sleep(20);
    }
    throw new Error("the client wrote no session");
  }

  async #follow(): Promise<void> {
    for await (const change of this.#journal.changes({ from: 0 })) {
      if (change.type === "event") this.#live.push(change.event);
      else this.#resets += 1;
    }
  }

  /** Waits until both who follow have seen so many events. */
  async until(count: number): Promise<void> {
    for (let waited = 0; waited < waitMs; waited += 20) {
      if (this.#live.length >= count && this.#printedEvents().length >= count) return;
      await sleep(20);
    }
    throw new Error(`saw ${this.#live.length} and ${this.#printedEvents().length} of ${count} events`);
  }

  /** When the client has ended. Waits until both have seen what is in the file. */
  async end(): Promise<Seen> {
    const journal = await openJournal(this.#address, { readonly: true });
    const history = await allOf(journal.history());
    const foreign = await journal.foreign();
    await journal.close();
    if (foreign === undefined) throw new Error(`${this.#address} is no session of another client`);
    for (let waited = 0; waited < waitMs && !this.#haveSeen(history); waited += 50) await sleep(50);
    const printed = this.#printedEvents();
    await this.stop();
    return { live: this.#live, printed, resets: this.#resets, history, foreign };
  }

  async stop(): Promise<void> {
    await this.#journal.close();
    if (this.#follower.exitCode !== null) return;
    this.#follower.kill("SIGINT");
    await once(this.#follower, "exit");
  }

  #haveSeen(history: readonly RecordedEvent[]): boolean {
    const last = JSON.stringify(history.at(-1)?.event);
    return [this.#live, this.#printedEvents()].every(
      (seen) => seen.length >= history.length && JSON.stringify(seen.at(-1)) === last,
    );
  }

  #printedEvents(): ScratchpadEvent[] {
    const lines = this.#printed.split("\n").slice(0, -1);
    return lines.flatMap((line): ScratchpadEvent[] => {
      const change: { type: string; event: ScratchpadEvent } = JSON.parse(line);
      return change.type === "event" ? [change.event] : [];
    });
  }
}

/** Not yet a session, as long as the client has not written a line that says so. */
async function opened(address: string): Promise<Journal | undefined> {
  return openJournal(address, { readonly: true }).catch(() => undefined);
}
