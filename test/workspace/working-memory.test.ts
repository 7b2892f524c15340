import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { assembleWorkingMemory, type Provider, readWorkingMemory, type Sentiment } from "../../src/entry/workspace.ts";
import type { Journal } from "../../src/journal/public.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { memoryJournal } from "../tool/memory-journal.ts";

let folder = "";
let file = "";
let journal: Journal;

beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-memory-"));
  file = path.join(folder, "SCRATCHPAD.md");
  journal = await memoryJournal();
});
afterEach(async () => {
  vi.useRealTimers();
  await journal.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

const clock = () => new Date("2026-02-05T14:30:00.000Z");

function feeling(score: number, name = "frustrated"): Sentiment {
  return { primary: { name, score }, valence: -0.4, arousal: 0.7, confidence: 0.82 };
}

function writeDaily(text: string, date = "2026-02-06"): void {
  fs.mkdirSync(path.join(folder, "memory"), { recursive: true });
  fs.writeFileSync(path.join(folder, "memory", `${date}.md`), text);
}

function provider(name: string, run: Provider["run"], priority = 0): Provider {
  return { name, priority, run };
}

describe("the file", () => {
  test("is the golden one, field by field", async () => {
    writeDaily("09:10 moved the cache to the second disk\n");
    await journal.plan.set("1. ~~Build~~ DONE\n2. k8s deployment debugging (mcp-memory-service) <-- current\n3. Ship");
    const options = { journal, file, clock, utcOffsetHours: 11, zoneName: "AEDT" };
    await assembleWorkingMemory({ ...options, sentiment: () => feeling(0.8) });
    const memory = await assembleWorkingMemory({
      ...options,
      messages: [
        { role: "user", content: "CUDA container missing libcublas\nlog attached", timestamp: "2026-02-05T12:00:00Z" },
        {
          role: "assistant",
          content: [{ type: "text", text: "Looking." }],
          timestamp: Date.parse("2026-02-05T12:10:00Z"),
        },
      ],
      sentiment: async () => ({
        ...feeling(0.71),
        secondary: { name: "urgent", score: 0.55 },
        strategy: {
          style: "concise — lead with answer, skip preamble",
          tone: 'direct — no hedging, no "I think maybe"',
          verbosity: "minimal — they'll ask for more if needed",
          preamble: false,
        },
      }),
      memorySearch: async ({ topics, limit }) => {
        expect(topics).toEqual([
          "k8s deployment debugging (mcp-memory-service)",
          "CUDA container missing libcublas\nlog attached",
        ]);
        expect(limit).toBe(5);
        return [
          "Ray prefers a specific cluster config path (not sudo)",
          "mcp-memory-service v10.0 deployed on CPU tag (CUDA failed)",
          "Lab disk at ~87% (improved from 96%)",
        ];
      },
      routingHint: {
        contentSensitivity: "LOW (technical discussion, no PII)",
        taskComplexity: "MEDIUM (debugging, not architecture)",
        suggestedModel: "standard (no need for local-only)",
      },
      alerts: ['📅 Calendar: "Team standup" in 1h 45m', "⚠️ Lab disk: 89% (rising — investigate)"],
    });
    const golden = fs.readFileSync(path.join(import.meta.dirname, "SCRATCHPAD.golden.md"), "utf8");
    expect(fs.readFileSync(file, "utf8")).toBe(golden);
    expect(memory.text).toBe(golden);
    expect(memory).toMatchObject({ updated: "2026-02-06T01:30:00+11:00", leftOut: [], missing: [] });
    expect(memory.tokens).toBeLessThan(500);
  });

  test("holds only what there is to say", async () => {
    const memory = await assembleWorkingMemory({ journal, clock });
    expect(memory.sections).toEqual(["Time Context"]);
    expect(memory.text).toContain("- Local time: 14:30 UTC+00:00 (active hours)");
    expect(fs.existsSync(file)).toBe(false);
  });

  test.each([
    ["- [x] Look\n- [ ] Ask\n- [>] Fix it", "Fix it"],
    ["# Plan\n- [-] Given up\n- [ ] Fix it", "Fix it"],
    ["- ✅ Look\n- Fix it <-- current", "Fix it"],
    ["- Fix it\n- Ship it", "Fix it"],
    ["First look.\nFix it <-- current", "Fix it"],
    ["Look DONE\nFix it\nShip it", "Fix it"],
    ["~~Look~~\nAsk DONE", undefined],
    ["To look and to ask:\n- [x] Look\n- [-] Ask", undefined],
  ])("names the step that the plan is at, without its mark: %j", async (plan, step) => {
    await journal.plan.set(plan);
    const { text } = await assembleWorkingMemory({ journal, clock });
    expect(/^- Working on: (.*)$/m.exec(text)?.[1]).toBe(step);
  });

  test("is replaced as a whole, and leaves nothing else in the folder", async () => {
    const old = "# SCRATCHPAD.md — Working Memory (auto-generated)\n";
    fs.writeFileSync(file, old);
    const other = fs.openSync(file, "r");
    await assembleWorkingMemory({ journal, file, clock });
    expect(fs.readFileSync(other, "utf8")).toBe(old);
    fs.closeSync(other);
    expect(fs.readdirSync(folder)).toEqual(["SCRATCHPAD.md"]);
  });
});

test("does not take the place of a file that somebody wrote, and records nothing then", async () => {
  fs.writeFileSync(file, "# Mine\n");
  await expect(assembleWorkingMemory({ journal, file, clock })).rejects.toMatchObject({
    code: "storage",
    fate: "not-written",
    message: expect.stringContaining("is not a working-memory file: name another file"),
  });
  expect([fs.readFileSync(file, "utf8"), journal.version]).toEqual(["# Mine\n", 0]);
});

test("takes the place of its own file also where an editor put a byte order mark before it", async () => {
  const { text } = await assembleWorkingMemory({ journal, file, clock });
  fs.writeFileSync(file, `\ufeff${text}`);
  await assembleWorkingMemory({ journal, file, clock });
  expect(fs.readFileSync(file, "utf8").startsWith("\ufeff")).toBe(false);
});

test("says where the file cannot be written", async () => {
  const nowhere = path.join(folder, "nowhere", "SCRATCHPAD.md");
  await expect(assembleWorkingMemory({ journal, file: nowhere, clock })).rejects.toMatchObject({
    code: "storage",
    message: expect.stringContaining(`cannot write ${nowhere} (ENOENT)`),
  });
});

describe("each section", () => {
  test("is an event with its text, its time and how long it holds; one that went is cleared", async () => {
    const first = await assembleWorkingMemory({ journal, clock, ttlMinutes: 10, alerts: ["disk full"] });
    expect(first.sections).toEqual(["Time Context", "Proactive Alerts"]);
    expect(journal.state.sections["Proactive Alerts"]).toMatchObject({ text: "- disk full", ttlMinutes: 10 });
    await assembleWorkingMemory({ journal, clock });
    const types: unknown[] = [];
    for await (const { event } of journal.history()) types.push([event.type, "name" in event && event.name]);
    expect(types).toEqual([
      ["section.written", "Time Context"],
      ["section.written", "Proactive Alerts"],
      ["section.cleared", "Proactive Alerts"],
      ["section.written", "Time Context"],
    ]);
  });

  test("is signed by the assembler, and recorded only when it changed", async () => {
    const options = { journal, clock, alerts: ["disk full"] };
    await assembleWorkingMemory(options);
    await assembleWorkingMemory(options);
    await assembleWorkingMemory({ ...options, clock: () => new Date("2026-02-05T14:31:00.000Z") });
    const written: unknown[] = [];
    for await (const { event, actor, version } of journal.history())
      written.push([version, actor, "name" in event && event.name]);
    expect(written).toEqual([
      [1, "assembler", "Time Context"],
      [2, "assembler", "Proactive Alerts"],
      [3, "assembler", "Time Context"],
    ]);
  });

  test("is recorded again when it had run out", async () => {
    const options = { journal, alerts: ["disk full"], providers: [provider("Time Context", () => "noon")] };
    await assembleWorkingMemory({ ...options, clock: () => new Date() });
    await assembleWorkingMemory({ ...options, clock: () => new Date(Date.now() + 3_600_000) });
    expect(journal.version).toBe(4);
  });

  test("that the journal refuses is not in the file, which says so", async () => {
    await journal.close();
    journal = await memoryJournal({ limits: { sections: 1 } });
    const memory = await assembleWorkingMemory({ journal, clock, alerts: ["disk full"] });
    expect(memory.sections).toEqual(["Time Context"]);
    expect(memory.missing).toEqual([{ name: "Proactive Alerts", why: expect.stringContaining("too many sections") }]);
    expect(memory.text).toContain("<!-- Missing: Proactive Alerts (refused: ");
    expect(journal.state.sections["Proactive Alerts"]).toBeUndefined();
  });
});

describe("a section of somebody else", () => {
  test("is in the file, and neither written nor cleared by the assembler", async () => {
    await journal.apply({ action: "sections.write", name: "Deadlines", content: "- Friday: tax" }, { actor: "wake" });
    await journal.apply(
      { action: "sections.write", name: "Proactive Alerts", content: "- 2 unread" },
      { actor: "wake" },
    );
    const before = { ...journal.state.sections };
    const alone = await assembleWorkingMemory({ journal, clock });
    expect(alone.sections).toEqual(["Time Context", "Proactive Alerts", "Deadlines"].toSorted(order(alone.text)));
    expect(alone.text).toContain("## Proactive Alerts\n- 2 unread\n");
    expect(alone.text).toContain("## Deadlines\n- Friday: tax\n");
    const both = await assembleWorkingMemory({ journal, clock, alerts: ["disk full", "2 unread"] });
    expect(both.text).toContain("## Proactive Alerts\n- 2 unread\n- disk full\n");
    expect(journal.state.sections).toMatchObject(before);
  });

  test("is there for as long as it says it holds, and stays in the journal", async () => {
    const content = "- Standup in 5 min";
    await journal.sections.write("Proactive Alerts", content, { ttlMinutes: 5 });
    const later = (minutes: number) => ({ journal, clock: () => new Date(Date.now() + minutes * 60_000) });
    expect((await assembleWorkingMemory(later(4))).text).toContain(content);
    expect((await assembleWorkingMemory(later(6))).text).not.toContain(content);
    expect((await assembleWorkingMemory({ ...later(6), alerts: ["disk full"] })).text).toContain("- disk full");
    expect(journal.state.sections["Proactive Alerts"]?.text).toBe(content);
  });

  test("cannot be told apart in a fork: what a provider says there stands in its place, the rest stays", async () => {
    await journal.apply({ action: "sections.write", name: "Deadlines", content: "- Friday: tax" }, { actor: "wake" });
    await assembleWorkingMemory({ journal, clock, alerts: ["disk full"] });
    const child = await journal.fork(memoryStore());
    const { text } = await assembleWorkingMemory({ journal: child, clock: () => new Date() });
    expect(text.match(/Local time/g)).toHaveLength(1);
    expect(text).toContain("## Proactive Alerts\n- disk full\n");
    expect(text).toContain("## Deadlines\n- Friday: tax\n");
    expect(Object.keys(child.state.sections)).toEqual(expect.arrayContaining(["Deadlines", "Proactive Alerts"]));
    await child.close();
  });
});

describe("MEMORY.md", () => {
  const topics = (content: string) => ({ messages: [{ role: "user", content }] });
  function memories(text: string): string[] {
    return /## Relevant Memories\n((?:- .*\n?)*)/.exec(text)?.[1]?.trim().split("\n") ?? [];
  }

  test("gives what shares words with what is talked about, the rarest first, at most five", async () => {
    fs.writeFileSync(
      path.join(folder, "MEMORY.md"),
      [
        "# Memory",
        "<!-- - commented cluster -->",
        "## Lab",
        "- The cluster config path is ~/k8s/lab.yaml (not sudo)",
        "1. The cluster has nine nodes",
        "* Ray's birthday is in May",
        "- [x] mcp-memory-service v10.0 deployed on CPU tag (CUDA failed)",
        ...Array.from({ length: 5 }, (_, index) => `- The cluster was rebooted ${index} times`),
      ].join("\n"),
    );
    const { text } = await assembleWorkingMemory({
      journal,
      file,
      clock,
      ...topics("CUDA fails on the cluster config"),
    });
    const shown = memories(text);
    expect(shown).toHaveLength(5);
    expect(shown.slice(0, 2).sort()).toEqual([
      "- The cluster config path is ~/k8s/lab.yaml (not sudo)",
      "- mcp-memory-service v10.0 deployed on CPU tag (CUDA failed)",
    ]);
    expect(text).not.toContain("commented");
  });

  test("gives its three newest where nothing is talked about, after the hits of a search", async () => {
    fs.writeFileSync(path.join(folder, "MEMORY.md"), "- one\n- two\n- three\n- four\n");
    expect(memories((await assembleWorkingMemory({ journal, file, clock })).text)).toEqual([
      "- four",
      "- three",
      "- two",
    ]);
    const { text } = await assembleWorkingMemory({ journal, file, clock, memorySearch: () => ["hit", "three"] });
    expect(memories(text)).toEqual(["- hit", "- three", "- four", "- two"]);
  });
});

/** In the order of their headings. */
function order(text: string): (one: string, other: string) => number {
  return (one, other) => text.indexOf(`## ${one}\n`) - text.indexOf(`## ${other}\n`);
}

describe("the trajectory", () => {
  test.each([
    [[], undefined],
    [[0.8], "0.8 at the start, falling"],
    [[0.8, 0.5], "0.8 at the start, rising"],
    [[0.7, 0.71], "0.7 at the start, steady"],
  ])("after %j", async (scores, trajectory) => {
    for (const score of scores) await assembleWorkingMemory({ journal, clock, sentiment: () => feeling(score) });
    await assembleWorkingMemory({ journal, clock, sentiment: () => feeling(0.1, "calm") });
    const { text } = await assembleWorkingMemory({ journal, clock, sentiment: () => feeling(0.71) });
    expect(/\*\*Trajectory:\*\* (.*)/.exec(text)?.[1]).toBe(trajectory);
  });
});

describe("the daily file", () => {
  test("is that of the local date", async () => {
    writeDaily("yesterday in Lisbon", "2026-02-05");
    writeDaily("today in Sydney");
    const text = async (utcOffsetHours: number) =>
      (await assembleWorkingMemory({ journal, file, clock, utcOffsetHours })).text;
    expect(await text(11)).toContain("today in Sydney");
    expect(await text(0)).toContain("yesterday in Lisbon");
    expect(await text(-15)).not.toContain("Daily Notes");
  });

  test("gives its last 2 KB, and no half of a character", async () => {
    writeDaily(`${"x".repeat(100)}${"é".repeat(1023)}end`);
    const { text } = await assembleWorkingMemory({ journal, file, clock, utcOffsetHours: 11, tokensUnder: 5000 });
    expect(/## Daily Notes\n(.*)/.exec(text)?.[1]).toBe(`${"é".repeat(1022)}end`);
  });

  test("loses its oldest lines before all of it goes", async () => {
    writeDaily(Array.from({ length: 100 }, (_, index) => `${index}: something happened`).join("\n"));
    const memory = await assembleWorkingMemory({ journal, file, clock, utcOffsetHours: 11 });
    expect(memory.tokens).toBeLessThan(500);
    expect(memory.tokens).toBeGreaterThan(480);
    expect(memory.text).toContain("\n99: something happened\n\n## Time Context");
    expect(memory.text).not.toContain("\n20: ");
  });
});

describe("too much for the file", () => {
  test("costs each long section what is beyond its share, and no other one", async () => {
    const alerts = Array.from({ length: 100 }, (_, index) => `alert number ${index}: look at the disk of the lab`);
    const hints = { contentSensitivity: "LOW", taskComplexity: "MEDIUM", suggestedModel: "standard" };
    writeDaily(Array.from({ length: 100 }, (_, index) => `${index}: something happened`).join("\n"));
    const memory = await assembleWorkingMemory({
      journal,
      file,
      clock,
      utcOffsetHours: 11,
      alerts,
      sentiment: () => feeling(0.8),
      memorySearch: () => ["Ray prefers a specific cluster config path", "Lab disk at ~87%"],
      routingHint: hints,
    });
    expect(memory.sections).toEqual([
      "Emotional Context",
      "Relevant Memories",
      "Daily Notes",
      "Time Context",
      "Routing Hint",
      "Proactive Alerts",
    ]);
    expect(memory.tokens).toBeGreaterThan(480);
    expect(memory.tokens).toBeLessThan(500);
    expect(memory).toMatchObject({ shortened: ["Daily Notes", "Proactive Alerts"], leftOut: [] });
    const [, daily, shown] =
      /<!-- Shortened: Daily Notes \((\d+) of 90 lines\), Proactive Alerts \((\d+) of 100 lines\) -->/.exec(
        memory.text,
      ) ?? [];
    // What the others left of their shares went to the alerts, by priority.
    expect([Number(daily), Number(shown)]).toEqual([expect.any(Number), expect.any(Number)]);
    expect(Number(daily)).toBeGreaterThan(5);
    expect(memory.text).toContain(`- alert number ${Number(shown) - 1}:`);
    expect(memory.text).not.toContain(`- alert number ${shown}:`);
    expect(memory.text).toContain("99: something happened");
    expect(memory.text).toContain("- Suggested model: standard\n");
  });

  test("cuts a line only where not even the first one fits", async () => {
    const long = "long 💾 ".repeat(250);
    const memory = await assembleWorkingMemory({
      journal,
      clock,
      providers: [
        provider("Low", () => long, 1),
        provider("High", () => long, 99),
        provider("Lowest", () => long, 0.5),
      ],
    });
    expect(memory.sections).toEqual(["Time Context", "Low", "High", "Lowest"]);
    expect(memory.shortened).toEqual(["Low", "High", "Lowest"]);
    expect(memory.text.isWellFormed()).toBe(true);
    const units = (name: string) => new RegExp(`## ${name}\n(.*…)\n`).exec(memory.text)?.[1]?.length ?? 0;
    expect(units("High")).toBeGreaterThan(units("Low"));
    expect(units("Lowest")).toBeGreaterThan(300);
    expect(memory.tokens).toBeLessThan(500);
  });

  test("costs whole sections, the lowest priority first, only where the shares are too small", async () => {
    const memory = await assembleWorkingMemory({
      journal,
      clock,
      tokensUnder: 110,
      alerts: ["the disk of the lab is full: look at it before the night, and tell the others"],
      providers: [
        provider("Low", () => "the first of the lines that nobody will read\nthe second one".repeat(3), 1),
        provider("Lowest", () => "another one of the lines that nobody will read\nthe second one".repeat(3), 0.5),
        provider("High", () => "a line", 99),
      ],
    });
    expect(memory.leftOut).toEqual(["Lowest", "Low"]);
    expect(memory.sections).toEqual(["Time Context", "Proactive Alerts", "High"]);
    expect(memory.text).toContain("<!-- Left out for length: Lowest, Low -->");
    expect(memory.tokens).toBeLessThan(110);
    expect(Object.keys(journal.state.sections)).toEqual(memory.sections);
  });

  test("is not judged by a measure that gives no number", async () => {
    const measure = (async () => 1) as unknown as (text: string) => number;
    await expect(assembleWorkingMemory({ journal, measure })).rejects.toThrow("measure must give a number");
    expect(journal.version).toBe(0);
  });

  test("is counted as the user counts", async () => {
    const memory = await assembleWorkingMemory({
      journal,
      clock,
      tokensUnder: 3,
      measure: (text) => text.split("## ").length,
    });
    expect(memory.sections).toEqual(["Time Context"]);
    const none = await assembleWorkingMemory({
      journal,
      clock,
      tokensUnder: 2,
      measure: (text) => text.split("## ").length,
    });
    expect(none).toMatchObject({ sections: [], leftOut: ["Time Context"] });
    const { text: head } = await assembleWorkingMemory({ journal, clock, tokensUnder: 10 });
    expect(head).toMatch(/<!-- Left out for length: 1 -->\n$/);
    expect(head).not.toContain("Missing");
  });
});

describe("a provider", () => {
  test("that fails costs only its own section", async () => {
    const memory = await assembleWorkingMemory({
      journal,
      clock,
      sentiment: () => Promise.reject(new Error("no model --> <b>\nloaded")),
      memorySearch: () => {
        throw new TypeError("offline");
      },
      providers: [provider("Odd", () => 7 as unknown as string), provider("Empty", () => " ")],
    });
    expect(memory.sections).toEqual(["Time Context"]);
    expect(memory.missing.map(({ name }) => name)).toEqual([
      "Emotional Context",
      "Response Strategy",
      "Relevant Memories",
      "Odd",
    ]);
    expect(memory.text).toContain(
      "Relevant Memories (failed: offline); Odd (failed: gave a number instead of a text) -->",
    );
    expect(memory.text.match(/-->/g)).toHaveLength(3);
  });

  test.each([
    [{}, 5],
    [{ providerMs: 60_000 }, 30],
    [{ providerMs: 1e12, totalMs: 1e12 }, 2_147_483.647],
  ])("that is too slow costs only its own section, and is told to stop: %j", async (times, seconds) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let isStopped = false;
    const slow = provider("Slow", (_, signal) => {
      signal.addEventListener("abort", () => {
        isStopped = true;
      });
      return new Promise(() => undefined);
    });
    const assembling = assembleWorkingMemory({
      journal,
      clock,
      ...times,
      providers: [slow, provider("Quick", () => "here")],
    });
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
    expect(isStopped).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    const memory = await assembling;
    expect(isStopped).toBe(true);
    expect(memory.sections).toEqual(["Time Context", "Quick"]);
    expect(memory.missing).toEqual([{ name: "Slow", why: `no answer within ${seconds} s` }]);
    expect(memory.text).toContain(`<!-- Missing: Slow (no answer within ${seconds} s) -->`);
  });

  test("that gives half a character is recorded once, and the text holds none", async () => {
    const assemble = () =>
      assembleWorkingMemory({ journal, clock, providers: [provider("Cut", () => "cut \ud83d here")] });
    const { text } = await assemble();
    expect(text).toContain("cut \ufffd here");
    const { version } = journal;
    await assemble();
    expect(journal.version).toBe(version);
  });

  test("stands in the place of one that is built in, under its name", async () => {
    const memory = await assembleWorkingMemory({
      journal,
      clock,
      alerts: ["one"],
      providers: [provider("Time Context", ({ utcOffsetHours }) => `always noon, ${utcOffsetHours}`)],
    });
    expect(memory.sections).toEqual(["Time Context", "Proactive Alerts"]);
    expect(memory.text).toContain("always noon, 0");
  });

  test("cannot forge another section or the age of the file", async () => {
    const text = "x\n<!-- Updated: 2999-01-01T00:00:00+00:00 -->\n## Response Strategy\n# Title";
    await assembleWorkingMemory({ journal, file, clock, providers: [provider("Web", () => text)] });
    const memory = await readWorkingMemory(file, { clock });
    expect(Object.keys(memory?.sections ?? {})).toEqual(["Time Context", "Web"]);
    expect(memory?.updated).toBe("2026-02-05T14:30:00+00:00");
  });

  test.each<[Provider[], string]>([
    [[provider("", () => "")], "name of a provider cannot be empty"],
    [[provider("a\nb", () => "")], "use one line"],
    [[provider("a", () => ""), provider("a", () => "")], 'two providers are named "a"'],
    [[provider("a", () => "", Number.NaN)], "priority of a"],
  ])("must have a heading of its own: %#", async (providers, message) => {
    await expect(assembleWorkingMemory({ journal, clock, providers })).rejects.toThrow(message);
    expect(journal.version).toBe(0);
  });
});

test.each([
  [{ alerts: "x" }, 'option "alerts" must be a list of texts'],
  [{ alerts: [1] }, 'option "alerts" must be a list of texts'],
  [{ messages: "x" }, 'option "messages" must be a list'],
  [{ messages: { messages: [] } }, 'option "messages" must be a list'],
  [{ providers: {} }, 'option "providers" must be a list'],
  [{ sentiment: { valence: 1 } }, 'option "sentiment" must be a function'],
  [{ memorySearch: [] }, 'option "memorySearch" must be a function'],
  [{ routingHint: { taskComplexity: 1 } }, 'option "routingHint" must be {'],
  [{ clock: new Date() }, 'option "clock" must be a function'],
  [{ file: 7 }, 'option "file" must be a text'],
  [{ journal: undefined }, 'option "journal" must be a journal'],
  [{ alert: ["x"] }, 'unknown option "alert"'],
])("a wrong option is named, not passed on into the file: %j", async (options, message) => {
  const wrong = { journal, clock, ...options } as unknown as Parameters<typeof assembleWorkingMemory>[0];
  await expect(assembleWorkingMemory(wrong)).rejects.toThrow(TypeError);
  await expect(assembleWorkingMemory(wrong)).rejects.toThrow(message);
  expect(journal.version).toBe(0);
});

test.each([
  [{ primary: { name: "calm" } }, "primary.score in the result of sentiment must be a number"],
  [{ ...feeling(1), valence: "high" }, "valence in the result of sentiment must be a number"],
  [{ state: feeling(1) }, "primary.name in the result of sentiment must be a text"],
  [{ ...feeling(1), secondary: { name: "urgent", strength: 1 } }, "secondary.score in the result of sentiment"],
  [{ ...feeling(1), strategy: { style: "brief" } }, "strategy.tone in the result of sentiment must be a text"],
  ["frustrated", "primary.name in the result of sentiment"],
])("what sentiment gives in another shape costs its sections, and the file names the field: %j", async (felt, said) => {
  const memory = await assembleWorkingMemory({ journal, clock, sentiment: () => felt as unknown as Sentiment });
  expect(memory.missing.map(({ name }) => name)).toEqual(["Emotional Context", "Response Strategy"]);
  expect(memory.text).toContain(`Emotional Context (failed: ${said}`);
});

test("hits that are no texts are named", async () => {
  const memorySearch = (() => ({ hits: [] })) as unknown as () => string[];
  const { text } = await assembleWorkingMemory({ journal, clock, memorySearch });
  expect(text).toContain("Relevant Memories (failed: memorySearch must return a list of texts)");
});

test.each([{ ttlMinutes: 0 }, { utcOffsetHours: 24 }, { utcOffsetHours: 0.001 }, { tokensUnder: Number.NaN }])(
  "refuses %j",
  async (options) => {
    await expect(assembleWorkingMemory({ journal, clock, ...options })).rejects.toThrow(TypeError);
  },
);

describe("reading", () => {
  test("tells a fresh file from a stale one by what stands in it", async () => {
    await assembleWorkingMemory({ journal, file, clock, utcOffsetHours: -3.5, ttlMinutes: 10 });
    const staleAt = async (time: string) => (await readWorkingMemory(file, { clock: () => new Date(time) }))?.stale;
    expect(await staleAt("2026-02-05T14:30:00Z")).toBe(false);
    expect(await staleAt("2026-02-05T14:40:00Z")).toBe(false);
    expect(await staleAt("2026-02-05T14:40:01Z")).toBe(true);
    expect(await readWorkingMemory(file, { clock })).toMatchObject({
      updated: "2026-02-05T11:00:00-03:30",
      ttlMinutes: 10,
      sections: { "Time Context": expect.stringContaining("Local time: 11:00") },
    });
  });

  test("names what is there and cannot be read", async () => {
    const folder = path.dirname(file);
    await expect(readWorkingMemory(folder)).rejects.toMatchObject({
      code: "storage",
      message: `cannot read ${folder} (EISDIR): check that it is a file, and its permissions`,
    });
  });

  test("takes for stale what does not say how old it is, and for nothing what is not there", async () => {
    expect(await readWorkingMemory(file)).toBeUndefined();
    fs.writeFileSync(file, "# SCRATCHPAD.md\r\n<!-- Updated: lately -->\r\n\r\n## Mood\r\nfine\r\n");
    expect(await readWorkingMemory(file)).toMatchObject({ stale: true, sections: { Mood: "fine" } });
  });
});

test("why a provider failed is not cut within a character", async () => {
  const memorySearch = () => Promise.reject(new Error(`${"x".repeat(79)}😀`));
  const { text } = await assembleWorkingMemory({ journal, clock, memorySearch });
  expect(text.isWellFormed()).toBe(true);
});
