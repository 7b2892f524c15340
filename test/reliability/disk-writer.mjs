/** Writes to a journal while the disk fails, and keeps account of what it was told. On the built package. */
import { isJournalError, openJournal } from "../../dist/index.js";

/** What a failing disk may make of a call: `src/errors.ts` says when. */
const codesOfDisks = ["storage"];

/** What is attempted besides writing under a command. */
const calls = ["open", "snapshot", "refresh", "close"];

/** @typedef {"acknowledged" | "not-written" | "unknown" | "not-tried"} Fate */

export class DiskWriter {
  file;
  /** By command, in the order of the first attempt. */
  fates = new Map();
  /** Commands in the order in which they were acknowledged. */
  acknowledged = [];
  /** What must not have happened. */
  violations = [];
  /** Failures that were reported as documented. */
  failures = 0;
  /** Commands that may have been written before they were acknowledged. */
  #doubted = new Set();
  #options;
  #journal;

  constructor(file, options = {}) {
    this.file = file;
    this.#options = options;
  }

  async open() {
    if (this.#journal === undefined) {
      this.#journal = await this.#attempt("open", () => openJournal(this.file, this.#options));
    }
    return this.#journal;
  }

  async write(command) {
    if (this.fates.get(command) === "acknowledged") return;
    const journal = await this.open();
    if (journal === undefined) {
      if (!this.fates.has(command)) this.fates.set(command, "not-tried");
      return;
    }
    const answer = await this.#attempt(command, () => journal.apply(actionOf(command), { command }));
    if (answer === undefined) return;
    if (!answer.ok) this.violations.push(`${command}: refused: ${answer.message}`);
    this.fates.set(command, "acknowledged");
    this.acknowledged.push(command);
  }

  async snapshot() {
    const journal = await this.open();
    if (journal !== undefined) await this.#attempt("snapshot", () => journal.snapshot());
  }

  async refresh() {
    const journal = await this.open();
    if (journal !== undefined) await this.#attempt("refresh", () => journal.refresh());
  }

  /** What a fresh reader finds. To be called while the disk works. */
  async check(when) {
    const fresh = await this.#fresh(when);
    if (fresh === undefined) return;
    const found = [];
    for await (const { command } of fresh.history()) if (this.fates.has(command)) found.push(command);
    const note = (what, commands) => {
      if (commands.length > 0) this.violations.push(`${when}: ${what}: ${commands.join(", ")}`);
    };
    note(
      "acknowledged, but lost",
      this.acknowledged.filter((command) => !found.includes(command)),
    );
    note(
      "there twice",
      found.filter((command, at) => found.indexOf(command) !== at),
    );
    note(
      "said not to be written, but there",
      found.filter((command) => this.fates.get(command) === "not-written"),
    );
    const atOnce = this.acknowledged.filter((command) => !this.#doubted.has(command));
    const order = found.filter((command) => atOnce.includes(command));
    if (order.join() !== atOnce.join()) this.violations.push(`${when}: in another order: ${order}`);
    const { ok, findings } = await fresh.verify();
    if (!ok) this.violations.push(`${when}: damage: ${JSON.stringify(findings)}`);
    await this.#compare(when, fresh);
    await fresh.close();
  }

  /** While nothing was acknowledged, there may be no session yet. */
  async #fresh(when) {
    try {
      return await openJournal(this.file, { readonly: true });
    } catch (error) {
      if (!isJournalError(error, "not_a_session") || this.acknowledged.length > 0)
        this.violations.push(`${when}: cannot be read: ${error?.stack ?? error}`);
      return undefined;
    }
  }

  /** The handle that has seen the failures must know what a fresh one does. */
  async #compare(when, fresh) {
    await this.refresh();
    const mine = this.#journal;
    if (mine === undefined || !when.startsWith("after")) return;
    if (mine.version !== fresh.version || JSON.stringify(mine.state) !== JSON.stringify(fresh.state))
      this.violations.push(`${when}: its own handle is at v${mine.version}, a fresh one at v${fresh.version}`);
  }

  async close() {
    const journal = this.#journal;
    this.#journal = undefined;
    if (journal !== undefined) await this.#attempt("close", () => journal.close());
  }

  async #attempt(what, task) {
    try {
      return await task();
    } catch (error) {
      if (isJournalError(error) && codesOfDisks.includes(error.code)) {
        this.failures += 1;
        if (error.fate === "unknown") this.#doubted.add(what);
        if (!calls.includes(what) && !this.#doubted.has(what)) this.fates.set(what, error.fate);
        if (this.#doubted.has(what) && !calls.includes(what)) this.fates.set(what, "unknown");
      } else this.violations.push(`${what}: undocumented: ${error?.stack ?? error}`);
      return undefined;
    }
  }
}

/** One of each kind that the file holds: with a mirror, with none, with a long line. */
function actionOf(command) {
  const number = Number(command.replaceAll(/\D/g, ""));
  if (number % 3 === 0) return { action: "set_plan", content: `${command} 😀` };
  if (number % 3 === 1) return { action: "refs.add", ref: `${command}.ts` };
  return { action: "entries.write", key: `key-${number % 5}`, content: command.padEnd(9_000, "é") };
}
