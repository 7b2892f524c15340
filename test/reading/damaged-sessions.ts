/** Session files that somebody has prepared, or a disk, or a host: made of a seed, each line with whatever may be wrong with it. */
import { createHmac } from "node:crypto";
import { hashText } from "../../src/line/chain.ts";
import { canonicalJson } from "../../src/line/json.ts";
import { newRandom, type Random } from "../reliability/random.ts";
import { damageBytes, damageLines, damageText } from "./damages.ts";

export interface Prepared {
  readonly bytes: Buffer;
  /** What readers are given to read it with. */
  readonly key: string | undefined;
  /** Entries hang on each other as they stand, so that the policies must agree. */
  readonly isLinear: boolean;
}

const name = "openclaw:scratchpad";
const sealKey = "the key of a seal";

/** One of each; the first is what is usual. */
const oddTimes: readonly unknown[] = ["2026-11-21T20:00:05.000Z", "yesterday", "", 5, null, undefined, "2026-11-21"];
const oddActors: readonly unknown[] = ["agent", true, 5, {}, undefined, "", null, ["agent"]];
const oddCommands: readonly unknown[] = [undefined, "call-1", "call-2", "", 5, null, true, "c".repeat(41), "#"];
const oddIds: readonly unknown[] = ["commit-1", "", 5, null, undefined, "commit-2", {}];
const oddSchemas: readonly unknown[] = [1, 0, 2, "1", 1.5, -1, null];
const texts = [
  "one",
  "two\nlines",
  'a "quote" \\ slash',
  "é 😀 \u2028",
  "\ud800 alone",
  "x\u0000\u001f\u007f\u0085",
  "",
  "user",
];

export function preparedSession(seed: number): Prepared {
  const random = newRandom(seed);
  const maker = new Maker(random);
  const lines = maker.lines();
  const isWhole = random.chance(15);
  const damagedLines = isWhole ? lines : damageLines(lines, random);
  const texts = damagedLines.map((line) => (!isWhole && random.chance(20) ? damageText(line, random) : line));
  const bytes = Buffer.from(texts.map((line) => `${line}\n`).join(""));
  const isHurt = !isWhole && random.chance(40);
  return { bytes: isHurt ? damageBytes(bytes, random) : bytes, key: maker.key, isLinear: isWhole };
}

class Maker {
  readonly key: string | undefined;
  readonly #random: Random;
  /** Commits are sealed with this, whether or not the reader has it. */
  readonly #seal: string | undefined;
  readonly #session: string;
  #version = 0;
  #head: string;
  #count = 0;
  #parent: string | null = null;
  #lastCommit = "";

  constructor(random: Random) {
    this.#random = random;
    this.#seal = random.chance(25) ? sealKey : undefined;
    this.key =
      this.#seal !== undefined && random.chance(50) ? this.#seal : random.chance(2) ? "another key" : undefined;
    this.#session = `session ${random.seed}`;
    this.#head = this.#hash(this.#session);
  }

