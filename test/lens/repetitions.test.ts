/** The table of docs/lenses.md is made of the fixtures: SESSION_JOURNAL_WRITE=1 writes it anew. */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { foreignFixtures, tellFixture } from "./lens-run.ts";

const page = "docs/lenses.md";
const pattern = /(<!-- repetitions: [^\n]*-->\n)([\s\S]*?)(<!-- end -->)/;

function table(): string {
  const rows = foreignFixtures.map((fixture) => {
    const { events, facts } = tellFixture(fixture, { every: true });
    const { seen, equal, explained, elsewhere } = facts.repetitions;
    return `| \`${fixture.replaceAll("\\", "/")}\` | ${events.length} | ${seen} | ${equal} | ${explained} | ${elsewhere} |\n`;
  });
  return `| session | events | repetitions seen | equal | explained | from elsewhere |\n|---|---:|---:|---:|---:|---:|\n${rows.join("")}`;
}

test("the table of repetitions is what the fixtures hold", () => {
  const markdown = readFileSync(page, "utf8");
  const made = table();
  if (process.env["SESSION_JOURNAL_WRITE"] !== undefined) {
    writeFileSync(
      page,
      markdown.replace(pattern, (_, before: string, __, after: string) => `${before}${made}${after}`),
    );
    return;
  }
  expect(pattern.exec(markdown)?.[2]).toBe(made);
});

test("no repetition of a fixture is left without an answer", () => {
  for (const fixture of foreignFixtures) {
    const { seen, equal, explained, elsewhere } = tellFixture(fixture).facts.repetitions;
    expect([fixture, equal + explained + elsewhere]).toEqual([fixture, seen]);
  }
});
