import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import plugin from "../../src/entry/openclaw.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { faces } from "../../src/prompt/block.ts";
import { configSchema } from "../../src/prompt/config-schema.ts";
import { OpenClaw } from "./openclaw-api.ts";

const root = resolve(import.meta.dirname, "../..");
const block = "[Session Scratchpad]\nPlan:\n1. Tag 2.14.1\n[End Scratchpad]";
const setPlan = { action: "set_plan", content: "1. Tag 2.14.1" };

const folders: string[] = [];
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "session-journal-openclaw-"));
  folders.push(folder);
  return folder;
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** What happened, as `[type, turn, actor, command]`. */
async function told(file: string): Promise<readonly unknown[]> {
  const journal = await openJournal(file, { readonly: true });
  const events: unknown[] = [];
  for await (const { event, turn, actor, command } of journal.history())
    events.push([event.type, turn, actor, command]);
  await journal.close();
  return events;
}

test("what the agent wrote stands before the next message, and in the next process too", async () => {
  const stateDir = newFolder();
  const claw = new OpenClaw(stateDir);
  const first = await claw.prompt({ sessionId: "s-1", runId: "r-1", trigger: "user" });
  expect(first.appendSystemContext).toContain("## Session Scratchpad");
  expect(first.prependContext).toBeUndefined();
  const reply = await claw.tool("session_scratchpad", { sessionId: "s-1" })?.execute("call_1", setPlan);
  expect(reply?.content).toEqual([{ type: "text", text: "plan set: 13/2000 chars used" }]);
  expect(reply?.details).toMatchObject({ ok: true, used: 13 });
  expect(await claw.prompt({ sessionId: "s-1", runId: "r-2" })).toMatchObject({ prependContext: block });
  await claw.tell("gateway_stop", {}, {});

  const again = new OpenClaw(stateDir);
  expect(await again.prompt({ sessionId: "s-1", runId: "r-3" })).toMatchObject({ prependContext: block });
  expect(await again.prompt({ sessionId: "s-2", runId: "r-4" })).not.toHaveProperty("prependContext");
  await again.tell("gateway_stop", {}, {});
  expect(await told(join(stateDir, "session-journal", "s-1.jsonl"))).toEqual([
    ["turn.began", 1, "agent", undefined],
    ["plan.set", 1, "agent", "call_1"],
    ["turn.began", 2, "agent", undefined],
    ["turn.began", 3, "agent", undefined],
  ]);
});

test("a message that is prepared twice, and work that nobody asked for, begin no turn", async () => {
  const stateDir = newFolder();
  const claw = new OpenClaw(stateDir);
  const run = { sessionId: "s", runId: "r-1", trigger: "user" };
  await claw.prompt(run, { currentUserMessageId: "m-1" });
  await claw.prompt({ ...run, runId: "r-2" }, { currentUserMessageId: "m-1" });
  for (const trigger of ["heartbeat", "overflow"]) await claw.prompt({ ...run, runId: trigger, trigger });
  await claw.prompt({ ...run, runId: "r-3", trigger: "cron" });
  await claw.tell("session_end", { sessionId: "s" }, { sessionId: "s" });
  expect(await told(join(stateDir, "session-journal", "s.jsonl"))).toEqual([
    ["turn.began", 1, "agent", undefined],
    ["turn.began", 2, "agent", undefined],
  ]);
});

test("a hint counts messages, not how often one is prepared, and comes after a compaction", async () => {
  const claw = new OpenClaw(newFolder(), { nudges: { nudgeAfterTurns: 2, nudgeAfterCompaction: 1 } });
  const prompt = async (runId: string) => (await claw.prompt({ sessionId: "s", runId })).prependContext ?? "";
  expect(await prompt("r-1")).toBe("");
  expect(await prompt("r-1")).toBe("");
  expect(await prompt("r-2")).toMatch(/^\[Hint: .*\]$/);
  await claw.tell("after_compaction", { messageCount: 2, compactedCount: 9 }, { sessionId: "s" });
  expect(await prompt("r-2")).toMatch(/^\[Hint: .*\]$/);
  expect(await prompt("r-3")).toBe("");
  await claw.tell("gateway_stop", {}, {});
});

test("a compaction of which the host tells by the session's key alone is hinted at, and only in that session", async () => {
  const claw = new OpenClaw(newFolder(), { nudges: { nudgeAfterCompaction: 1 } });
  const prompt = async (name: string, runId: string) =>
    (await claw.prompt({ sessionId: name, sessionKey: `agent:main:${name}`, runId })).prependContext ?? "";
  expect([await prompt("one", "r-1"), await prompt("two", "r-2")]).toEqual(["", ""]);
  await claw.tell("after_compaction", { messageCount: 2, compactedCount: 1 }, { sessionKey: "agent:main:one" });
  await claw.tell("after_compaction", { messageCount: 2, compactedCount: 1 }, { sessionKey: "agent:main:unknown" });
  expect(await prompt("two", "r-3")).toBe("");
  expect(await prompt("one", "r-4")).toMatch(/^\[Hint: The conversation was compacted.*\]$/);
  expect(await prompt("one", "r-5")).toBe("");
  await claw.tell("gateway_stop", {}, {});
});

