import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundled } from "../package/bundled.ts";
import { type Edit, edits } from "./adding-an-action.edits.ts";

const root = resolve(import.meta.dirname, "../..");
const compiler = join(root, "node_modules", ".bin", "tsgo");
let folder: string;

/** Left out in the control, where the space of an action is no longer known either. */
const left = ["src/event/types.ts", "src/state/evolve.ts", "src/action/decide.ts", "src/testing/arbitraries.ts"];
const asked = [...left, "src/action/actions.ts"];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "session-journal-action-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  cpSync(join(root, "src"), join(folder, "src"), { recursive: true });
  cpSync(join(root, "package.json"), join(folder, "package.json"));
  const { compilerOptions, exclude } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  const { tsBuildInfoFile: _, ...options } = compilerOptions;
  const ofWhole = { compilerOptions: { ...options, incremental: false }, include: ["src"], exclude };
  writeFileSync(join(folder, "whole.json"), JSON.stringify(ofWhole));
  writeFileSync(join(folder, "part.json"), JSON.stringify({ compilerOptions: ofWhole.compilerOptions, files: asked }));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("an action with its event is added in at most eight files, and nothing else has to know of it", async () => {
  expect(new Set(edits.map(({ file }) => file)).size).toBeLessThanOrEqual(8);
  write(edits);
  expect(typeErrors("whole.json")).toEqual([]);
  expect(await run()).toEqual({
    refs: ["b", "a"],
    message: "ref moved: 2/50 items used",
    refusal: "refs.move rejected: not found (2/50 items used)",
    title: "ref moved",
    text: "a",
    space: "refs",
    asked: { action: "refs.move", ref: "a" },
    read: { type: "ref.moved", ref: "a" },
    lost: [{ reason: "refused", space: "refs", text: "z" }],
    known: true,
  });
}, 300_000);

test("the compiler asks for each part of it that is left out", () => {
  write(edits.filter(({ file }) => !left.includes(file)));
  expect(new Set(typeErrors("part.json"))).toEqual(new Set(asked));
}, 300_000);

/** The files of the copy as the given edits leave them. */
function write(given: readonly Edit[]): void {
  for (const file of new Set(edits.map((edit) => edit.file))) {
    let text = readFileSync(join(root, file), "utf8");
    for (const { anchor, added } of given.filter((edit) => edit.file === file)) {
      expect(text.split(anchor), `${file} has ${anchor} once`).toHaveLength(2);
      text = text.replace(anchor, () => added + anchor);
    }
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

/** The files that the compiler complains about. */
function typeErrors(project: string): string[] {
  const { stdout, status } = spawnSync(compiler, ["--noEmit", "--checkers", "1", "-p", project], {
    cwd: folder,
    encoding: "utf8",
  });
  const files = [...stdout.matchAll(/^(src\/[^(]+)\(/gm)].map(([, file]) => file ?? "");
  expect(files.length > 0, stdout).toBe(status !== 0);
  return files;
}

/** The new action on its way through the copy: asked, decided, folded, read back, told. */
async function run(): Promise<unknown> {
  const script = `
    import { isActionName } from "./src/action/actions.ts";
    import { reduce } from "./src/action/decide.ts";
    import { defaultLimits } from "./src/action/limits.ts";
    import { actionOf } from "./src/action/replay.ts";
    import { describe } from "./src/audit/report/describe.ts";
    import { lost } from "./src/audit/lost.ts";
    import { encodeEvent, parseEvent } from "./src/event/parse.ts";
    import { currentSchema } from "./src/event/upcast.ts";
    import { evolve } from "./src/state/evolve.ts";
    import { initialState } from "./src/state/state.ts";
    const at = "2026-01-01T00:00:00.000Z";
    const context = { limits: defaultLimits, actor: "agent", at };
    const before = evolve(initialState, { type: "refs.set", refs: ["a", "b"] });
    const { state, events: [event], answer } = reduce(before, { action: "refs.move", ref: "a" }, context);
    const absent = reduce(state, { action: "refs.move", ref: "z" }, context);
    const recorded = { version: 1, event: absent.events[0], at, turn: 0, actor: "agent", origin: "journal" };
    export const result = {
      refs: state.refs,
      message: answer.message,
      refusal: absent.answer.message,
      ...describe(event),
      asked: actionOf(event, at),
      read: parseEvent(currentSchema, encodeEvent(event)),
      lost: lost([recorded]).map(({ reason, space, text }) => ({ reason, space, text })),
      known: isActionName("refs.move"),
    };`;
  const { code } = await bundled({ code: script, folder });
  writeFileSync(join(folder, "run.mjs"), code);
  const { result } = await import(pathToFileURL(join(folder, "run.mjs")).href);
  return result;
}
