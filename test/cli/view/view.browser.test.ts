import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { openJournal } from "../../../src/open/open-journal.ts";
import { barriersOn } from "../../audit/barriers.ts";
import { painted, testBrowser } from "../../audit/browser.ts";
import { hostileTexts } from "../../audit/report.sample.ts";
import { codexSession } from "../../find/home.ts";
import { fixture, root } from "../cli.ts";
import { folder, runView } from "./running-view.ts";

const isFull = process.env["SESSION_JOURNAL_FULL"] === "1";
const browser = testBrowser();
const { complaints, requests } = browser;

async function journalIn(place: string, name = "session.jsonl") {
  const file = path.join(place, name);
  const journal = await openJournal(file, { actor: "agent", durability: "os" });
  onTestFinished(() => journal.close());
  return { file, journal };
}

async function viewOf(words: readonly string[], home = folder(), options = {}): Promise<Page> {
  const { url } = await runView(words, { HOME: home });
  const page = await browser.open(options);
  await page.goto(url.href);
  return page;
}

function where(page: Page): Promise<string | null> {
  return page.locator(".where strong").textContent();
}

test("a session moves on by itself when somebody writes, and stays for a reader who looks at something older", async () => {
  const { file, journal } = await journalIn(folder());
  await journal.plan.set("- [x] Look\n- [ ] Leap");
  const page = await viewOf([file]);
  await page.locator(".where strong", { hasText: "v1" }).waitFor();
  await journal.notes.set("seen by the reader");
  await page.locator("ins.text", { hasText: "seen by the reader" }).waitFor();
  expect(await where(page)).toBe("v2");
  // There is no other session to go to.
  expect(await page.locator(".view-bar a:not(.skip):visible").count()).toBe(0);

  await page.keyboard.press("k");
  await journal.notes.set("written meanwhile");
  const newer = page.getByRole("button", { name: "1 newer event: show" });
  await newer.waitFor();
  expect(await where(page)).toBe("v1");
  await newer.click();
  await page.locator("ins.text", { hasText: "written meanwhile" }).waitFor();
  expect(await newer.isVisible()).toBe(false);

  await journal.plan.set("- [x] Look");
  const notice = page.locator(".notice", { hasText: "v4 · dropped: Leap" });
  await notice.waitFor();
  await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
  expect((await notice.boundingBox())?.y).toBeGreaterThan(0);
  await page.keyboard.press("Home");
  await notice.getByRole("button", { name: "Show v4" }).click();
  expect(await where(page)).toBe("v4");
  await notice.getByRole("button", { name: "Dismiss" }).press("Enter");
  expect(await notice.count()).toBe(0);
  expect(await page.evaluate("document.activeElement.id")).toBe("version");
  expect(complaints).toEqual([]);
});

test("a session that was removed while it is open no longer looks as if all were well", async () => {
  const { file, journal } = await journalIn(folder());
  await journal.notes.set("here");
  const page = await viewOf([file]);
  await page.locator(".view-bar .badge.good", { hasText: "live" }).waitFor();
  await journal.close();
  fs.rmSync(file);
  await page.locator(".view-bar .badge.bad", { hasText: "not shown" }).waitFor();
  await page.getByText("session.jsonl does not exist: check the path").waitFor();
  expect(complaints).toEqual([]);
});

test("a folder without sessions says so, and what no filter leaves can be shown again", async () => {
  const place = folder();
  const page = await viewOf([place]);
  await page.getByText("There is no session here yet.").waitFor();
  for (const name of ["one.jsonl", "two.jsonl"]) {
    const { journal } = await journalIn(place, name);
    await journal.notes.set(name);
  }
  await page.locator(".session").nth(1).waitFor();
  await page.getByLabel("Find").fill("nobody");
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByRole("link", { name: "one.jsonl" }).click();
  await page.locator(".where strong", { hasText: "v1" }).waitFor();
  await page.locator(".view-bar").getByRole("link", { name: "Sessions of" }).click();
  await page.locator(".session").first().waitFor();
  expect(complaints).toEqual([]);
});

