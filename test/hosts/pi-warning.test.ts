import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostClients, newestClients } from "./clients.ts";
import { PiHome, root } from "./pi-home.ts";
import { call, isSummary, say, textsOf } from "./pi-scratchpad.ts";
import { type MessageRequest, serveAnthropic } from "./scripted-anthropic.ts";

const warning = "[System] The context is close to its token limit";
const page = readFileSync(join(root, "examples", "pi.js"), "utf8");
/** Of a window of 40,000 tokens pi keeps 16,384; the warning comes at 0.85 of the rest, 20,073, a compaction at 23,616. */
const window = { contextWindow: 40_000, compaction: { keepRecentTokens: 100 } };

/** Each run starts the client anew; in the short programme the newest one does. */
test.each(newestClients)(
  "$name prints the answer and warns once for each compaction, over many runs",
  async (client) => {
    const requests: MessageRequest[] = [];
    const compactions = new Set<number>();
    let used = 0;
    const server = await serveAnthropic({
      answer: (request) => {
        if (isSummary(request)) {
          compactions.add(requests.length);
          return say("A summary.");
        }
        requests.push(request);
        const last = textsOf(request).at(-1) ?? "";
        // A model that only obeys what it reads last.
        return last.startsWith("[System]")
          ? say("OK.")
          : say(`Answer ${requests.length}. ${"It is long. ".repeat(60)}`);
      },
      inputTokens: () => used,
    });
    const pi = new PiHome(client, { url: server.url, ...window });
    pi.link();
    pi.write("extensions/scratchpad.js", page);
    const fills = [21_000, 21_000, 25_000, 21_000, 21_000];
    for (const [index, tokens] of fills.entries()) {
      used = tokens;
      const printed = await pi.print(...(index === 0 ? [] : ["-c"]), `Question ${index + 1}.`);
      expect(printed).toMatch(new RegExp(`^Answer ${index + 1}\\.`));
    }
    await server.close();
    expect(requests).toHaveLength(fills.length);
    const warned = requests.map((request) => textsOf(request).filter((text) => text.includes(warning)).length);
    // After question 3 it compacts, or as the next run begins.
    expect([...compactions]).toEqual([3]);
    expect(warned).toEqual([0, 1, 0, 0, 1]);
  },
  60_000,
);

test.each(hostClients)(
  "$name warns in the middle of a run, and the answer is still to come",
  async (client) => {
    const requests: MessageRequest[] = [];
    const server = await serveAnthropic({
      answer: (request) => {
        if (isSummary(request)) return say("A summary.");
        requests.push(request);
        if (requests.length === 3) return call("session_scratchpad", { action: "set_plan", content: "1. Answer" });
        return requests.length < 5 ? call("read", { path: "log.txt" }) : say("The answer.");
      },
      inputTokens: () => (requests.length < 2 ? 1000 : 21_000),
    });
    const pi = new PiHome(client, { url: server.url, ...window });
    pi.link();
    pi.write("extensions/scratchpad.js", page);
    writeFileSync(join(pi.work, "log.txt"), "A line of the log.\n");
    expect(await pi.print("Go.")).toBe("The answer.\n");
    await server.close();
    expect(requests.map((request) => textsOf(request).filter((text) => text.includes(warning)).length)).toEqual([
      0, 0, 1, 0, 0,
    ]);
  },
  60_000,
);

const newer = hostClients.filter(({ name }) => name !== "pi-0.73.1");

test.each(newer)(
  "$name calls the model once more where a tool's result fills the window at one stroke",
  async (client) => {
    const steps: string[] = [];
    let requests = 0;
    const server = await serveAnthropic({
      answer: (request) => {
        if (isSummary(request)) {
          steps.push("summary");
          return say("A summary.");
        }
        requests += 1;
        const texts = textsOf(request);
        steps.push(texts.some((text) => text.includes(warning)) ? "warned" : "step");
        if (requests === 3) expect(texts.at(-1)).toContain(warning);
        return requests < 4 ? call("read", { path: "log.txt" }) : say("The answer.");
      },
      inputTokens: () => (requests === 1 ? 1000 : 26_000),
    });
    const pi = new PiHome(client, { url: server.url, ...window });
    pi.link();
    pi.write("extensions/scratchpad.js", page);
    writeFileSync(join(pi.work, "log.txt"), "A line of the log.\n".repeat(200));
    expect(await pi.print("Go.")).toBe("The answer.\n");
    await server.close();
    expect(steps.slice(0, 5)).toEqual(["step", "step", "warned", "summary", "step"]);
  },
  300_000,
);

test.each(hostClients)(
  "$name ends its JSON with the answer, having used the tool and been warned",
  async (client) => {
    const requests: MessageRequest[] = [];
    const server = await serveAnthropic({
      answer: (request) => {
        if (isSummary(request)) return say("A summary.");
        requests.push(request);
        if (requests.length === 1) return call("session_scratchpad", { action: "set_plan", content: "1. Answer" });
        return requests.length < 3 ? call("read", { path: "log.txt" }) : say("The answer.");
      },
      inputTokens: () => (requests.length < 2 ? 1000 : 21_000),
    });
    const pi = new PiHome(client, { url: server.url, ...window });
    pi.link();
    pi.write("extensions/scratchpad.js", page);
    writeFileSync(join(pi.work, "log.txt"), "A line of the log.\n");
    const printed = (await pi.print("--mode", "json", "Go.")).trim().split("\n");
    await server.close();
    const ends = printed
      .map((line) => JSON.parse(line))
      .filter(({ type, message }) => type === "message_end" && message.role === "assistant")
      .map(({ message }) => message.content);
    expect(ends).toHaveLength(requests.length);
    expect(ends.at(-1)).toMatchObject([{ type: "text", text: "The answer." }]);
    expect(requests.map((request) => textsOf(request).filter((text) => text.includes(warning)).length)).toEqual([
      0, 0, 1,
    ]);
  },
  60_000,
);
