import fc from "fast-check";
import { expect, test } from "vitest";
import { Ledger } from "../../src/line/acceptance.ts";
import { mirrorLine } from "../../src/line/encode.ts";
import { acceptedIn, anySteps, linesLeftBy } from "./interleaving.ts";
import { decodeLine, encodeContext, linesIn, names, session } from "./lines.ts";

function readWith(ledger: Ledger, lines: readonly string[]): string[] {
  return linesIn(Buffer.from(lines.join(""))).flatMap((line) => {
    const decoded = decodeLine(line, names);
    if (decoded === undefined) return [];
    const customType = decoded.kind === "value" ? (decoded.key === "legacy" ? names.legacy : names[decoded.key]) : "";
    return ledger.take(decoded).events.map(({ version, commit }) => `${version} ${commit ?? customType}`);
  });
}

test("writers with stale views, duplicates and accidents in any order: the history is what the rule says", () => {
  fc.assert(
    fc.property(anySteps, (all) => {
      const lines = linesLeftBy(all);
      const ledger = new Ledger(session);
      expect(readWith(ledger, lines)).toEqual(acceptedIn(lines).history);
      expect(ledger.head).toEqual(acceptedIn(lines).head);
    }),
    { numRuns: 500 },
  );
});

test("a reader that goes on from the image of another reads what that one reads", () => {
  fc.assert(
    fc.property(anySteps, fc.nat(), (all, at) => {
      const lines = linesLeftBy(all);
      const before = lines.slice(0, at % (lines.length + 1));
      const first = new Ledger(session);
      readWith(first, before);
      const second = new Ledger(session);
      second.restore(JSON.parse(JSON.stringify(first.image())) as ReturnType<Ledger["image"]>);
      const rest = lines.slice(before.length);
      expect(readWith(second, rest)).toEqual(readWith(first, rest));
      expect(second.image()).toEqual(first.image());
    }),
  );
});

test("no line that is refused changes what is accepted after it", () => {
  fc.assert(
    fc.property(anySteps, (all) => {
      const lines = linesLeftBy(all);
      const ledger = new Ledger(session);
      const kept = lines.filter((line) => readWith(ledger, [line]).length > 0);
      expect(acceptedIn(kept)).toEqual(acceptedIn(lines));
    }),
  );
});

test("a refused commit is beyond doubt only where it names a head of the history that was read", () => {
  fc.assert(
    fc.property(anySteps, (all) => {
      const ledger = new Ledger(session);
      const heads = new Set([ledger.hash]);
      for (const line of linesLeftBy(all)) {
        const decoded = decodeLine(Buffer.from(line.slice(0, -1)), names);
        if (decoded?.kind !== "commit") continue;
        const { finding, doubtful = false } = ledger.take(decoded);
        if (finding === "fork" && !doubtful) expect(heads).toContain(decoded.data.prev);
        if (finding === "hash" || finding === "gap") expect(doubtful).toBe(true);
        heads.add(ledger.hash);
      }
    }),
  );
});

test("a mirror is no event, whatever became of its commit", () => {
  const mirror = mirrorLine("notes", "x", "c-unknown", null, encodeContext()).text;
  expect(readWith(new Ledger(session), [mirror, mirror])).toEqual([]);
});
