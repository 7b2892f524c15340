import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newestClients } from "./clients.ts";
import { PiHome, root } from "./pi-home.ts";
import { PiRpc } from "./pi-rpc.ts";
import { call, messagesOf, planIn, say } from "./pi-scratchpad.ts";
import { type MessageRequest, serveAnthropic } from "./scripted-anthropic.ts";

const block = /\[Session Scratchpad\]\n[\s\S]*?\n\[End Scratchpad\](\n\n)?/g;

/** What is sent is the same for each of them. */
test.each(newestClients)(
  "$name sends what it sent before as it was, and the page says what blocks cost",
  async (client) => {
    const requests: MessageRequest[] = [];
    const server = await serveAnthropic((request) => {
      requests.push(request);
      const step = requests.length;
      if (step % 10 === 0) return say(`Answer ${step}.`);
      if (step % 5 !== 2) return call("read", { path: "log.txt" });
      const steps = Array.from({ length: 20 }, (_, index) => `${index + 1}. Step ${index + 1}, seen at call ${step}`);
      return call("session_scratchpad", { action: "set_plan", content: steps.join("\n") });
    });
    const pi = new PiHome(client, { url: server.url });
    pi.link();
    pi.write("extensions/scratchpad.js", readFileSync(join(root, "examples", "pi.js"), "utf8"));
    writeFileSync(join(pi.work, "log.txt"), "A line of the log.\n".repeat(200));
    const rpc = new PiRpc(pi);
    for (const question of [1, 2, 3, 4, 5]) await rpc.prompt(`Question ${question}.`);
    await rpc.end();
    await server.close();
    expect(requests).toHaveLength(50);

    const sent = requests.map((request) => messagesOf(request).map((message) => JSON.stringify(message)));
    for (const [index, messages] of sent.entries())
      expect(messages.slice(0, sent[index - 1]?.length ?? 0)).toEqual(sent[index - 1] ?? []);
    const table = [
      row(
        "no scratchpad",
        sent.map((messages) => messages.map(bare)),
      ),
      row("where each block was sent", sent),
      row("at the newest message of the user only", sent.map(newestOnly)),
      row(
        "at the end of each request",
        sent.map((messages, index) => atTheEnd(messages, requests[index])),
      ),
    ];
    const page = readFileSync(join(root, "docs", "hosts", "pi.md"), "utf8");
    expect(page).toContain(table.join("\n"));
  },
  120_000,
);

function bare(message: string): string {
  const { role, content } = JSON.parse(message) as { role: string; content: { type: string; text?: string }[] };
  return JSON.stringify({
    role,
    content: content.map((part) => (part.type === "text" ? { ...part, text: part.text?.replace(block, "") } : part)),
  });
}

function newestOnly(messages: readonly string[]): string[] {
  const newest = messages.findLastIndex((message) => message.includes("Question "));
  return messages.map((message, index) => (index === newest ? message : bare(message)));
}

function atTheEnd(messages: readonly string[], request: MessageRequest | undefined): string[] {
  const plan = request === undefined ? undefined : planIn(request);
  const shown = plan === undefined ? [] : [`[Session Scratchpad]\nPlan:\n${plan}\n[End Scratchpad]`];
  return [
    ...messages.map(bare),
    ...shown.map((text) => JSON.stringify({ role: "user", content: [{ type: "text", text }] })),
  ];
}

/** Kilobytes of messages sent, those that no cache could know, and the share that it could. */
function row(where: string, requests: readonly (readonly string[])[]): string {
  const texts = requests.map((messages) => messages.join("\n"));
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  const shared = texts.reduce((sum, text, index) => sum + sharedLength(texts[index - 1] ?? "", text), 0);
  const kilobytes = (bytes: number) => (bytes / 1000).toFixed(0);
  return `| ${where} | ${kilobytes(total)} | ${kilobytes(total - shared)} | ${((shared / total) * 100).toFixed(1)} % |`;
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
