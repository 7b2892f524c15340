import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defaultLimits } from "../../src/action/limits.ts";
import { unpackHistory } from "../../src/audit/report/pack.ts";
import { renderReport } from "../../src/audit/report/render.ts";
import { hostileHistory, longHistory, sampleHistory } from "./report.sample.ts";

const generatedAt = "2026-11-21T22:00:00.000Z";

function dataOf(html: string): { history: Parameters<typeof unpackHistory>[0]; title: string; limits: unknown } {
  return JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)?.[1] ?? "");
}

test("the page that is kept is the page that its sources make", () => {
  const made = execFileSync(process.execPath, [".ci/report-page.mjs", "--print"], { encoding: "utf8" });
  expect(made === readFileSync("src/audit/report/asset.ts", "utf8"), "run node .ci/report-page.mjs").toBe(true);
});

test("the script of the page keeps to its types", () => {
  const tsc = ["node_modules/typescript/bin/tsc", "-p", "src/audit/report/page"];
  const { stdout } = spawnSync(process.execPath, tsc, { encoding: "utf8" });
  expect(stdout).toBe("");
}, 120_000);

test("a report carries the whole history and says the same each time", () => {
  const events = sampleHistory();
  const html = renderReport({ events, session: "s1", generatedAt });
  expect(dataOf(html)).toMatchObject({ title: "s1", limits: defaultLimits });
  expect(unpackHistory(dataOf(html).history)).toEqual(events);
  expect(renderReport({ events: events.values(), session: "s1", generatedAt })).toBe(html);
});

test("hostile texts neither end their element nor open another", () => {
  const title = "</title><script>alert(1)</script>";
  const html = renderReport({ events: hostileHistory(), title, generatedAt });
  expect(html.match(/<script/g)).toHaveLength(2);
  expect(html.match(/<\/script/g)).toHaveLength(2);
  expect(html.match(/<title/g)).toHaveLength(1);
  expect(html).not.toMatch(/<img|<svg|[\u2028\u2029]/);
  expect(unpackHistory(dataOf(html).history)).toEqual(hostileHistory());
});

test("the policy names the hash of the one script and the one style, and lets nothing else in", () => {
  const html = renderReport({ events: [], title: "empty", generatedAt });
  const hash = (pattern: RegExp): string =>
    createHash("sha256")
      .update(pattern.exec(html)?.[1] ?? "")
      .digest("base64");
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1]?.split("; ");
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain(`script-src 'sha256-${hash(/<script>(.*?)<\/script>/s)}'`);
  expect(policy).toContain(`style-src 'sha256-${hash(/<style>(.*?)<\/style>/s)}'`);
  expect(html).not.toMatch(/(src|href)="?(https?:)?\/\//);
});

test("ten thousand events stay under ten megabytes", () => {
  const html = renderReport({ events: longHistory(10_000), title: "long", generatedAt });
  expect(Buffer.byteLength(html)).toBeLessThan(10_000_000);
});
