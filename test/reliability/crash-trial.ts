/** Puts a session into the states that a crash may leave, one after the other, and judges what becomes of it. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { isJournalError } from "../../src/errors.ts";
import type { Journal } from "../../src/journal/public.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import type { Call, CrashState } from "./crash-states.ts";

interface Asked {
  readonly command: string;
  readonly action: object;
}

interface Judgement {
  readonly violations: readonly string[];
  /** Nothing had been acknowledged yet, and what is there is no session: said so. */
  readonly refused: boolean;
}

const sessionName = "session.jsonl";

export class CrashTrial {
  readonly calls: readonly Call[];
  readonly #folder: string;
  readonly #file: string;
  readonly #asked: readonly Asked[];
  /** What is the session in the end: it stays the same file, which its snapshot knows it by. */
  readonly #session: number | undefined;

  constructor(folder: string, story: string) {
    this.#folder = folder;
    this.#file = path.join(folder, sessionName);
    const program = path.join(import.meta.dirname, "record-calls.mjs");
    this.calls = JSON.parse(execFileSync(process.execPath, [program, folder, story], { encoding: "utf8" })) as Call[];
    this.#asked = this.calls.filter((each) => each.call === "acknowledged");
    this.#session = this.calls.map(sessionNode).findLast((node) => node !== undefined);
  }

  async judge(state: CrashState, withLock: boolean): Promise<Judgement> {
    this.#make(state);
    const side = path.join(this.#folder, ".session-journal");
    if (withLock && fs.existsSync(side)) fs.mkdirSync(path.join(side, `${sessionName}.lock`));
    const { violations, refused } = await this.#opened(state);
    const { tree, acknowledged } = state;
    const names = [...tree].map(([name, content]) => `${name} ${content?.bytes.length ?? ""}`.trim());
    const place = `${names.join(", ")} after ${acknowledged.length} acknowledgements`;
    return { violations: violations.map((each) => `${place}: ${each}`), refused };
  }

  #make({ tree }: CrashState): void {
    const parked = path.join(this.#folder, "parked");
    for (const name of fs.readdirSync(this.#folder)) {
      if (name === sessionName && !fs.existsSync(parked)) fs.renameSync(this.#file, parked);
      else if (name !== "parked") fs.rmSync(path.join(this.#folder, name), { recursive: true });
    }
    for (const [name, content] of tree) {
      const at = path.join(this.#folder, name);
      if (content === undefined) fs.mkdirSync(at, { recursive: true });
      else if (content.node !== this.#session || name !== sessionName) fs.writeFileSync(at, content.bytes);
      else {
        fs.writeFileSync(parked, content.bytes);
        fs.renameSync(parked, at);
      }
    }
  }

  async #opened(state: CrashState): Promise<Judgement> {
    const { made, acknowledged } = state;
    if (made && !fs.existsSync(this.#file)) return { violations: ["the session is gone"], refused: false };
    let journal: Journal;
    try {
      journal = await openJournal(this.#file, { durability: "os", lock: { waitMs: 0 } });
    } catch (error) {
      const refused = isJournalError(error, "not_a_session") && !made && acknowledged.length === 0;
      return { violations: refused ? [] : [`does not open: ${error}`], refused };
    }
    const found = await commandsOf(journal);
    const violations = acknowledged
      .filter((command) => !found.includes(command))
      .map((command) => `${command} is lost`);
    violations.push(...(await this.#goOn(journal)));
    const kept = journal.state;
    await journal.close();
    return { violations: [...violations, ...(await this.#fresh(kept, isHollow(state)))], refused: false };
  }

  /** Everything is asked once more, and something new. */
  async #goOn(journal: Journal): Promise<string[]> {
    const refusals: string[] = [];
    const next = { command: "next", action: { action: "set_plan", content: "go on" } };
    for (const { command, action } of [...this.#asked, next]) {
      const { ok, message } = await journal.applyUnknown(action, { command });
      if (!ok) refusals.push(`${command} is refused: ${message}`);
    }
    return refusals;
  }

  /** Each is there once, and without a snapshot the state is the same. */
  async #fresh(state: Journal["state"], mayBeDamaged: boolean): Promise<string[]> {
    fs.rmSync(path.join(this.#folder, ".session-journal"), { recursive: true, force: true });
    const fresh = await openJournal(this.#file, { readonly: true });
    const found = await commandsOf(fresh);
    const { ok, findings } = await fresh.verify();
    const expected = [...this.#asked.map(({ command }) => command), "next"].sort();
    const violations = [
      ...(found.sort().join() === expected.join() ? [] : [`found then: ${found}`]),
      ...(ok || mayBeDamaged ? [] : [`damage: ${JSON.stringify(findings)}`]),
      ...(JSON.stringify(fresh.state) === JSON.stringify(state) ? [] : ["the state is another without the snapshot"]),
    ];
    await fresh.close();
    return violations;
  }
}

function sessionNode(call: Call): number | undefined {
  if (call.call === "create" && call.name === sessionName) return call.node;
  return call.call === "rename" && call.to === sessionName ? call.node : undefined;
}

/** Bytes that were never written, and written ones behind them: `verify` cannot know that nobody erased them. */
function isHollow({ tree }: CrashState): boolean {
  const bytes = tree.get(sessionName)?.bytes ?? Buffer.alloc(0);
  const first = bytes.indexOf(0);
  return first !== -1 && bytes.subarray(first).some((byte) => byte !== 0);
}

async function commandsOf(journal: Journal): Promise<string[]> {
  const found: string[] = [];
  for await (const { command } of journal.history()) if (command !== undefined) found.push(command);
  return found;
}
