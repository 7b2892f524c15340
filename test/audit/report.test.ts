import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defaultLimits } from "../../src/action/limits.ts";
import { unpackHistory } from "../../src/audit/report/pack.ts";
import { type ReportData, renderReport } from "../../src/audit/report/render.ts";
import { historyOf } from "./histories.ts";
import { foreignFile, foreignSample, hostileHistory, longHistory, sampleHistory } from "./report.sample.ts";

const generatedAt = "2026-11-21T22:00:00.000Z";

function dataOf(html: string): ReportData {
  return JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)?.[1] ?? "");
}

test("the page that is kept is the page that its sources make", () => {
  const made = execFileSync(process.execPath, [".ci/report-page.mjs", "--print"], { encoding: "utf8" });
  expect(made === readFileSync("src/audit/report/asset.ts", "utf8"), "run node .ci/report-page.mjs").toBe(true);
});

test("a report carries the whole history and says the same each time", () => {
  const events = sampleHistory();
  const html = renderReport({ events, session: "s1", generatedAt });
  expect(dataOf(html)).toMatchObject({ title: "s1", limits: defaultLimits });
  expect(unpackHistory(dataOf(html).history)).toEqual(events);
  expect(renderReport({ events: events.values(), session: "s1", generatedAt })).toBe(html);
});

test("marks stand where they stood in the file, and doubts are those that doctor tells", async () => {
  const { events, foreign } = await foreignSample();
  const data = dataOf(renderReport({ events, foreign, generatedAt }));
  const { version } = events[13] ?? {};
  expect(data.marks).toMatchObject([{ marker: "compaction", version, detail: "auto, 167361 tokens before" }]);
  expect(data.doubtful).toMatchObject([
    { text: "Run fmt, lint, and tests", doubt: "left in progress", compactions: 1 },
  ]);
  expect(data.client).toMatchObject({ title: "Claude Code", versions: ["2.1.39"], models: ["claude-opus-4-6"] });
  expect(data.client?.sha256).toBe(createHash("sha256").update(readFileSync(foreignFile)).digest("hex"));
});

test("a plan of our own that never marks what is in progress is not doubted for it", () => {
  const plans = (...texts: string[]) => historyOf(texts.map((text) => ({ type: "plan.set" as const, text })));
  const doubtsOf = (...texts: string[]) => dataOf(renderReport({ events: plans(...texts), generatedAt })).doubtful;
  expect(doubtsOf("- [ ] a\n- [ ] b", "- [x] a\n- [ ] b")).toEqual([]);
  expect(doubtsOf("- [ ] a\n- [>] b", "- [x] a\n- [ ] b")).toMatchObject([{ text: "a", doubt: "never begun" }]);
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
