/**
 * Screenshots that somebody has looked at, and what the pages look like now. Another version of Chromium draws letters
 * otherwise, so that only the one which took them is compared. `SCREENS=write` takes them anew.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { type ReportOptions, renderReport } from "../../src/audit/report/render.ts";
import { painted, testBrowser } from "./browser.ts";
import { foreignSample, longHistory, sampleHistory } from "./report.sample.ts";

const isFull = process.env["SESSION_JOURNAL_FULL"] === "1";
const isWritten = process.env["SCREENS"] === "write";
const kept = join(import.meta.dirname, "screens");
const versionFile = join(kept, "chromium.txt");
/** Two colors that differ by more in one channel are another color, and so much of a picture may be in another color. */
const channelMax = 48;
const shareMax = 0.003;
const folder = mkdtempSync(join(tmpdir(), "session-journal-screens-"));
const browser = testBrowser();

afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Content = Pick<ReportOptions, "events"> & Partial<ReportOptions>;

const prompts = ["Login fails after midnight", "look", "go on", "fix it", "and then?", "test", "back"].map(
  (text, index) => ({ turn: index + 1, text }),
);
const contents: Readonly<Record<string, () => Content | Promise<Content>>> = {
  one: () => ({ events: sampleHistory().slice(0, 1) }),
  twenty: () => ({ events: sampleHistory(), prompts }),
  many: () => ({ events: longHistory(10_000) }),
  claude: foreignSample,
};

const screens: readonly (readonly [string, string, BrowserContextOptions])[] = [
  ["one-desk-light", "one", { viewport: { width: 1024, height: 640 }, colorScheme: "light" }],
  ["twenty-desk-dark", "twenty", { viewport: { width: 1440, height: 900 }, colorScheme: "dark" }],
  ["many-desk-light", "many", { viewport: { width: 1024, height: 640 }, colorScheme: "light" }],
  ["claude-phone-light", "claude", { viewport: { width: 390, height: 844 }, colorScheme: "light" }],
];

test("every screen has a picture that is kept, and no picture is large", () => {
  const pictures = readdirSync(kept).filter((name) => name.endsWith(".png"));
  expect(pictures.sort()).toEqual(screens.map(([name]) => `${name}.png`).sort());
  for (const name of pictures) expect(statSync(join(kept, name)).size).toBeLessThanOrEqual(60_000);
});

if (isFull) {
  test.each(screens)("%s looks as it did when somebody looked at it", async (name, content, options) => {
    const page = await browser.open(options);
    await show(page, (await contents[content]?.()) ?? { events: [] });
    const shot = await pixelsOf(await page.screenshot());
    const file = join(kept, `${name}.png`);
    const { width = 0, height = 0 } = options.viewport ?? {};
    if (isWritten) {
      writeFileSync(file, await inFewColors(shot, width, height));
      writeFileSync(versionFile, `${browser.version()}\n`);
    }
    expect(shot.length).toBe(width * height * 4);
    if (readFileSync(versionFile, "utf8").trim() !== browser.version()) return;
    expect(differing(await pixelsOf(readFileSync(file)), shot)).toBeLessThanOrEqual(shareMax);
  });

  test("a picture in which a word is gone is told from the one that is kept", async () => {
    const [name, content, options] = screens[1] ?? ["", "", {}];
    const page = await browser.open(options);
    await show(page, (await contents[content]?.()) ?? { events: [] });
    await page.evaluate("document.querySelector('.event-panel').remove()");
    await painted(page);
    const shot = await pixelsOf(await page.screenshot());
    expect(differing(await pixelsOf(readFileSync(join(kept, `${name}.png`))), shot)).toBeGreaterThan(shareMax);
  });
}

async function inFewColors(pixels: Buffer, width: number, height: number): Promise<Buffer> {
  const maker: unknown = await import(new URL("../../.ci/small-png.mjs", import.meta.url).href);
  const { smallPng } = maker as { smallPng: (pixels: Buffer, width: number, height: number) => Buffer };
  return smallPng(pixels, width, height);
}

async function show(page: Page, content: Content): Promise<void> {
  const file = join(folder, "report.html");
  const html = renderReport({
    title: "Login fails after midnight",
    session: "0b1c2d3e",
    generatedAt: "2026-11-21T22:00:00.000Z",
    ...content,
  });
  writeFileSync(file, html);
  await page.goto(pathToFileURL(file).href);
  await page.locator(".verification").waitFor();
  // Of a long history, losses are counted after the first frame.
  await page.locator(".page-head .facts", { hasText: /\d loss/ }).waitFor();
  await page.waitForTimeout(500);
}

/** Four bytes each, row by row: the browser reads its own pictures. */
async function pixelsOf(png: Buffer): Promise<Buffer> {
  const page = await browser.open();
  const pixels: string = await page.evaluate(`(async () => {
    const bytes = Uint8Array.from(atob(${JSON.stringify(png.toString("base64"))}), (each) => each.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    canvas.drawImage(bitmap, 0, 0);
    const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
    let text = "";
    for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
    return btoa(text);
  })()`);
  await page.close();
  return Buffer.from(pixels, "base64");
}

/** The share of pixels that have another color. */
function differing(one: Buffer, other: Buffer): number {
  if (one.length !== other.length) return 1;
  let count = 0;
  for (let at = 0; at < one.length; at += 4) {
    const channels = [0, 1, 2].map((channel) => Math.abs((one[at + channel] ?? 0) - (other[at + channel] ?? 0)));
    if (Math.max(...channels) > channelMax) count += 1;
  }
  return count / (one.length / 4);
}
