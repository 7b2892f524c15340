// Makes the pictures of the documentation, docs/pictures/*.png, of sessions that clients wrote: `node .ci/pictures.mjs`.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { smallPng } from "./small-png.mjs";

const root = resolve(import.meta.dirname, "..");
const fixtures = join(root, "fixtures", "sessions");
const pictures = join(root, "docs", "pictures");
const command = join(root, "dist", "command", "cli.cjs");
/** Pages are to load fast. */
const bytesMax = 60_000;
const viewport = { width: 1180, height: 700 };

/** Where clients keep what the view shows, and how many minutes ago it was written. */
const kept = [
  ["pi-0.73.1.jsonl", ".pi/agent/sessions/acme-auth/session.jsonl", 0],
  ["claude-code/1.0.111-todowrite.jsonl", ".claude/projects/-home-dev/cb947e5b-246e-4253-a953-631f7e464c6b.jsonl", 3],
  ["codex/0.169.0-update-plan-compaction.jsonl", ".codex/sessions/2026/05/01/rollout-2026-05-01T00-00-00-0.jsonl", 95],
  ["droid/todo-text.jsonl", ".factory/sessions/-home-dev/052cb8d0-4616-488a-99fe-bfbbbe9429b3.jsonl", 1500],
];

const folder = mkdtempSync(join(tmpdir(), "session-journal-pictures-"));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"],
});
try {
  mkdirSync(pictures, { recursive: true });
  await pictureOfReport();
  await pictureOfView();
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

async function pictureOfReport() {
  const session = join(folder, "session.jsonl");
  copyFileSync(join(fixtures, "pi-0.73.1.jsonl"), session);
  const page = join(folder, "audit.html");
  spawnSync(process.execPath, [command, "report", "session.jsonl", "-o", page], { cwd: folder, stdio: "inherit" });
  await picture("report.png", `${pathToFileURL(page)}#v10`, ".lines ins");
}

async function pictureOfView() {
  const home = join(folder, "home");
  for (const [fixture, name, minutes] of kept) {
    const file = join(home, name);
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync(join(fixtures, fixture), file);
    const at = Date.now() / 1000 - minutes * 60;
    utimesSync(file, at, at);
  }
  const server = spawn(process.execPath, [command, "view", "--all"], {
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [address] = await once(server.stdout, "data");
    await picture("view.png", String(address).trim(), `.sessions > :nth-child(${kept.length})`);
  } finally {
    server.kill("SIGINT");
  }
}

async function picture(name, url, shown) {
  const page = await browser.newPage({ viewport, colorScheme: "light" });
  await page.goto(url);
  await page.locator(shown).first().waitFor();
  await page.waitForTimeout(500);
  const shot = await page.screenshot();
  await page.close();
  const png = smallPng(await pixelsOf(shot), viewport.width, viewport.height);
  if (png.length > bytesMax) throw new Error(`${name} would have ${png.length} bytes, more than ${bytesMax}`);
  writeFileSync(join(pictures, name), png);
  console.log(`docs/pictures/${name}: ${png.length} bytes`);
}

/** A browser reads its own pictures. */
async function pixelsOf(shot) {
  const page = await browser.newPage();
  const pixels = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    canvas.drawImage(bitmap, 0, 0);
    const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
    let text = "";
    for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
    return btoa(text);
  }, shot.toString("base64"));
  await page.close();
  return Buffer.from(pixels, "base64");
}
