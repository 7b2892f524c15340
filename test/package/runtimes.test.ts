/** The packed package in other runtimes than Node, where nothing but the package is installed: no library of SQLite's either. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isFull } from "../reliability/results.ts";
import { program } from "../store/process/spawn.ts";
import { installPackage } from "./install.ts";
import { expectSuccess, run } from "./run.ts";

/** The versions that docs/runtimes.md names. They are 200 MB. */
const packages = ["bun@1.4.5", "deno@2.9.6"];

const use = `
  import { createRequire } from "node:module";
  import { openJournal } from "session-journal";
  const [folder] = process.argv.slice(2);
  const file = folder + "/session.jsonl";
  const first = await openJournal(file, { actor: "agent" });
  const { message } = await first.apply({ action: "set_plan", content: "1. Fix auth bug" });
  await first.close();
  const follower = await openJournal(file, { readonly: true, follow: true });
  const seen = new Promise((resolve) => follower.onChange(resolve));
  const journal = await openJournal(file, { actor: "agent" });
  await journal.notes.append("one", { command: "c1" });
  await journal.notes.append("two", { command: "c2" });
  await journal.notes.append("two", { command: "c2" });
  await seen;
  await follower.refresh();
  const { ok } = await follower.verify();
  await Promise.all([journal.close(), follower.close()]);
  const kept = await openJournal("sqlite:" + folder + "/journals.db#a");
  await kept.plan.set(message);
  const required = createRequire(import.meta.url)("session-journal").openJournal === openJournal;
  console.log(JSON.stringify([follower.state.notes, follower.version, ok, kept.state.plan, required]));
  await kept.close();`;

if (isFull) {
  let project = "";
  let conform: Awaited<ReturnType<typeof program>>;
  beforeAll(async () => {
    conform = await program("conform.ts");
    project = installPackage(...packages).folder;
    expectSuccess(run(process.execPath, ["install.js"], join(project, "node_modules", "bun")));
    writeFileSync(join(project, "use.mjs"), use);
  });
  afterAll(() => {
    conform?.remove();
    rmSync(project, { recursive: true, force: true });
  });

  test.each([
    ["bun", []],
    ["deno", ["run", "--allow-all"]],
  ])("%s opens, applies, resumes, follows and shows", (name, words) => {
    const folder = join(project, name);
    mkdirSync(folder);
    const runtime = (...rest: string[]) =>
      run(join(project, "node_modules", ".bin", name), [...words, ...rest], project);
    const used = runtime("use.mjs", folder);
    expect([used.status, used.output]).toEqual([0, '["one\\ntwo",3,true,"plan set: 15/2000 chars used",true]\n']);
    const command = join("node_modules", "session-journal", "dist", "command", "cli.cjs");
    const shown = runtime(command, "show", join(folder, "session.jsonl"), "--json");
    expect(JSON.parse(shown.output)).toMatchObject({
      version: 3,
      state: { plan: "1. Fix auth bug", notes: "one\ntwo" },
    });
    expect(runtime(command, "ls", `sqlite:${join(folder, "journals.db")}`).output).toContain("v1");
    expect(runtime(command, "show", join(folder, "none.jsonl")).status).toBe(2);
  });

  test.each([
    ["bun", [], "bun:sqlite"],
    ["deno", ["run", "--allow-all"], "node:sqlite"],
  ])("%s: session files and databases keep every promise", (name, words, driver) => {
    const folder = join(project, `${name}-promises`);
    mkdirSync(folder);
    const { output } = run(join(project, "node_modules", ".bin", name), [...words, conform.file, folder], project);
    const kept = JSON.parse(output);
    expect([kept.driver, kept.inFiles > 20, kept.inDatabase > 20]).toEqual([driver, true, true]);
  });
}

test("the runtimes that are tested are those that the page names", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/runtimes.md"), "utf8");
  for (const name of packages) expect(page).toContain(name.replace("@", " "));
});
