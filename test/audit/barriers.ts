/** What axe finds on a page: rules of WCAG 2.2 up to AA, and good practice. */
import axe from "axe-core";
import type { Page } from "playwright-core";

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Rule and element of each barrier. */
export async function barriersOn(page: Page): Promise<string[]> {
  // Handed over by the debugger, which the policy of the page does not bind.
  await page.evaluate(axe.source);
  const violations: readonly Violation[] = await page.evaluate(`axe.run(document, {
    resultTypes: ["violations"],
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  }).then(({ violations }) => violations)`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) => `${id}: ${html.slice(0, 160)} ${failureSummary.slice(0, 300)}`),
  );
}
