// How soon does a view show 2,000 sessions, 10,000 events, and what somebody has just written? In Chromium, to the frame
// in which it stands on the page.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { commandOf, dist, library } from "./lib/dist.mjs";
import { medianOf } from "./lib/measure.mjs";
import { milliseconds, quantile } from "./lib/numbers.mjs";
import { ask } from "./lib/question.mjs";

const rounds = 5;
const sessions = 2000;
const events = 10_000;
const appends = 40;
const sample = resolve(import.meta.dirname, "../fixtures/sessions/claude-code/2.1.39-tasks-compaction.jsonl");
const framesScrolled = 120;
const window = { width: 1440, height: 900 };

/** As many sessions of Claude Code as asked, in a home of their own. */
function homeWith(folder, count) {
  const projects = join(folder, "home", ".claude", "projects", "-home-dev-work");
  mkdirSync(projects, { recursive: true });
  for (let index = 0; index < count; index++) {
    copyFileSync(sample, join(projects, `4f8c1176-7025-4530-a860-${String(index).padStart(12, "0")}.jsonl`));
  }
  return join(folder, "home");
}

async function journalWith(file, count) {
  const { openJournal } = await library();
  const journal = await openJournal(file, { durability: "os", lock: { mode: "off" } });
  for (let index = 0; index < count; index++) {
    if (index % 50 === 0) await journal.notes.set(`Round ${index}`);
    else if (index % 3 === 0) await journal.notes.append(`finding ${index}`);
    else await journal.plan.set(`- [x] Step ${index}\n- [ ] Next\n- [ ] Then ${index % 7}`);
  }
  return journal;
}

/** Runs `look` in a page of a view of `words`, with the milliseconds since the page was asked for. */
async function viewing(words, home, look) {
  const server = spawn(process.execPath, [commandOf(dist), "view", ...words], {
    env: { ...process.env, HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu"],
  });
  try {
    const [address] = await once(server.stdout, "data");
    const page = await browser.newPage({ viewport: window });
    const start = performance.now();
    await page.goto(String(address).trim());
    return await look(page, () => performance.now() - start);
  } finally {
    await browser.close();
    server.kill("SIGINT");
    await once(server, "exit");
  }
}

/** Resolves in the frame in which `isThere`, an expression of the page, holds. */
function shows(page, isThere) {
  return page.evaluate(
    `new Promise((done) => { const look = () => (${isThere}) ? requestAnimationFrame(() => done()) : requestAnimationFrame(look); look(); })`,
  );
}

/**
 * What a reader feels while what `selector` names is scrolled through: the longest frame in milliseconds, frames that came
 * more than one too late, and tasks of more than 50 ms, which the browser itself calls long.
 */
function scrolled(page, selector) {
  return page.evaluate(`new Promise((done) => {
    const scroller = document.querySelector(${JSON.stringify(selector)});
    const found = { frame: 0, late: 0, tasks: 0 };
    const observer = new PerformanceObserver((list) => { found.tasks += list.getEntries().length; });
    observer.observe({ type: "longtask" });
    let last = performance.now();
    let frames = 0;
    const step = (now) => {
      found.frame = Math.max(found.frame, now - last);
      if (now - last > 34) found.late += 1;
      last = now;
      scroller.scrollTop += 400;
      if ((frames += 1) < ${framesScrolled}) requestAnimationFrame(step);
      else setTimeout(() => { observer.disconnect(); done(found); }, 100);
    };
    requestAnimationFrame((now) => { last = now; requestAnimationFrame(step); });
  })`);
}

async function list(folder) {
  return viewing(["--all"], homeWith(folder, sessions), async (page, elapsed) => {
    await shows(page, "document.querySelector('.session-progress')");
    const first = elapsed();
    await shows(page, `document.querySelectorAll('.session').length === ${sessions}`);
    const all = elapsed();
    return { first, all, ...(await scrolled(page, "html")) };
  });
}

async function history(folder) {
  const file = join(folder, "session.jsonl");
  const journal = await journalWith(file, events);
  await journal.close();
  return viewing([file], folder, async (page, elapsed) => {
    await shows(page, "document.querySelector('.event[aria-current]')");
    const first = elapsed();
    await shows(page, "document.querySelector('.loss')");
    const all = elapsed();
    await shows(page, "document.querySelector('.page-head .badge.good')");
    return { first, all, ...(await scrolled(page, "html")) };
  });
}

/** On one machine the clock of the page is ours: to the millisecond. */
async function append(folder, count) {
  const file = join(folder, "session.jsonl");
  const journal = await journalWith(file, Number(count));
  const times = await viewing([file], folder, async (page) => {
    await shows(page, "document.querySelector('.page-head .badge.good')");
    await sleep(2000);
    const each = [];
    for (let index = 0; index < appends; index++) {
      const text = `written as number ${index}`;
      const seen = shows(
        page,
        `[...document.querySelectorAll('.line.added')].some((line) => line.textContent.includes(${JSON.stringify(text)}))`,
      );
      const start = performance.now();
      await journal.notes.set(text);
      await seen;
      each.push(performance.now() - start);
      await sleep(150);
    }
    return each;
  });
  await journal.close();
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
}

function compare(question) {
  const { folder } = question;
  const opened = question.interleave(
    [
      { name: `${sessions.toLocaleString("en")} sessions`, words: ["list", folder] },
      { name: `${events.toLocaleString("en")} events`, words: ["history", folder] },
    ],
    rounds,
  );
  question.table(
    `From asking for the page to what is in the window, to all of it; and while it is scrolled, in ${framesScrolled} frames.`,
    [
      ["view of", "window ms", "all ms", "longest frame ms", "late frames", "long tasks"],
      ...[...opened].map(([name, answers]) => [
        name,
        ...["first", "all", "frame"].map((field) => milliseconds(medianOf(answers, field))),
        ...["late", "tasks"].map((field) => String(medianOf(answers, field))),
      ]),
    ],
  );
  const [ofList = [], ofHistory = []] = [...opened.values()];
  question.gate("list", medianOf(ofList, "all"));
  question.gate("history", medianOf(ofHistory, "first"));
  question.gate("stutter", medianOf(ofList, "tasks") + medianOf(ofHistory, "tasks"));
  const appended = question.interleave(
    ["20", "1000", String(events)].map((count) => ({ name: `${count} events`, words: ["append", folder, count] })),
    2,
  );
  question.gate("append", medianOf(appended.get(`${events} events`) ?? [], "p50"));
  question.table("From an append to the frame that shows it.", [
    ["session of", "p50 ms", "p95 ms"],
    ...[...appended].map(([name, answers]) => [
      name,
      ...["p50", "p95"].map((field) => milliseconds(medianOf(answers, field))),
    ]),
  ]);
}

await ask(import.meta.filename, "How soon does a view show what there is?", { list, history, append }, compare);
