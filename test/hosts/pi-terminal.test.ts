import { readFileSync } from "node:fs";
import { join } from "node:path";
import { visibleWidth as currentWidth } from "@earendil-works/pi-tui";
import { visibleWidth } from "@mariozechner/pi-tui";
import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultLimits } from "../../src/action/limits.ts";
import type { PiTheme } from "../../src/host/pi-api.ts";
import { drawnCall, drawnResult, statusOf, wholeScratchpad } from "../../src/host/pi-view.ts";
import { initialState } from "../../src/state/state.ts";
import { anyText } from "../../src/testing/any-text.ts";
import { newestClients } from "./clients.ts";
import { PiHome, root } from "./pi-home.ts";
import { PiRpc } from "./pi-rpc.ts";
import { call, say } from "./pi-scratchpad.ts";
import { serveAnthropic } from "./scripted-anthropic.ts";

const plain: PiTheme = { fg: (_color, text) => text, bold: (text) => text };
const marked: PiTheme = { fg: (color, text) => `<${color}>${text}</>`, bold: (text) => text };

test("no line is wider than the terminal, which pi would not survive, and none steers it", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    anyText,
    fc
      .array(fc.constantFrom("a", " ", "\n", "\t", "\x1b[31m", "日", "👩‍👧", "🇩🇪", "e\u0301", "\u202e"))
      .map((all) => all.join("")),
  );
  const input = fc.record({ action: text, content: text, find: text, replace: text }, { requiredKeys: [] });
  fc.assert(
    fc.property(text, input, fc.integer({ min: 2, max: 60 }), fc.boolean(), (answer, args, width, isExpanded) => {
      const result = drawnResult(answer, { input: args, isError: false, isExpanded }, plain);
      for (const line of [...drawnCall("tool", args, plain).render(width), ...result.render(width)]) {
        expect(Math.max(visibleWidth(line), currentWidth(line))).toBeLessThanOrEqual(width);
        expect(line).not.toMatch(/[\x00-\x1f\x7f]/);
      }
    }),
  );
});

test("a result says how far a plan has come, and a refusal is no plan", () => {
  const input = { action: "set_plan", content: "- [x] Read\n- [>] Fix\n- [ ] Test" };
  const lines = (answer: string, isError: boolean, isExpanded = false) =>
    drawnResult(answer, { input, isError, isExpanded }, marked).render(80);
  expect(lines("plan set: 31/2000 chars used", false)).toEqual([
    "<success>✓ </><muted>plan set: 31/2000 chars used</>",
    "<dim>  1 of 3 steps done, now: Fix</>",
  ]);
  expect(lines("plan rejected", true)).toEqual(["<error>✗ </><error>plan rejected</>"]);
  expect(lines("plan set", false, true).slice(2)).toEqual([
    "<toolOutput>- [x] Read</>",
    "<toolOutput>- [>] Fix</>",
    "<toolOutput>- [ ] Test</>",
  ]);
});

test("the status line has budget and progress, warns of what is nearly full, and is gone when nothing is written", () => {
  const status = (state: object, face: "scratchpad" | "notepad" | "pad" = "scratchpad") =>
    statusOf({ ...initialState, ...state }, { face, limits: defaultLimits }, marked);
  expect(status({})).toBeUndefined();
  expect(status({ plan: "- [x] A\n- [ ] B", notes: "n".repeat(3700) })).toBe(
    "<accent>scratchpad</> <dim>plan 15/2000, 1 of 2 steps done</><dim> · </><warning>notes 3700/4000</>",
  );
  expect(status({ notes: "- [x] A" }, "notepad")).toBe("<accent>notepad</> <dim>7 chars, 1 of 1 steps done</>");
  expect(status({ entries: { plan: "é" } }, "pad")).toBe("<accent>pad</> <dim>1 entry, 2/262144</>");
});

test("/scratchpad shows what steers a terminal as signs", () => {
  const state = { ...initialState, notes: "a\u001b[31mb\nc" };
  expect(wholeScratchpad({ version: 1, turn: 1, state }, "scratchpad")).toContain("a␛[31mb\nc\n");
});

test.each(newestClients)(
  "$name gets the status line and /scratchpad over RPC",
  async (client) => {
    let requests = 0;
    const server = await serveAnthropic(() => {
      requests += 1;
      if (requests > 1) return say("Answer.");
      return call("session_scratchpad", { action: "set_plan", content: "- [x] Read\n- [ ] Fix" });
    });
    const pi = new PiHome(client, { url: server.url });
    pi.link();
    pi.write("extensions/scratchpad.js", readFileSync(join(root, "examples", "pi.js"), "utf8"));
    const rpc = new PiRpc(pi);
    await rpc.prompt("Go.");
    const requested = (method: string) => rpc.next((event) => event["method"] === method);
    const shown = requested("notify");
    rpc.send({ type: "prompt", message: "/scratchpad" });
    expect((await shown)["message"]).toBe(
      "[Session Scratchpad]\nPlan:\n- [x] Read\n- [ ] Fix\n[End Scratchpad]\n\nVersion 1, turn 1. Plan: 1 of 2 steps done.",
    );
    const empty = requested("notify");
    rpc.send({ type: "prompt", message: "/scratchpad v0" });
    expect((await empty)["message"]).toBe("The scratchpad is empty. Version 0, turn 0.");
    const refused = requested("notify");
    rpc.send({ type: "prompt", message: "/scratchpad t9" });
    expect(await refused).toMatchObject({ notifyType: "error", message: expect.stringContaining("t9") });
    await rpc.end();
    await server.close();
    const statuses = rpc.events.filter((event) => event["method"] === "setStatus").map((event) => event["statusText"]);
    expect(statuses.at(-1)).toContain("plan 20/2000, 1 of 2 steps done");
    expect(requests).toBe(2);
  },
  60_000,
);
