import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { blame } from "../../src/audit/blame.ts";
import { lost } from "../../src/audit/lost.ts";
import { type ReportOptions, renderReport } from "../../src/audit/report/render.ts";
import type { RecordedEvent } from "../../src/event/event.ts";
import { fold } from "../../src/state/fold.ts";
import { bundled } from "../package/bundled.ts";
import { barriersOn } from "./barriers.ts";
import { painted, testBrowser } from "./browser.ts";
import { historyOf } from "./histories.ts";
import { foreignSample, hostileHistory, hostileTexts, longHistory, sampleHistory } from "./report.sample.ts";

const folder = mkdtempSync(join(tmpdir(), "session-journal-report-"));
const browser = testBrowser({ keepsPage: true });
const { complaints, requests } = browser;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function open(
  events: RecordedEvent[],
  options: BrowserContextOptions = {},
  at = "",
  change = (html: string) => html,
  more: Partial<ReportOptions> = {},
): Promise<Page> {
  const head = { version: events.length, hash: "41aa9f2c" };
  const finding = { kind: "torn", severity: "note", offset: 9211, line: 32, detail: "no newline yet" } as const;
  const html = renderReport({
    events,
    title: "Login fails after midnight",
    session: "0b1c2d3e",
    verification: { ok: true, findings: [finding], head },
    generatedAt: "2026-11-21T22:00:00.000Z",
    ...more,
  });
  const file = join(folder, "report.html");
  writeFileSync(file, change(html));
  const page = await browser.open(options);
  await page.goto(pathToFileURL(file).href + at);
  await painted(page);
  return page;
}

async function travel(page: Page, position: number): Promise<void> {
  await page.locator("#version").fill(String(position));
  await painted(page);
}

interface Shown {
  readonly notes: string[];
  readonly plan: string[];
  readonly refs: string[];
  /** Who wrote each line of the notes. */
  readonly authors: string[];
}

/** What stands on the page at each of these positions, without what was removed; asked for at once, for asking takes longest. */
function shownAt(page: Page, positions: readonly number[]): Promise<Shown[]> {
  return page.evaluate(`(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const slider = document.querySelector("#version");
    const texts = (space, part) => [...document.querySelectorAll(
      '.space[data-space="' + space + '"] .line:not(.removed) ' + part)].map(({ textContent }) => textContent);
    const all = [];
    for (const position of ${JSON.stringify(positions)}) {
      slider.value = position;
      slider.dispatchEvent(new Event("input"));
      await frame();
      await frame();
      for (const fold of document.querySelectorAll(".folded button")) fold.click();
      all.push({ notes: texts("notes", ".text"), plan: texts("plan", ".text"), refs: texts("refs", ".text"),
        authors: texts("notes", ".author") });
    }
    return all;
  })()`);
}

function where(page: Page): Promise<string | null> {
  return page.locator(".where strong").textContent();
}

test("every version shows the state that folding gives, and the authors that blame gives", async () => {
  const events = sampleHistory();
  const page = await open(events);
  const positions = [...events.keys(), events.length].reverse();
  const shown = await shownAt(page, positions);
  expect(shown.length).toBe(events.length + 1);
  for (const [index, { notes, plan, refs, authors }] of shown.entries()) {
    const past = events.slice(0, positions[index]);
    expect({ notes: notes.join("\n"), plan: plan.join("\n"), refs }).toEqual({
      notes: fold(past).notes,
      plan: fold(past).plan,
      refs: fold(past).refs,
    });
    expect(authors).toEqual(blame(past, "notes").map(({ version }) => `v${version}`));
  }
  expect(complaints).toEqual([]);
});

test("what an event changed is marked, to the word, and a whole turn can be looked at instead", async () => {
  const page = await open(sampleHistory());
  await travel(page, 15);
  expect(await page.locator("del.text").allTextContents()).toEqual(["Host summary: compare in UTC"]);
  expect(await page.locator("ins.text").allTextContents()).toEqual(["Host summary: compare both in UTC"]);
  expect(await page.locator("ins mark").allTextContents()).toEqual(["both "]);
  await travel(page, 16);
  expect(await page.locator("ins.text").allTextContents()).toEqual(["test/auth/token.test.ts"]);
  await travel(page, 13);
  const refs = page.locator('.event[aria-current="step"] .event-text');
  expect(await refs.textContent()).toBe(": + src/auth/token.ts");
  await travel(page, 16);
  await page.getByLabel("this turn").check({ force: true });
  await painted(page);
  expect(await page.locator("ins.text").allTextContents()).toContain("Host summary: compare both in UTC");
});

