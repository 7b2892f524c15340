import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { listenOnLoopback } from "../../src/host/loopback.ts";

test("a client that could not be accepted does not end the server", async () => {
  const server = createServer((_, response) => response.end("here"));
  const { port, close } = await listenOnLoopback(server, 0);
  onTestFinished(close);
  server.emit("error", Object.assign(new Error("accept EMFILE"), { code: "EMFILE" }));
  server.emit("error", Object.assign(new Error("accept EMFILE"), { code: "EMFILE" }));
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe("here");
});

test("a port that is taken rejects with the system's error", async () => {
  const first = await listenOnLoopback(createServer(), 0);
  onTestFinished(first.close);
  await expect(listenOnLoopback(createServer(), first.port)).rejects.toMatchObject({ code: "EADDRINUSE" });
});
