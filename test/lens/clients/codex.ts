/** Codex, with a model that is scripted. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { agents, ClientHome } from "./client-home.ts";
import { serveResponses } from "./model-servers.ts";
import { call, expectStory, list, type Status, Story, stepsWith } from "./story.ts";
import { Watched } from "./watched.ts";

const program = join(agents, "@openai/codex/bin/codex.js");
const [P, I, C] = ["pending", "in_progress", "completed"] as const;

function update(...statuses: readonly (Status | undefined)[]) {
  return call("update_plan", { plan: stepsWith(statuses, (step, status) => ({ step, status })) });
}

function patch(...lines: readonly string[]) {
  return call("apply_patch", { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
}

export async function tellPlan(): Promise<void> {
  const story = new Story(({ body, url }) => {
    const isCompaction = url.includes("compact") || /CONTEXT CHECKPOINT|handoff summary/i.test(body.slice(-4000));
    return isCompaction ? { text: "Summary: go on with step 2." } : undefined;
  });
  const server = await serveResponses(story.script);
  const client = new ClientHome("AGENTS.md", { SCRIPTED_KEY: "none" });
  mkdirSync(join(client.home, ".codex"));
  writeFileSync(join(client.home, ".codex/config.toml"), configOf(server.url, client.project));
  const codex = (...words: string[]) =>
    client.run(process.execPath, program, "exec", ...words.slice(0, -1), "--skip-git-repo-check", words.at(-1) ?? "");
  story.tell([
    ...[update(P, P, P), update(I, P, P), call("update_plan", { plan: [{ step: "without a status" }] })],
    patch("*** Add File: PLAN.md", "+# Plan", "+", "+- Fix"),
    { text: "Begun." },
  ]);
  const running = codex("The bug.");
  const watched = await Watched.begin(() => client.file(".codex/sessions", (path) => path.endsWith(".jsonl")));
  await running;
  story.tell([update(C, I, P), { text: "Full.", full: true }]);
  await codex("resume", "--last", "The bug. Go on.");
  appendFileSync(client.at("PLAN.md"), "- A person's line\n");
  story.tell([
    ...[call("exec_command", { cmd: "ls" }), update(C, C, undefined)],
    patch("*** Update File: PLAN.md", "@@", "-- Fix", "+- Fix: done", " - A person's line"),
    { text: "Done." },
  ]);
  await codex("resume", "--last", "The bug. Finish.");
  const seen = await watched.end();
  await server.close();
  expectStory(
    seen,
    [
      `1 codex: ${list(P, P, P)}`,
      `1 codex: ${list(I, P, P)}`,
      "1 codex: refused set_plan",
      "1 codex: PLAN.md = # Plan\n\n- Fix\n",
      `2 codex: ${list(C, I, P)}`,
      `3 codex: ${list(C, C)}`,
    ],
    [expect.stringMatching(/^compaction/)],
  );
}

function configOf(url: string, project: string): string {
  return `model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[tools.update_plan]
enabled = true
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[projects."${project}"]
trust_level = "trusted"
`;
}
