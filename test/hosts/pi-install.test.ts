import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostClients, newestClients } from "./clients.ts";
import { newFolder } from "./driver.ts";
import { packed, serveRegistry } from "./npm-registry.ts";
import { PiHome, root } from "./pi-home.ts";
import { PiRpc } from "./pi-rpc.ts";
import { call, say, textsOf } from "./pi-scratchpad.ts";
import { type MessageRequest, serveAnthropic } from "./scripted-anthropic.ts";

const page = readFileSync(join(root, "docs", "hosts", "pi.md"), "utf8");

/** A model that writes a plan and is asked again. */
async function servePlanner() {
  const requests: MessageRequest[] = [];
  const server = await serveAnthropic((request) => {
    requests.push(request);
    if (requests.length > 1) return say(`Answer ${requests.length}.`);
    return call("session_scratchpad", { action: "set_plan", content: "1. Ship it" });
  });
  return { ...server, requests };
}

async function expectScratchpad(pi: PiHome, requests: readonly MessageRequest[]): Promise<void> {
  const rpc = new PiRpc(pi);
  await rpc.prompt("Hello.");
  await rpc.prompt("What is next?");
  await rpc.end();
  expect(rpc.stderr).toBe("");
  expect(requests[0]?.tools?.filter(({ name }) => name === "session_scratchpad")).toHaveLength(1);
  expect(textsOf(requests[2] as MessageRequest).at(-1)).toBe(
    "[Session Scratchpad]\nPlan:\n1. Ship it\n[End Scratchpad]\n\nWhat is next?",
  );
}

/** Installing takes long, and both ask npm for it alike. */

test.each(newestClients)(
  "$name installs the package by the page's line, from a registry",
  async (client) => {
    const line = /^(pi install npm:\S+)$/m.exec(page)?.[1] ?? "";
    const model = await servePlanner();
    const folder = newFolder();
    const registry = await serveRegistry(root, await packed(root, folder));
    const pi = new PiHome(client, { url: model.url });
    const [, ...words] = line.split(" ");
    expect(words).toEqual(["install", "npm:session-journal"]);
    const npm = {
      npm_config_registry: registry.url,
      npm_config_prefix: join(pi.home, "npm"),
      npm_config_cache: join(pi.home, "npm-cache"),
    };
    const { status, stdout } = await pi.run(words, npm);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("Installed npm:session-journal") });
    pi.use({ npm_config_prefix: npm.npm_config_prefix });
    await expectScratchpad(pi, model.requests);
    await registry.close();
    await model.close();
  },
  120_000,
);

test.each(hostClients)(
  "$name installs a folder, and takes its settings from the environment",
  async (client) => {
    const model = await servePlanner();
    const pi = new PiHome(client, { url: model.url });
    const { status } = await pi.run(["install", root]);
    expect(status).toBe(0);
    await expectScratchpad(pi, model.requests);

    pi.use({ SESSION_SCRATCHPAD_FACE: "notepad" });
    await pi.print("Hello.");
    expect(model.requests.at(-1)?.tools?.map(({ name }) => name)).toContain("write_notepad");
    pi.use({ SESSION_SCRATCHPAD_FACE: "padd" });
    const { stderr } = await pi.run(["-p", "Hello."]);
    expect(stderr).toContain("SESSION_SCRATCHPAD_FACE must be one of");
    await model.close();
  },
  120_000,
);

test.each(hostClients)(
  "$name finds the page's file by itself, under the name that the page gives it",
  async (client) => {
    const model = await servePlanner();
    const pi = new PiHome(client, { url: model.url });
    const [, name = "", text = ""] =
      /`~\/\.pi\/agent\/extensions\/([^`/]+)`[\s\S]*?```js.*\n([\s\S]*?)```/.exec(page) ?? [];
    pi.link();
    pi.write(`extensions/${name}`, text);
    await expectScratchpad(pi, model.requests);
    await model.close();
  },
  120_000,
);
