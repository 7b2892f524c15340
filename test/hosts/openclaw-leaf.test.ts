/** Behind an entry `leaf`, OpenClaw's own reader finds the same conversation as ours, and our lines on it. */
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { newSession, root } from "../cli/cli.ts";

const dist = path.join(root, "test/hosts/openclaw/node_modules/openclaw/dist");

interface Entry {
  readonly id: string;
  readonly customType?: string;
}

interface Tree {
  readonly leafId: string | null;
  readonly hasInvalidLeafControl: boolean;
  readonly byId: ReadonlyMap<string, { readonly parentId: string | null }>;
}

/** The names of its bundles and of what they export are another in each release. */
async function openClawTree(entries: readonly Entry[]): Promise<Tree> {
  const file = fs.readdirSync(dist).find((name) => /^transcript-tree-.*\.m?js$/.test(name)) ?? "";
  const bundle = (await import(pathToFileURL(path.join(dist, file)).href)) as Record<string, unknown>;
  const scan = Object.values(bundle).find(
    (value): value is (entries: readonly Entry[]) => Tree =>
      typeof value === "function" && value.name === "scanSessionTranscriptTree",
  );
  if (scan === undefined) throw new Error(`${file} has no reader of a session's tree`);
  return scan(entries);
}

/** OpenClaw is 640 MB: the full test programme installs it. */
const isFull = process.env["SESSION_JOURNAL_FULL"] === "1";

test("after a leaf, OpenClaw goes on where we read, and what we append stays on that path", async () => {
  const file = newSession();
  const timestamp = "2026-01-01T00:00:00.000Z";
  const entries = (): Entry[] =>
    fs
      .readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Entry);
  const put = (line: object): void => fs.appendFileSync(file, `${JSON.stringify({ timestamp, ...line })}\n`);
  const say = (id: string, parentId: string | null | undefined, role: string): void =>
    put({ type: "message", id, parentId, message: { role, content: [{ type: "text", text: id }] } });
  put({ type: "session", version: 3, id: "s", cwd: "/" });
  say("one", null, "user");
  say("two", "one", "assistant");
  await using journal = await openJournal(file, { fold: "branch" });
  await journal.plan.set("at two");
  say("three", entries().at(-1)?.id, "user");
  await journal.plan.set("at three");
  put({ type: "leaf", id: "leaf", parentId: entries().at(-1)?.id, targetId: "two" });
  await journal.notes.set("behind the leaf");
  expect(journal.state).toMatchObject({ plan: "at two", notes: "behind the leaf" });
  const found = entries();
  // Our first line behind it hangs on it, and its reader goes on from there to the target.
  expect(found[found.findIndex(({ id }) => id === "leaf") + 1]).toMatchObject({ parentId: "leaf" });
  if (!isFull) return;
  const tree = await openClawTree(found);
  const names: string[] = [];
  for (let at = tree.leafId; at !== null; at = tree.byId.get(at)?.parentId ?? null)
    names.unshift(found.find(({ id }) => id === at)?.customType ?? at);
  expect(tree.hasInvalidLeafControl).toBe(false);
  expect(names.slice(0, 3)).toEqual(["one", "two", "openclaw:scratchpad:events"]);
  expect(names).not.toContain("three");
  expect(tree.leafId).toBe(found.at(-1)?.id);
});
