import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { newestClients } from "./clients.ts";
import { PiHome, root } from "./pi-home.ts";
import { PiRpc } from "./pi-rpc.ts";
import { call, isSummary, messagesOf, planIn, say, textsOf } from "./pi-scratchpad.ts";
import { type MessageRequest, serveAnthropic } from "./scripted-anthropic.ts";

async function write(file: string, notes: string): Promise<void> {
  const journal = await openJournal(file, { actor: "user" });
  await journal.notes.set(notes);
  await journal.close();
}

/** What was sent before is what the next request begins with: a prompt cache goes on. */
function expectPrefix(before: MessageRequest | undefined, next: MessageRequest): void {
  if (before === undefined) return;
  const messages = messagesOf(before);
  expect(next.system).toEqual(before.system);
  expect(messagesOf(next).slice(0, messages.length)).toEqual(messages);
}

const blockStart = "[Session Scratchpad]";
const page = readFileSync(join(root, "examples", "pi.js"), "utf8");

test.each(newestClients)(
  "$name shows every step of a run the newest plan, through a compaction inside of it",
  async (client) => {
    const requests: MessageRequest[] = [];
    const afterCompaction: MessageRequest[] = [];
    let plan: string | undefined;
    let compacted = false;
    const steps: { readonly seen: string | undefined; readonly true: string | undefined }[] = [];
    const server = await serveAnthropic((request) => {
      if (isSummary(request)) {
        compacted = true;
        return say("A summary.");
      }
      requests.push(request);
      steps.push({ seen: planIn(request), true: plan });
      if (compacted) afterCompaction.push(request);
      compacted = false;
      const step = requests.length;
      if (step === 14 || step === 27) return { overflow: true };
      if (step === 35) return say("Answer.");
      if (step % 6 !== 2) return call("read", { path: "log.txt" });
      plan = `1. Step ${step}`;
      return call("session_scratchpad", { action: "set_plan", content: plan });
    });
    const pi = new PiHome(client, { url: server.url, compaction: { keepRecentTokens: 1000 } });
    pi.link();
    pi.write("extensions/scratchpad.js", page);
    writeFileSync(join(pi.work, "log.txt"), "A line of the log.\n".repeat(200));
    const rpc = new PiRpc(pi);
    await rpc.prompt("Go.");
    await rpc.end();
    await server.close();

    expect(steps).toHaveLength(35);
    expect(steps.map(({ seen }) => seen)).toEqual(steps.map((step) => step.true));
    expect(afterCompaction).toHaveLength(2);
    for (const request of afterCompaction) {
      const texts = textsOf(request);
      expect(texts.at(-1)).toContain(blockStart);
      expect(texts.filter((text) => text.includes(blockStart))).toHaveLength(1);
    }
    const [file = ""] = pi.sessions();
    expect(readFileSync(file, "utf8")).not.toContain("[End Scratchpad]");
    expect(rpc.stderr).toBe("");
  },
  240_000,
);

test.each(newestClients)(
  "$name shows in the middle of a run what somebody else wrote",
  async (client) => {
    const requests: MessageRequest[] = [];
    let written: Promise<unknown> = Promise.resolve();
    const server = await serveAnthropic((request) => {
      requests.push(request);
      const [file = ""] = pi.sessions();
      if (requests.length === 3) {
        written = write(file, "From outside.").then(() => writeFileSync(join(pi.work, "written"), ""));
        return call("bash", { command: "until test -f written; do sleep 0.1; done" });
      }
      if (requests.length < 6) return call("bash", { command: "true" });
      return say("Answer.");
    });
    const pi = new PiHome(client, { url: server.url });
    pi.link();
    pi.write("extensions/scratchpad.js", page);
    expect(await pi.print("Go.")).toBe("Answer.\n");
    expect(await pi.print("-c", "Go on.")).toBe("Answer.\n");
    await written;
    await server.close();
    const block = `${blockStart}\nFrom outside.\n[End Scratchpad]`;
    const shown = requests.map((request) => textsOf(request).filter((text) => text.startsWith(block)).length);
    expect(shown).toEqual([0, 0, 0, 1, 1, 1, 2]);
    for (const [index, request] of requests.entries()) expectPrefix(requests[index - 1], request);
  },
  240_000,
);

test.each(newestClients)(
  "$name never calls a notepad empty once something was written to it",
  async (client) => {
    const requests: MessageRequest[] = [];
    const server = await serveAnthropic((request) => {
      requests.push(request);
      if (requests.length === 2) return call("write_notepad", { content: "Tokens expire." });
      if (requests.length === 5) return call("write_notepad", { content: "" });
      return requests.length % 3 === 0 ? call("read", { path: "log.txt" }) : say(`Answer ${requests.length}.`);
    });
    const pi = new PiHome(client, { url: server.url });
    pi.link();
    pi.write("extensions/scratchpad.js", page.replace("config: {", 'config: { face: "notepad",'));
    writeFileSync(join(pi.work, "log.txt"), "A line of the log.\n");
    const rpc = new PiRpc(pi);
    for (const message of ["Hello.", "Look.", "Clear it."]) await rpc.prompt(message);
    await rpc.end();
    await server.close();
    const invited = requests.map((request) => JSON.stringify(request).split("(empty — use write_notepad").length - 1);
    expect(invited).toEqual([1, 1, 0, 0, 0, 0, 0]);
    expect(textsOf(requests[4] as MessageRequest).at(-1)).toBe("## Session Notepad\nTokens expire.\n\nClear it.");
  },
  240_000,
);