test("the keyboard goes everywhere: versions, turns, search, help, the authors of lines", async () => {
  const page = await open(sampleHistory());
  const usable = page.locator(".step:not([aria-disabled=true])");
  expect(await usable.count()).toBe(3);
  await page.keyboard.press("ArrowLeft");
  expect(await where(page)).toBe("v17");
  expect(await usable.count()).toBe(6);
  await page.keyboard.press("Shift+ArrowLeft");
  expect(await where(page)).toBe("v16");
  await page.keyboard.press("Shift+ArrowRight");
  expect(await where(page)).toBe("v18");
  await page.locator("#version").focus();
  await page.keyboard.press("Home");
  expect(await where(page)).toBe("v0");
  await page.keyboard.press("ArrowRight");
  expect(await where(page)).toBe("v1");
  await page.keyboard.press("j");
  expect(await where(page)).toBe("v2");
  await page.keyboard.press("k");
  expect(await where(page)).toBe("v1");
  await page.locator("#scratchpad").focus();
  await page.keyboard.press("End");
  expect(await where(page)).toBe("v18");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  expect(await where(page)).toBe("v1");
  await page.keyboard.press("?");
  expect(await page.getByRole("dialog", { name: "Keyboard" }).isVisible()).toBe(true);
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.keyboard.type("login.ts");
  await page.keyboard.press("Enter");
  expect(await where(page)).toBe("v4");
  await page.keyboard.press("Escape");
  // The field was left: letters are keys again, and the hits are still there.
  await page.keyboard.press("n");
  const next = await where(page);
  expect(next).not.toBe("v4");
  await page.keyboard.press("p");
  expect([await where(page), await page.locator("#search").inputValue()]).toEqual(["v4", "login.ts"]);
  await page.keyboard.press("Escape");
  expect(await page.locator("#search").inputValue()).toBe("");
  await travel(page, 15);
  await page.locator(".author").first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  expect(await where(page)).toBe("v12");
});

test("single-character keys can be switched off", async () => {
  const page = await open(sampleHistory());
  await page.getByRole("button", { name: "Keyboard" }).click();
  await page.getByLabel("Single-character keys").uncheck();
  await page.getByRole("button", { name: "Close" }).click();
  await page.keyboard.press("?");
  expect(await page.getByRole("dialog").isVisible()).toBe(false);
});

test("a search finds events by text, actor and command, counts them, and leads to them", async () => {
  const page = await open(sampleHistory());
  const count = page.getByRole("search").getByRole("status");
  await page.locator("#search").fill("STACK trace");
  expect(await count.textContent()).toContain("1 event found");
  await page.locator(".results .event").click();
  expect(await where(page)).toBe("v8");
  await page.locator("#search").fill("openclaw");
  expect(await page.locator(".results .event-version").allTextContents()).toEqual(["v12"]);
  await page.locator("#search").fill("toolu_0");
  expect(await count.textContent()).toContain("4 events found");
  await page.locator("#search").fill("nowhere to be found");
  expect(await count.textContent()).toBe("Nothing found");
});

