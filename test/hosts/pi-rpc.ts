/** pi in RPC mode: commands in, events out, a line each. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { PiHome } from "./pi-home.ts";

export interface PiEvent {
  readonly type: string;
  readonly [name: string]: unknown;
}

export class PiRpc {
  readonly events: PiEvent[] = [];
  stderr = "";
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting: { readonly test: (event: PiEvent) => boolean; readonly done: (event: PiEvent) => void }[] = [];

  constructor(pi: PiHome, ...args: readonly string[]) {
    const [node, script] = pi.command;
    this.#child = spawn(node, [script, "--mode", "rpc", ...args], { cwd: pi.work, env: pi.environment });
    onTestFinished(() => void this.#child.kill());
    this.#child.stderr.on("data", (data) => {
      this.stderr += String(data);
    });
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#take(JSON.parse(line)));
  }

  send(command: { readonly type: string; readonly [name: string]: unknown }): void {
    this.#child.stdin.write(`${JSON.stringify(command)}\n`);
  }

  /** The next event that is one. */
  next(test: (event: PiEvent) => boolean): Promise<PiEvent> {
    return new Promise((done) => this.#waiting.push({ test, done }));
  }

  /** Sends what the user says. While pi is at work it refuses that, also after it has asked the user something: then it is sent again. */
  async say(message: string): Promise<void> {
    for (let isTaken = false; !isTaken; ) {
      const answered = this.next(({ type, command }) => type === "response" && command === "prompt");
      this.send({ type: "prompt", message });
      isTaken = (await answered)["success"] === true;
      if (!isTaken) await setTimeout(20);
    }
  }

  /** Sends what the user says, and waits for the answer that ends the run. */
  async prompt(message: string, isLast = (text: string) => text.startsWith("Answer")): Promise<void> {
    const answered = this.next(
      ({ type, messages }) =>
        type === "agent_end" && isLast(textOf((messages as readonly { content: unknown }[]).at(-1))),
    );
    await this.say(message);
    await answered;
  }

  async end(): Promise<void> {
    const ended = new Promise((done) => this.#child.once("close", done));
    this.#child.stdin.end();
    await ended;
  }

  #take(event: PiEvent): void {
    this.events.push(event);
    for (const waiting of this.#waiting.filter(({ test }) => test(event))) {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.done(event);
    }
  }
}

function textOf(message: { readonly content: unknown } | undefined): string {
  const content = Array.isArray(message?.content) ? (message.content as { text?: string }[]) : [];
  return content.map(({ text = "" }) => text).join("");
}