test("sessions that begin with the same words are told apart by their ids", async () => {
  const home = folder();
  const ids = ["01a20423-232e-7272-9e09-d0564891db98", "01a20423-232f-7272-9e09-d0564891db98"];
  const sessions = path.join(home, ".codex", "sessions");
  fs.mkdirSync(sessions, { recursive: true });
  for (const id of ids)
    fs.writeFileSync(
      path.join(sessions, `rollout-2026-01-01T00-00-00-${id}.jsonl`),
      codexSession(id, "/w", {}, "Fix it"),
    );
  const page = await viewOf(["--all"], home);
  await page.locator(".session .mono", { hasText: "01a20423-232f" }).waitFor();
  const shown = await page.locator(".session .mono[title]").allTextContents();
  expect(shown.sort()).toEqual(["01a20423-232e", "01a20423-232f"]);
  expect(await page.locator(".session-name").allTextContents()).toEqual(["Fix it", "Fix it"]);
  expect(complaints).toEqual([]);
});

test("as time goes by, only the ages that are another now are put anew", async () => {
  const place = folder();
  for (const name of ["one.jsonl", "two.jsonl"]) await (await journalIn(place, name)).journal.notes.set(name);
  const { url } = await runView([place], { HOME: folder() });
  const page = await browser.open();
  await page.clock.install();
  await page.goto(url.href);
  await page.locator(".session time").nth(1).waitFor();
  await page.evaluate(`globalThis.changes = 0; new MutationObserver((list) => { changes += list.length; })
    .observe(document.querySelector(".sessions"), { childList: true, subtree: true, characterData: true })`);
  await page.clock.runFor(30_000);
  expect(await page.evaluate("changes")).toBe(0);
  await page.clock.runFor(60_000);
  expect(await page.locator(".session time").first().textContent()).toBe("1 minute ago");
  expect(await page.evaluate("changes")).toBe(2);
});

