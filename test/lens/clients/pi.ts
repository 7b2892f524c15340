/** pi with its own todo extension and its plan mode, and with a model that is scripted. */
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { HostClient } from "../../hosts/clients.ts";
import { PiHome } from "../../hosts/pi-home.ts";
import { PiRpc } from "../../hosts/pi-rpc.ts";
import { call, isSummary, say } from "../../hosts/pi-scratchpad.ts";
import { type Block, serveAnthropic } from "../../hosts/scripted-anthropic.ts";
import { expectRewind, expectStory, list, said, steps } from "./story.ts";
import { Watched } from "./watched.ts";

const [P, C] = ["pending", "completed"] as const;

async function begin(client: HostClient, extension: string) {
  const answers: (readonly Block[] | { readonly overflow: true })[] = [];
  const server = await serveAnthropic((request) =>
    isSummary(request) ? say("A summary.") : (answers.shift() ?? say("Answer.")),
  );
  const pi = new PiHome(client, { url: server.url, compaction: { keepRecentTokens: 1 } });
  const examples = resolve(fileURLToPath(client.sessionManager), "../../../examples/extensions");
  cpSync(join(examples, extension), join(pi.agent, "extensions", extension), { recursive: true });
  // Before it has a todo, a session is nobody's but pi's and ours.
  const hasTodos = (file: string) => /"toolName":"todo"|"customType":"plan-mode"/.test(readFileSync(file, "utf8"));
  const watch = () =>
    Watched.begin(() => (existsSync(join(pi.agent, "sessions")) ? pi.sessions().find(hasTodos) : undefined));
  return { answers, server, pi, watch };
}

const plan = (...done: readonly boolean[]) =>
  done.map((isDone, index) => `- [${isDone ? "x" : " "}] #${index + 1} ${steps[index]}`).join("\n");

const todo = (action: string, more: object = {}) => call("todo", { action, ...more });

export async function tellTodos(client: HostClient): Promise<void> {
  const { answers, server, pi, watch } = await begin(client, "todo.ts");
  const first = new PiRpc(pi);
  const watching = watch();
  answers.push(...steps.map((text) => todo("add", { text })), todo("toggle", { id: 99 }), say("Answer."));
  await first.prompt("The bug.");
  const watched = await watching;
  answers.push({ overflow: true }, todo("toggle", { id: 1 }), say("Answer."));
  await first.prompt("Go on.");
  await first.end();
  const second = new PiRpc(pi, "--continue");
  const compacted = second.next(({ type, command }) => type === "response" && command === "compact");
  second.send({ type: "compact" });
  expect(await compacted).toMatchObject({ success: true });
  answers.push(todo("list"), todo("toggle", { id: 2 }), say("Answer."));
  await second.prompt("Finish.");
  await second.end();
  const seen = await watched.end();
  await server.close();
  expectStory(
    seen,
    [
      `1 pi: ${plan(false)}`,
      `1 pi: ${plan(false, false)}`,
      `1 pi: ${plan(false, false, false)}`,
      "1 pi: refused set_plan",
      `2 pi: ${plan(true, false, false)}`,
      `3 pi: ${plan(true, true, false)}`,
    ],
    ["compaction", "compaction"],
  );
  expect(seen.foreign.repetitions).toMatchObject({ seen: 1, equal: 1 });
}

/** A command that goes back to the message of the user before, as a person does who chooses it in `/tree`. */
const back = `export default (pi) => pi.registerCommand("back", { handler: async (_, ctx) => {
  const asked = ctx.sessionManager.getBranch().filter(({ message }) => message?.role === "user");
  await ctx.navigateTree(asked.at(-1).id, { summarize: false });
  ctx.ui.notify("went back");
} });`;

/** A person takes back a message, and what pi did about it. */
export async function tellRewind(client: HostClient): Promise<void> {
  const { answers, server, pi, watch } = await begin(client, "todo.ts");
  pi.write("extensions/back.js", back);
  const rpc = new PiRpc(pi);
  const watching = watch();
  answers.push(todo("add", { text: steps[0] }), todo("add", { text: steps[1] }), say("Answer."));
  await rpc.prompt("The bug.");
  const watched = await watching;
  answers.push(todo("toggle", { id: 1 }), todo("add", { text: steps[2] }), say("Answer."));
  await watched.until(2);
  await rpc.prompt("Go on.");
  await watched.until(4);
  // The command is answered before it is done, and what is asked meanwhile is lost.
  const wentBack = rpc.next(({ message }) => message === "went back");
  rpc.send({ type: "prompt", message: "/back" });
  await wentBack;
  answers.push(todo("list"), todo("toggle", { id: 2 }), say("Answer."));
  await rpc.prompt("Go on in another way.");
  await rpc.end();
  const seen = await watched.end();
  await server.close();
  // pi's extension keeps what was ticked off, though it takes back what was added.
  const told = [
    `1 pi: ${plan(false)}`,
    `1 pi: ${plan(false, false)}`,
    `3 pi: ${plan(true, false)}`,
    `3 pi: ${plan(true, true)}`,
  ];
  expect(seen.history.map(said)).toEqual(told);
  expect(seen.foreign.markers.map(({ marker }) => marker)).toEqual(["branch"]);
  expect(seen.foreign.repetitions).toMatchObject({ seen: 1, explained: 1, elsewhere: 0 });
  const [begun, left, after] = [
    [plan(false), plan(false, false)],
    [plan(true, false), plan(true, false, false)],
    [plan(true, false), plan(true, true)],
  ];
  expectRewind(seen, [...begun, ...left], after);
}

/** A person lets it plan again, and then carry out what it planned. pi 0.73.1 keeps no plan before it is carried out. */
export async function tellPlanMode(client: HostClient): Promise<void> {
  const { answers, server, pi, watch } = await begin(client, "plan-mode");
  const rpc = new PiRpc(pi);
  const watching = watch();
  const choose = async (start: string) => {
    const asked = await rpc.next(({ type, method }) => type === "extension_ui_request" && method === "select");
    const value = (asked["options"] as readonly string[]).find((option) => option.startsWith(start));
    rpc.send({ type: "extension_ui_response", id: asked["id"], value });
  };
  const planned = (...texts: readonly string[]) =>
    say(`Plan:\n${texts.map((text, index) => `${index + 1}. ${text}`).join("\n")}`);
  await rpc.say("/plan");
  answers.push(planned(...steps));
  await rpc.say("The bug.");
  await choose("Stay");
  const keepsProposals = client.name !== "pi-0.73.1";
  if (keepsProposals) await watching;
  answers.push(planned(...steps.slice(0, 2)), say("One is done. [DONE:1]"));
  const done = rpc.next(
    ({ type, messages }) => type === "agent_end" && JSON.stringify(messages).includes("One is done"),
  );
  await rpc.say("Without renaming.");
  await choose("Execute");
  await done;
  const watched = await watching;
  answers.push(say("The other, too. [DONE:2] Answer."));
  await rpc.prompt("Go on.", (text) => text.startsWith("The other"));
  await rpc.end();
  const seen = await watched.end();
  await server.close();
  expectStory(
    seen,
    [
      ...(keepsProposals ? [`1 pi: ${list(P, P, P)}`, `2 pi: ${list(P, P)}`] : []),
      `2 pi: ${list(C, P)}`,
      `3 pi: ${list(C, C)}`,
      // What was carried out is put away.
      "3 pi: ",
    ],
    ["plan approved plan"],
  );
}
