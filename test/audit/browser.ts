/** Chromium for tests of the pages, and what a page complains of. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach } from "vitest";

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"];
const args = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", ...quiet];

export interface TestBrowser {
  /** A page of its own. */
  open(options?: BrowserContextOptions): Promise<Page>;
  readonly version: () => string;
  /** What pages of the running test wrote to their console, or threw. */
  readonly complaints: string[];
  /** The addresses that they asked for. */
  readonly requests: string[];
}

const desk = { width: 1280, height: 900 };

/**
 * One browser for a file of tests, from when the first of them opens a page; each test begins without pages. `keepsPage`: what
 * differs from others in size and colors alone is shown in one page after the other, for making one takes longer than most tests.
 */
export function testBrowser({ keepsPage = false } = {}): TestBrowser {
  const complaints: string[] = [];
  const requests: string[] = [];
  let browser: Browser | undefined;
  let kept: Page | undefined;
  let isKeptInUse = false;
  const newPage = async (options: BrowserContextOptions): Promise<Page> => {
    browser ??= await launched();
    const page = await browser.newPage({ viewport: desk, ...options });
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => requests.push(request.url()));
    return page;
  };
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) if (context !== kept?.context()) await context.close();
    // An address that differs in its fragment alone would not be loaded anew.
    if (isKeptInUse) await kept?.goto("about:blank");
    isKeptInUse = false;
    complaints.length = 0;
    requests.length = 0;
  });
  afterAll(() => browser?.close());
  return {
    complaints,
    requests,
    version: () => browser?.version() ?? "",
    open: async (options = {}) => {
      const { viewport, colorScheme = "light", ...others } = options;
      if (!keepsPage || isKeptInUse || Object.keys(others).length > 0) return newPage(options);
      isKeptInUse = true;
      kept ??= await newPage({});
      await kept.setViewportSize(viewport ?? desk);
      await kept.emulateMedia({ colorScheme, media: null });
      return kept;
    },
  };
}

function launched(): Promise<Browser> {
  return chromium.launch({ executablePath, args }).catch((cause: unknown) => {
    throw new Error(`no Chromium at ${executablePath}: apt-get install chromium, or set CHROMIUM to its path`, {
      cause,
    });
  });
}

/** Resolves once what was drawn in the next frame is on the page. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}