test("a compaction that begins a session of another id takes the scratchpad along, in the middle of a run too", async () => {
  const stateDir = newFolder();
  const claw = new OpenClaw(stateDir);
  const old = { sessionId: "old", runId: "r-1" };
  await claw.prompt(old);
  const tool = claw.tool("session_scratchpad", old);
  await tool?.execute("call_1", setPlan);
  await claw.tell("after_compaction", { previousSessionId: "old" }, { sessionId: "new" });
  await claw.tell("session_end", { reason: "compaction", nextSessionId: "new" }, { sessionId: "old" });
  await tool?.execute("call_2", { action: "refs.add", ref: "CHANGELOG.md" });
  await claw.prompt({ sessionId: "new", runId: "r-1" });
  const { prependContext } = await claw.prompt({ sessionId: "new", runId: "r-2" });
  expect(prependContext).toBe(
    "[Session Scratchpad]\nPlan:\n1. Tag 2.14.1\n\nReferences:\n• CHANGELOG.md\n[End Scratchpad]",
  );
  await claw.tell("gateway_stop", {}, {});
  const folder = join(stateDir, "session-journal");
  expect(readdirSync(folder).filter((name) => name.endsWith(".jsonl"))).toEqual(["new.jsonl", "old.jsonl"]);
  expect((await told(join(folder, "new.jsonl"))).map((event) => (event as unknown[])[0])).toEqual([
    "session.forked",
    "ref.added",
    "turn.began",
  ]);

  // The host may say so again after a restart: the newer journal stays.
  const again = new OpenClaw(stateDir);
  await again.tell("after_compaction", { previousSessionId: "old" }, { sessionId: "new" });
  expect((await again.prompt({ sessionId: "new", runId: "r-3" })).prependContext).toContain("CHANGELOG.md");
  await again.tell("gateway_stop", {}, {});
});

test("what is written under the single key is found by a runtime that knows of that key alone", async () => {
  const stateDir = newFolder();
  const claw = new OpenClaw(stateDir, { face: "single-key" });
  await claw.tool("session_scratchpad", { sessionId: "s" })?.execute("call_1", { content: "1. Tag 2.14.1" });
  await claw.tell("gateway_stop", {}, {});
  const lines = readFileSync(join(stateDir, "session-journal", "s.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  const values = lines.map((line) => JSON.parse(line)).filter(({ mirror }) => mirror !== undefined);
  expect(values).toMatchObject([{ customType: "openclaw:scratchpad", data: "1. Tag 2.14.1" }]);
});

test("a refusal is a failed call that the model reads, and a repeated call does nothing twice", async () => {
  const claw = new OpenClaw(newFolder(), { actor: "claw", folder: "~/pads" });
  const tool = claw.tool("session_scratchpad", { sessionId: "s" });
  const refused = await tool?.execute("call_1", { action: "refs.remove", ref: "absent" });
  expect(refused?.content[0]?.text).toContain("not found");
  expect(refused?.details).toMatchObject({ ok: false, code: "not_found" });
  await tool?.execute("call_2", { action: "refs.add", ref: "a" });
  await tool?.execute("call_2", { action: "refs.add", ref: "a" });
  await claw.tell("gateway_stop", {}, {});
  expect(await told(join(folders[0] ?? "", "pads", "s.jsonl"))).toEqual([
    ["action.refused", 0, "claw", "call_1"],
    ["ref.added", 0, "claw", "call_2"],
  ]);
});

test("without a session there is neither tool nor block, and no file", async () => {
  const stateDir = newFolder();
  const claw = new OpenClaw(stateDir);
  expect(claw.tool("session_scratchpad", {})).toBeNull();
  expect(await claw.prompt({ runId: "r" })).toEqual({});
  expect(await claw.prompt({ sessionId: "flush", trigger: "memory" })).toEqual({});
  await expect(claw.prompt({ sessionId: "../elsewhere" })).rejects.toThrow("cannot name a file");
  expect(readdirSync(stateDir)).toEqual([]);
});

test("a wrong setting is named, and switched off nothing is registered", () => {
  expect(() => new OpenClaw(newFolder(), { maxToken: 500 })).toThrow("did you mean maxTokens?");
  const off = new OpenClaw(newFolder(), { enabled: false });
  expect([off.toolNames, off.hooks]).toEqual([[], []]);
});

test("the manifest says what the plugin does", () => {
  const manifest = JSON.parse(readFileSync(join(root, "openclaw.plugin.json"), "utf8"));
  expect(manifest).toMatchObject({ id: plugin.id, name: plugin.name, description: plugin.description });
  const registered = faces.flatMap((face) => new OpenClaw(newFolder(), { face }).toolNames);
  expect(manifest.contracts.tools).toEqual([...new Set(registered)]);
  // The host does not keep the block in its transcript: it goes with every message.
  const { send: _send, ...settings } = configSchema.properties;
  const { folder, actor, ...declared } = manifest.configSchema.properties;
  expect(declared).toEqual(settings);
  expect([folder.type, actor.type]).toEqual(["string", "string"]);
  expect(manifest.configSchema.additionalProperties).toBe(false);
});

test("OpenClaw finds the entry of the plugin in the package", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(manifest.files).toContain("openclaw.plugin.json");
  expect(manifest.openclaw.extensions).toEqual([manifest.exports["./openclaw"].default]);
  expect(existsSync(join(root, "src/entry/openclaw.ts"))).toBe(true);
});