test("what was found is shown and marked, in the list and in the scratchpad, wherever it stands in its text", async () => {
  const page = await open(sampleHistory());
  await page.locator("#search").fill("FINDING 40: token");
  const hit = page.locator('.results [data-position="14"]');
  expect(await hit.locator("mark").allTextContents()).toEqual(["Finding 40: token"]);
  expect(await hit.locator(".event-text").textContent()).toContain("…");
  // Rows are narrow, and no hit is behind the edge of its own.
  await page.locator("#search").fill("token expiry");
  const [row, mark] = await Promise.all(
    [".results .event-text", ".results mark"].map((each) => page.locator(each).first().boundingBox()),
  );
  expect((mark?.x ?? 0) + (mark?.width ?? 0)).toBeLessThanOrEqual((row?.x ?? 0) + (row?.width ?? 0));
  await page.locator("#search").fill("FINDING 40: token");
  await hit.click();
  await painted(page);
  await painted(page);
  expect(await page.evaluate("[...CSS.highlights.get('hit')].map(String)")).toEqual(["Finding 40: token"]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await painted(page);
  expect(await page.evaluate("CSS.highlights.has('hit')")).toBe(false);
});

test("what was lost can be searched by its text and by what became of it", async () => {
  const page = await open(sampleHistory());
  await page.getByRole("link", { name: "11 losses" }).click();
  expect(await page.evaluate("document.activeElement.id")).toBe("losses");
  const losses = page.locator(".losses");
  await losses.getByLabel("Search what was lost").fill("LOGIN.TS:42");
  expect(await losses.getByRole("status").textContent()).toBe("1 of 11 found");
  expect(await losses.locator("summary mark").allTextContents()).toEqual(["login.ts:42"]);
  await page.keyboard.press("Escape");
  expect(await losses.locator(".loss").count()).toBe(11);
  await losses.getByLabel("What became of it").selectOption("capped");
  expect(await losses.locator(".loss pre").allTextContents()).toEqual(["docs/a.md", "docs/b.md"]);
});

test("of a long history, what stands first is what a reader looks for, and no text is cut where it can be searched", async () => {
  const told = Array.from({ length: 70 }, (_, index) => `Fact ${index}`).join("\n");
  const refused = (text: string) =>
    ({ type: "action.refused", action: "set_plan", code: "held", offered: { text } }) as const;
  const events = historyOf([
    { type: "plan.set", text: "- [ ] Gone early\n- [x] Done\n- [ ] Open\n- [ ] Gone late" },
    { type: "plan.set", text: "- [x] Done\n- [ ] Open\n- [ ] Gone late" },
    { type: "plan.set", text: "- [x] Done\n- [ ] Open" },
    { type: "notes.set", text: told },
    refused(`${"word ".repeat(27)}end`),
  ]);
  const page = await open(events, {}, "", undefined, { leftOut: 1_234, omitted: ["More of it."] });
  const steps = page.getByRole("region", { name: "Steps" }).getByRole("rowheader");
  expect(await steps.allTextContents()).toEqual(["Open", "Gone late", "Gone early", "Done"]);
  const losses = page.locator(".loss");
  expect(await losses.getByRole("button").allTextContents()).toEqual(["v5", "v3", "v2", "v1"]);
  expect(await losses.first().locator("pre").textContent()).toMatch(/word end/);
  // The first event stands for others, and is none itself.
  const facts = page.locator(".page-head .facts");
  expect(await facts.first().textContent()).toContain("1,238 events");
  expect(await page.locator(".omitted").allTextContents()).toEqual([
    expect.stringMatching(/^The newest 4 of 1,238 events are shown; /),
    "More of it.",
  ]);
  // The middle of a long text is folded, unless it was searched.
  const fifty = page.locator('.space[data-space="notes"] .line', { hasText: "Fact 50" });
  expect(await fifty.count()).toBe(0);
  await page.locator("#search").fill("fact 50");
  await painted(page);
  expect(await fifty.count()).toBe(1);
  expect(await page.evaluate("[...CSS.highlights.get('hit')].map(String)")).toEqual(["Fact 50"]);
  expect(await (await open([])).locator(".turns").textContent()).toBe("Nothing has been written yet.");
});

test("what could not be read says how long it is and where it stands, wherever its text would stand", async () => {
  const [first] = historyOf([{ type: "legacy.set", text: "", ignored: true }]);
  const notice = "(not read: nested too deeply, a line of 5000 bytes at byte 70)";
  const page = await open(first === undefined ? [] : [{ ...first, unreadBytes: 5_000, offset: 70 }]);
  for (const place of [".event .event-text", ".event-said", ".taken", ".loss pre"]) {
    expect(await page.locator(place).textContent()).toContain(notice);
  }
});

test("words are marked also where more lines came than went", async () => {
  const texts = ["one\nthe old token expires", "one\nfirst of all\nthe new token expires\nlast of all"];
  const events = historyOf(texts.map((text) => ({ type: "notes.set", text })));
  const page = await open(events);
  expect(await page.locator("ins mark").allTextContents()).toEqual(["new"]);
  expect(await page.locator("del mark").allTextContents()).toEqual(["old"]);
});

test.each([
  ["a small desk", { width: 1024, height: 700 }],
  ["a phone", { width: 390, height: 844 }],
])("at load the newest event is in sight, and the history stands before the story, on %s", async (_, viewport) => {
  const page = await open(longHistory(400), { viewport });
  const seen = async (selector: string) => (await page.locator(selector).first().boundingBox()) ?? { y: -1, height: 0 };
  const row = await seen('.event[aria-current="step"]');
  expect(row.y).toBeGreaterThan(0);
  expect(row.y + row.height).toBeLessThanOrEqual(viewport.height);
  expect((await seen(".timeline")).y).toBeLessThan((await seen(".travel")).y);
  expect((await seen(".page-head")).y).toBeLessThan((await seen(".travel")).y);
});

test("chapters and turns fold by themselves as the reader goes on, but for what the reader opened", async () => {
  const page = await open(longHistory(1_000));
  await travel(page, 3);
  expect(await page.locator(".turn[open] > summary .turn-name").allTextContents()).toEqual(["Turns 0 – 49", "Turn 0"]);
  await page.locator(".turn > summary", { hasText: /^Turn 1v/ }).click();
  await travel(page, 999);
  expect(await page.locator(".turn[open] > summary .turn-name").allTextContents()).toEqual([
    "Turn 1",
    "Turns 150 – 166",
    "Turn 166",
  ]);
  expect(await page.locator(".turn[open] > .events > li").count()).toBe(10);
});

test("who wrote a line shows under the pointer and at the focus, and Escape takes it away", async () => {
  const page = await open(sampleHistory());
  await travel(page, 15);
  const card = page.locator(".blame-card");
  await page.locator(".line").first().hover();
  expect(await card.textContent()).toContain("toolu_01");
  await page.keyboard.press("Escape");
  expect(await card.isVisible()).toBe(false);
  await page.locator(".line .author").nth(1).focus();
  expect(await card.textContent()).toContain("openclaw");
  const spoken = await page.locator(".line .author").first().getAttribute("aria-label");
  expect(spoken).toContain("written in version 2, turn 1, by agent, 2026-11-21 20:01:00 UTC, command toolu_01");
});

test("everything that was taken away is listed whole, and what was refused leads to its version", async () => {
  const events = sampleHistory();
  const page = await open(events);
  const items = page.locator(".loss");
  const newestFirst = lost(events).sort((one, other) => other.version - one.version);
  expect(await items.locator("pre").allTextContents()).toEqual(newestFirst.map(({ text }) => text));
  await items.getByRole("button", { name: "go to version 8," }).click();
  expect(await where(page)).toBe("v8");
  await painted(page);
  expect(await page.locator(".event-panel").textContent()).toContain("append_notes refused: over budget");
  expect(await page.locator(".verification").textContent()).toContain("No damage was found");
});

test("the strips of the budget tell their peaks in words, travel when they are clicked, and show use beside the limit", async () => {
  const page = await open(sampleHistory());
  const strip = page.getByRole("img", { name: /^Notes at most 4\d percent, in version 1\d$/ });
  const box = await strip.boundingBox();
  await strip.click({ position: { x: (box?.width ?? 0) / 2, y: 5 } });
  expect(await where(page)).toMatch(/^v(8|9|10)$/);
  await travel(page, 3);
  expect(await page.locator('.strips [data-space="plan"]').textContent()).toContain("60 of 2,000");
});

test("an address names a version, and the address follows the reader", async () => {
  const page = await open(sampleHistory(), {}, "#v7");
  expect(await where(page)).toBe("v7");
  const mark = await page.locator(".here").first().boundingBox();
  const strip = await page.locator(".strip").first().boundingBox();
  expect(((mark?.x ?? 0) - (strip?.x ?? 0)) / (strip?.width ?? 1)).toBeCloseTo(7 / 18, 1);
  await page.keyboard.press("ArrowRight");
  await page.waitForURL(/#v8$/);
});

test("hostile texts are shown as text: nothing runs, nothing loads, nothing hides", async () => {
  const events = hostileHistory();
  const page = await open(events, { viewport: { width: 390, height: 844 } });
  await shownAt(page, [...events.keys(), events.length]);
  for (const text of hostileTexts) {
    await page.locator("#search").fill(text.slice(0, 12));
    await page.locator(".line .author").last().hover();
  }
  expect(await page.evaluate("'owned' in globalThis")).toBe(false);
  expect(await page.locator("img, svg:not(.icon, .area, .ticks), iframe, object, link, style + style").count()).toBe(0);
  expect(await page.locator("script").count()).toBe(2);
  expect(requests.filter((url) => !url.startsWith("file:"))).toEqual([]);
  expect(complaints).toEqual([]);
  const shown = await page.locator(".scratchpad").textContent();
  expect(shown).toContain('</script><img src=x onerror="window.owned = true">');
  expect(shown).toContain("U+202E");
  expect(shown).not.toMatch(/[\u202e\u2066\u200b\u001b]/);
});

test("what got into the page in spite of all that neither runs nor loads", async () => {
  const planted = `<script>owned = 1</script><b onclick="owned = 1">x</b><img src="https://example.org/x" onerror="owned = 1">
    <link rel="stylesheet" href="https://example.org/x.css"><iframe srcdoc="<script>parent.owned = 1</script>"></iframe>`;
  const page = await open(sampleHistory(), {}, "", (html) => html.replace("<body>", `<body>${planted}`));
  await page.getByText("x", { exact: true }).click();
  expect(await page.evaluate("'owned' in globalThis")).toBe(false);
  expect(complaints.filter((text) => text.includes("Content Security Policy")).length).toBeGreaterThanOrEqual(4);
  expect(await where(page)).toBe("v18");
});

test("steps stand over time, with what became of each, doubts and compactions, and lead to their versions", async () => {
  const { events, foreign } = await foreignSample();
  const page = await open(events, { viewport: { width: 360, height: 740 } }, "", undefined, { foreign });
  const steps = page.getByRole("region", { name: "Steps" });
  const texts = await steps.getByRole("rowheader").allTextContents();
  expect(texts.map((text) => text.slice(0, 2))).toEqual(["#5", "#1", "#2", "#3", "#4"]);
  expect(texts[0]).toContain("doubtful: never touched again, across a compaction");
  const fourth = steps.getByRole("row").nth(5);
  expect(await fourth.getByRole("cell").allTextContents()).toEqual(["", "v12 turn 1", "completed v13 turn 1"]);
  expect(await steps.locator('.track .track-mark[data-marker="compaction"]').count()).toBe(5);
  await fourth.getByRole("button", { name: "Go to version 12" }).click();
  expect(await where(page)).toBe("v12");
  expect(await page.getByRole("region", { name: "What the host did" }).textContent()).toContain("context compacted");
  expect(await page.locator(".client").allTextContents()).toEqual([
    "Claude Code 2.1.39",
    "model claude-opus-4-6",
    "in /Users/dev/wks/cli",
  ]);
  expect(await page.locator(".verification").textContent()).toContain("Claude Code writes no chain of hashes");
  expect(await page.getByText("Budget use").count()).toBe(0);
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  expect(await barriersOn(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("a turn is titled with what was asked, and what the host did stands where it happened", async () => {
  const { events, foreign } = await foreignSample();
  const prompts = [{ turn: 1, text: "Ship <b>it</b>" }];
  const page = await open(events, { viewport: { width: 1280, height: 720 } }, "", undefined, { foreign, prompts });
  expect(await page.locator(".turn > summary").first().textContent()).toContain("Turn 1Ship <b>it</b>");
  const marks = page.locator(".timeline .host-mark");
  expect(await marks.count()).toBe(foreign.markers.length);
  expect(await marks.first().textContent()).toContain("context compacted");
  // It stands behind the newest event, and is in sight with it.
  const [mark, frame] = await Promise.all(
    [marks.last(), page.locator(".timeline-scroll")].map((each) => each.boundingBox()),
  );
  expect((mark?.y ?? 0) + (mark?.height ?? 0)).toBeLessThanOrEqual((frame?.y ?? 0) + (frame?.height ?? 0));
  // Without a chain, nothing was verified.
  expect(await page.locator(".badge").first().textContent()).toBe("no damage found");
  expect(complaints).toEqual([]);
});

test.each([
  ["a desk in the light", { colorScheme: "light" }],
  ["a desk in the dark", { colorScheme: "dark" }],
  ["a phone", { viewport: { width: 360, height: 740 }, hasTouch: true }],
] as const)("nothing runs over the edge on %s, and every text can be read", async (_, options) => {
  const page = await open([...sampleHistory()], options);
  await travel(page, 15);
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  expect((await page.screenshot({ fullPage: true })).length).toBeGreaterThan(20_000);
  expect(await barriersOn(page)).toEqual([]);
});

test("hostile texts do not tear the layout of a phone", async () => {
  const page = await open(hostileHistory(), { viewport: { width: 360, height: 740 } });
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
});

test("on paper the controls are gone and the whole history is there", async () => {
  const page = await open(sampleHistory());
  await page.emulateMedia({ media: "print" });
  await page.evaluate("dispatchEvent(new Event('beforeprint'))");
  await painted(page);
  expect(await page.locator("#version").isVisible()).toBe(false);
  expect(await page.locator(".event:visible").count()).toBe(sampleHistory().length);
  expect((await page.pdf()).length).toBeGreaterThan(10_000);
});

test("a screen reader finds landmarks, names for every control, and hears where it is", async () => {
  const page = await open(sampleHistory());
  for (const role of ["main", "navigation", "search"] as const) expect(await page.getByRole(role).count()).toBe(1);
  const nameless = await page.evaluate(`[...document.querySelectorAll("button, input, a, summary")]
    .filter((control) => !(control.textContent || control.ariaLabel || control.labels?.length))
    .map((control) => control.outerHTML)`);
  expect(nameless).toEqual([]);
  await page.keyboard.press("ArrowLeft");
  await page.locator("#announcement", { hasText: "Version 17" }).waitFor({ state: "attached" });
  expect(await page.getByRole("slider", { name: "Version" }).getAttribute("aria-valuetext")).toBe(
    "Version 17, turn 7: restored to version 11, by agent",
  );
});

test("ten thousand events open, travel and are searched", async () => {
  const events = longHistory(10_000);
  const page = await open(events);
  const positions = [1, 4_999, 5_000, 9_999];
  const notes = (await shownAt(page, positions)).map((shown) => shown.notes.join("\n"));
  expect(notes).toEqual(positions.map((position) => fold(events.slice(0, position)).notes));
  await page.locator("#search").fill("src/file-4996.ts");
  expect(await page.locator(".results .event").count()).toBeGreaterThan(0);
  expect(await page.locator("*").count()).toBeLessThan(20_000);
  expect(complaints).toEqual([]);
}, 120_000);

test("the pure part of the library runs in a browser", async () => {
  const { code } = await bundled(fileURLToPath(new URL("../../src/entry/core.ts", import.meta.url)), {
    input: { platform: "browser" },
    output: { format: "iife", name: "core" },
  });
  const page = await browser.open();
  await page.addScriptTag({ content: code });
  const folded = await page.evaluate(`(() => {
    const { decide, defaultLimits, fold, initialState, isJournalError, parsePoint } = core;
    const context = { limits: defaultLimits, actor: "agent", at: "2026-11-21T20:00:00.000Z" };
    const { events, answer } = decide(initialState, { action: "set_plan", content: "1. \u{1f680} Go" }, context);
    let refused = false;
    try { parsePoint("yesterday"); } catch (error) { refused = isJournalError(error, "bad_point"); }
    return { message: answer.message, plan: fold(events).plan, refused };
  })()`);
  expect(folded).toEqual({ message: "plan set: 8/2000 chars used", plan: "1. \u{1f680} Go", refused: true });
});
