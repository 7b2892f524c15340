/** A process that writes to a session when told to, and says what it was told by the journal. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";

export interface Report {
  /** Failures of the disk that the journal told of, so far. */
  readonly failures: number;
  readonly violations: readonly string[];
  readonly fates: Readonly<Record<string, "acknowledged" | "not-written" | "unknown" | "not-tried">>;
}

export type Order =
  | { readonly do: "write"; readonly commands: readonly string[] }
  | { readonly do: "check"; readonly when: string }
  | { readonly do: "hoard"; readonly but: number }
  | { readonly do: "snapshot" | "refresh" | "close" | "release" };

export class OrderedWriter {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;
  #said = "";

  /** `limit`: of the shell's `ulimit`. */
  constructor(file: string, limit?: string) {
    const program = [process.execPath, path.join(import.meta.dirname, "write-on-order.mjs"), file, "fsync"];
    const [name = "", ...rest] =
      limit === undefined ? program : ["bash", "-c", `ulimit ${limit}; exec "$@"`, "bash", ...program];
    this.#child = spawn(name, rest);
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#said += text;
    });
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  async order(order: Order): Promise<Report> {
    this.#child.stdin.write(`${JSON.stringify(order)}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error(`the writer ended: ${this.#said}`);
    return JSON.parse(value) as Report;
  }

  write(...commands: readonly string[]): Promise<Report> {
    return this.order({ do: "write", commands });
  }

  /** Once the fault is gone: everything is asked again, by a handle that has seen it and by one that has not. */
  async recover(commands: readonly string[]): Promise<Report> {
    await this.order({ do: "check", when: "with the fault gone" });
    await this.write(...commands, "c98");
    await this.order({ do: "snapshot" });
    await this.order({ do: "close" });
    await this.write("c99");
    return this.order({ do: "check", when: "after it" });
  }

  async end(): Promise<void> {
    const closed = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await closed;
  }
}