if (isFull) {
  test("refusals, steps that are dropped and compactions are announced to those who hear the page", async () => {
    const { file, journal } = await journalIn(folder());
    await journal.notes.set("begun");
    const page = await viewOf([file]);
    const notices = page.locator(".notices");
    await page.locator(".travel").waitFor();
    expect(await notices.getAttribute("aria-live")).toBe("polite");
    expect(await notices.textContent()).toBe("");
    await journal.apply({ action: "append_notes", content: "x".repeat(5_000) });
    await notices.getByText("v2 · refused: xxx").waitFor();
    await journal.plan.set("- [ ] A step");
    await journal.plan.set("- [ ] Another");
    await notices.getByText("v4 · dropped: A step").waitFor();
    await page.getByText("4 events").waitFor();
    await page.getByLabel("Search what was lost").fill("A step");
    await page.getByRole("heading", { level: 1 }).click();
    await page.evaluate("document.activeElement.blur()");
    await journal.plan.set("- [ ] A third");
    await page.getByText("5 events").waitFor();
    await page.locator(".loss summary, .loss pre", { hasText: "A step" }).waitFor();
    expect(await page.getByLabel("Search what was lost").inputValue()).toBe("A step");
    expect(await page.locator(".loss").count()).toBe(1);
    // What a reader looks at is told in full before the next thing is news.
    await page.waitForTimeout(1_500);
    const compaction = { type: "compaction", id: "c1", parentId: null, timestamp: new Date(0).toISOString() };
    fs.appendFileSync(file, `${JSON.stringify({ ...compaction, tokensBefore: 70_000 })}\n`);
    await notices.getByText(/context compacted.*70000 tokens/).waitFor();
  });

  test("what tells of the whole session keeps up with somebody who never pauses", async () => {
    const { file, journal } = await journalIn(folder());
    await journal.notes.set("begun");
    const page = await viewOf([file]);
    const facts = page.locator(".page-head .facts").first();
    await facts.getByText("1 event").waitFor();
    let written = 1;
    while (written < 100 && (await facts.textContent())?.startsWith("1 event ") === true) {
      await journal.notes.set(`written ${++written}`);
      await page.waitForTimeout(100);
    }
    expect(written).toBeLessThan(100);
  });

  test("the list is filtered by client, folder and text, and follows who writes", async () => {
    const home = folder();
    const projects = path.join(home, ".claude", "projects", "-home-dev-work");
    fs.mkdirSync(projects, { recursive: true });
    const claude = path.join(root, "fixtures/sessions/claude-code/2.1.39-tasks-compaction.jsonl");
    fs.copyFileSync(claude, path.join(projects, "4f8c1176-7025-4530-a860-c6fc4c63a150.jsonl"));
    const pi = path.join(home, ".pi", "agent", "sessions", "work");
    fs.mkdirSync(pi, { recursive: true });
    fs.copyFileSync(fixture, path.join(pi, "session.jsonl"));
    const page = await viewOf(["--all"], home);
    const count = page.getByRole("status");
    await count.filter({ hasText: /^2 of 2 sessions$/ }).waitFor();
    await page.getByLabel("Client").selectOption("Claude Code");
    await count.filter({ hasText: "1 of 2 sessions" }).waitFor();
    expect(await page.locator(".session").textContent()).toContain("4 of 5 steps done");
    await page.getByLabel("Client").selectOption("");
    await page.getByLabel("Find").fill("ACME-AUTH");
    await count.filter({ hasText: "1 of 2 sessions" }).waitFor();
    expect(await page.locator(".session").textContent()).toContain("pi");
    await page.getByLabel("Find").fill("");
    await page.getByLabel("Folder").selectOption("/Users/dev/wks/cli");
    await count.filter({ hasText: "1 of 2 sessions" }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await page.getByRole("link").click();
    await page.locator(".travel").waitFor();
    await page.locator(".badge", { hasText: "no damage found" }).waitFor();
    await painted(page);
    expect(await barriersOn(page)).toEqual([]);
    await page.getByRole("link", { name: "no damage found" }).click();
    expect(await page.evaluate("document.activeElement.id")).toBe("verification");
    await page.getByRole("link", { name: "Sessions of this machine" }).click();
    await page.locator(".session").first().waitFor();
  });

  test("hostile sessions are shown as text: nothing runs, nothing else loads, nothing is written", async () => {
    const place = folder();
    const { file, journal } = await journalIn(place, "<img src=x onerror=window.owned=1>.jsonl");
    for (const text of hostileTexts) {
      await journal.apply({ action: "append_notes", content: text.slice(0, 300) });
      await journal.refs.add(text.slice(0, 300));
      await journal.apply({ action: "set_plan", content: `- [ ] ${text}` });
    }
    const entry = { type: "custom", customType: "openclaw:scratchpad:notes", id: "h", parentId: null };
    fs.appendFileSync(file, `${JSON.stringify({ ...entry, data: `${"huge ".repeat(200_000)}</script>` })}\n`);
    await journal.close();
    const before = [fs.readFileSync(file, "base64"), fs.statSync(file).mtimeMs, fs.readdirSync(place)];
    const page = await viewOf([place], folder(), { viewport: { width: 390, height: 844 } });
    await page.locator(".travel").waitFor();
    for (const text of hostileTexts) {
      await page.locator("#search").fill(text.slice(0, 12));
      await painted(page);
    }
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    for (let step = 0; step < 10; step += 1) await page.keyboard.press("ArrowLeft");
    await painted(page);
    expect(await page.evaluate("'owned' in globalThis")).toBe(false);
    expect(await page.locator("img, iframe, object, link, script + script").count()).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    expect(await page.locator("body").textContent()).not.toMatch(/[\u202e\u2066\u200b\u001b]/);
    const { origin } = new URL(page.url());
    expect(requests.filter((url) => !url.startsWith(origin))).toEqual([]);
    expect(complaints).toEqual([]);
    expect([fs.readFileSync(file, "base64"), fs.statSync(file).mtimeMs, fs.readdirSync(place)]).toEqual(before);
  });
}