  lines(): string[] {
    const lines = [this.#header()];
    const count = 1 + this.#random.below(10);
    while (lines.length <= count) lines.push(...this.#next());
    return lines;
  }

  #header(): string {
    const version = this.#pick([3, 3, 3, 1, 2, 4, undefined]);
    const parentSession = this.#random.chance(10) ? "parent.jsonl" : undefined;
    const place = { timestamp: "2026-11-21T20:00:00.000Z", cwd: "/", parentSession };
    return JSON.stringify({ type: "session", version, id: this.#session, ...place });
  }

  #next(): string[] {
    const kind = this.#random.below(100);
    if (kind < 45) return this.#commit();
    if (kind < 60) return [this.#entry({ type: "message", message: { role: "user", content: this.#text() } })];
    if (kind < 68)
      return [
        this.#entry({
          type: "message",
          message: { content: this.#text(), role: this.#pick(["user", "assistant", "toolResult"]) },
        }),
      ];
    if (kind < 85) return [this.#value()];
    if (kind < 89) return [this.#entry({ type: "custom", customType: `${name}:mark`, mirror: this.#lastCommit })];
    if (kind < 92)
      return [
        this.#entry({ type: "custom", customType: `acme:${this.#pick(["pad", "events"])}`, data: { role: "user" } }),
      ];
    if (kind < 95)
      return [this.#entry({ type: this.#pick(["compaction", "label", "model_change"]), summary: `"${name}:notes"` })];
    return [this.#pick(["", " \t\r", "x", "[]", "null", '"user"', `["${name}:events"]`, "\0\0\0", "{}"])];
  }

  #value(): string {
    const key = this.#pick([":notes", ":plan", ":refs", "", ":other"]);
    const fit = key === ":refs" ? ["a", 5, this.#text(), null] : this.#text();
    const data = this.#random.chance(85) ? fit : this.#pick([null, 5, {}, [["a"]], undefined, true]);
    const mirror = this.#random.chance(25) ? this.#pick([this.#lastCommit, "", null, 5, "nowhere"]) : undefined;
    if (mirror === undefined && key !== ":other") this.#version += 1;
    return this.#entry({ type: "custom", customType: `${name}${key}`, data, mirror });
  }

  /** With its mirror, most of the time. */
  #commit(): string[] {
    const events = Array.from({ length: 1 + this.#random.below(this.#random.chance(30) ? 3 : 1) }, () => this.#event());
    const data = this.#odd({
      v: 1,
      at: "2026-11-21T20:00:01.000Z",
      id: `commit ${this.#count}`,
      version: this.#version + events.length,
      events,
      prev: this.#head,
    });
    const hash = this.#hash(this.#canonical(data), this.#random.chance(4));
    const whole = {
      ...data,
      hash: this.#random.chance(3) ? this.#pick(["", "0".repeat(32), hash.toUpperCase(), 5, "z".repeat(64)]) : hash,
    };
    if (whole.hash === hash && data["version"] === this.#version + events.length) {
      this.#version += events.length;
      this.#head = hash;
      this.#lastCommit = String(data["id"]);
    }
    const line = this.#entry({
      type: "custom",
      customType: `${name}:events`,
      data: this.#random.chance(80) ? JSON.parse(this.#canonical(whole)) : whole,
    });
    const text = events.findLast(({ type }) => type === "notes.set")?.["text"];
    const hasMirror = typeof text === "string" && this.#random.chance(70);
    return hasMirror
      ? [line, this.#entry({ type: "custom", customType: `${name}:notes`, data: text, mirror: data["id"] })]
      : [line];
  }

  /** Of ten commits one says something that a writer would not. */
  #odd(data: Record<string, unknown>): Record<string, unknown> {
    if (!this.#random.chance(12)) return data;
    const deep = (levels: number): unknown => (levels === 0 ? 1 : { d: deep(levels - 1) });
    const odds: (() => Record<string, unknown>)[] = [
      () => ({ id: this.#pick(oddIds) }),
      () => ({ at: this.#pick(oddTimes) }),
      () => ({ v: this.#pick(oddSchemas) }),
      () => ({ version: this.#pick([this.#version, this.#version + 5, -1, 0, 1, 2 ** 53, 1.5, "7", null]) }),
      () => ({ prev: this.#pick(["", "0".repeat(32), null, 5, this.#hash(this.#session)]) }),
      () => ({ events: this.#pick([[], {}, null, ["x"], [{}], [{ type: 5 }], [null]]) }),
      () => ({ extra: deep(this.#pick([1, 62, 63, 64, 65, 200])) }),
    ];
    return { ...data, ...this.#pick(odds)() };
  }

  #event(): Record<string, unknown> & { readonly type: unknown } {
    const by = {
      actor: this.#random.chance(85) ? "agent" : this.#pick(oddActors),
      command: this.#random.chance(75) ? `call ${this.#count}` : this.#pick(oddCommands),
    };
    return { ...this.#change(), ...by };
  }

  #change(): Record<string, unknown> & { readonly type: unknown } {
    const text = this.#text();
    return this.#pick([
      { type: "notes.set", text },
      { type: "notes.set", text, ignored: true },
      { type: "notes.appended", text },
      {
        type: "notes.edited",
        operation: this.#pick(["find_replace", "prepend", "append", "delete", "other"]),
        find: "o",
        replace: text,
        text,
        all: true,
      },
      { type: "plan.set", text },
      { type: "plan.set", text: 5 },
      { type: "ref.added", ref: text, evicted: this.#pick([undefined, "a", null]) },
      { type: "ref.removed", ref: text },
      { type: "refs.set", refs: ["a", text] },
      { type: "entry.written", key: this.#pick(["k", "__proto__", "constructor"]), text },
      { type: "entry.deleted", key: "k" },
      { type: "lease.claimed", key: "k", holder: "h", until: "2026-11-22T00:00:00.000Z" },
      { type: "lease.released", key: "k", holder: "h" },
      {
        type: "section.written",
        name: "s",
        text,
        at: "2026-11-21T20:00:00.000Z",
        ttlMinutes: this.#pick([undefined, 5, 1.5, -1]),
      },
      { type: "section.cleared", name: "s" },
      { type: "legacy.set", text },
      { type: "turn.began", id: this.#pick([undefined, "t", 5]) },
      { type: "action.refused", action: "set_plan", code: "over_budget", offered: { content: text } },
      {
        type: "state.restored",
        to: 0,
        state: { notes: text, plan: "", refs: [], entries: {}, leases: {}, sections: {} },
      },
      { type: "to.come", text },
      { type: "constructor" },
      { type: "" },
    ]);
  }

  /** Behind the entry before it. */
  #entry(fields: object): string {
    this.#count += 1;
    const id = `${this.#count}`.padStart(8, "0");
    const parentId = this.#parent;
    this.#parent = id;
    return JSON.stringify({ ...fields, id, parentId, timestamp: "2026-11-21T20:00:02.000Z" });
  }

  #canonical(data: unknown): string {
    // Beyond what a commit may be, no writer has a canonical form.
    try {
      return canonicalJson(JSON.parse(JSON.stringify(data)));
    } catch {
      return JSON.stringify(data);
    }
  }

  #hash(text: string, isOfOtherKind = false): string {
    const seal = isOfOtherKind === (this.#seal === undefined) ? sealKey : undefined;
    return seal === undefined ? hashText(text) : createHmac("sha256", seal).update(text).digest("hex");
  }

  #text(): string {
    return this.#random.chance(1) ? "long ".repeat(60_000) : this.#pick(texts);
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#random.below(items.length)] as Item;
  }
}
