// How soon does a view show 2,000 sessions, 10,000 events, and what somebody has just written? In Chromium, to the frame
// in which it stands on the page. This goes beyond the gates.
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

/** The longest frame, in milliseconds, while what `selector` names is scrolled through to its end. */
function scrolled(page, selector) {
  return page.evaluate(`new Promise((done) => {
    const scroller = document.querySelector(${JSON.stringify(selector)});
    let last = performance.now();
    let longest = 0;
    let frames = 0;
    const step = (now) => {
      longest = Math.max(longest, now - last);
      last = now;
      scroller.scrollTop += 400;
      if ((frames += 1) < 120) requestAnimationFrame(step);
      else done(longest);
    };
    requestAnimationFrame(step);
  })`);
}

async function list(folder) {
  return viewing(["--all"], homeWith(folder, sessions), async (page, elapsed) => {
    await shows(page, "document.querySelector('.session')");
    const first = elapsed();
    await shows(page, `document.querySelectorAll('.session').length === ${sessions}`);
    const all = elapsed();
    return { first, all, frame: await scrolled(page, "html") };
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
    return { first, all, frame: await scrolled(page, "html") };
  });
}

/** On one machine the clock of the page is ours: to the millisecond. */
async function append(folder, count) {
  const file = join(folder, "session.jsonl");
  const journal = await journalWith(file, Number(count));
  const times = await viewing([file], folder, async (page) => {
    await shows(page, "document.querySelector('.badge.good')");
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
    "From asking for the page to what is in the window, to all of it, and the longest frame while it is scrolled.",
    [
      ["view of", "window ms", "all ms", "longest frame ms"],
      ...[...opened].map(([name, answers]) => [
        name,
        ...["first", "all", "frame"].map((field) => milliseconds(medianOf(answers, field))),
      ]),
    ],
  );
  const appended = question.interleave(
    ["20", "1000", String(events)].map((count) => ({ name: `${count} events`, words: ["append", folder, count] })),
    2,
  );
  question.table("From an append to the frame that shows it.", [
    ["session of", "p50 ms", "p95 ms"],
    ...[...appended].map(([name, answers]) => [
      name,
      ...["p50", "p95"].map((field) => milliseconds(medianOf(answers, field))),
    ]),
  ]);
}

await ask(import.meta.filename, "How soon does a view show what there is?", { list, history, append }, compare);
