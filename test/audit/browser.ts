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

/** One browser for a file of tests, from when the first of them opens a page; each test begins without pages. */
export function testBrowser(): TestBrowser {
  const complaints: string[] = [];
  const requests: string[] = [];
  let browser: Browser | undefined;
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close();
    complaints.length = 0;
    requests.length = 0;
  });
  afterAll(() => browser?.close());
  return {
    complaints,
    requests,
    version: () => browser?.version() ?? "",
    open: async (options = {}) => {
      browser ??= await launched();
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => requests.push(request.url()));
      return page;
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
