import { readFileSync, statSync, truncateSync } from "node:fs";
import { expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { sampledClients } from "./clients.ts";
import { drive, fixtureOf, newFolder } from "./driver.ts";

test.each(sampledClients)("$name has the same context wherever our last commit was cut off", async (client) => {
  const file = await drive(client, "create", { folder: newFolder() });
  const before = await drive(client, "look", { file });
  const journal = await openJournal(file);
  await journal.notes.set("kept");
  const from = statSync(file).size;
  await journal.notes.set("cut\u2028off 😀");
  await journal.close();
  const to = statSync(file).size;
  const contexts = await drive(client, "cutEverywhere", { file, from, to });
  expect(contexts).toEqual([{ context: { context: before.context, leaf: before.leaf }, count: to - from + 1 }]);
});

/** Of a commit line, a mirror, and what is between them. */
const places = [
  "its first byte",
  "the middle of the commit",
  "its line feed",
  "the mirror's first byte",
  "the middle of the mirror",
];

test.each(
  sampledClients.flatMap((client) => places.map((place, index) => ({ client, place, index, name: client.name }))),
)("behind a cut at $place we write on, and $name reads on", async ({ client, index }) => {
  const file = fixtureOf(client);
  const { context } = await drive(client, "look", { file });
  const journal = await openJournal(file);
  await journal.notes.set("kept");
  const from = statSync(file).size;
  await journal.notes.set("cut off");
  await journal.close();
  const [commit = "", mirror = ""] = readFileSync(file).subarray(from).toString().split("\n");
  const sizes = [1, commit.length >> 1, commit.length, commit.length + 2, commit.length + 1 + (mirror.length >> 1)];
  truncateSync(file, from + (sizes[index] as number));

  const again = await openJournal(file);
  await again.notes.append("and on");
  const whole = index < 2 ? "kept\nand on" : "cut off\nand on";
  expect(again.state.notes).toBe(whole);
  expect((await again.verify()).ok).toBe(true);
  await again.close();
  const said = await drive(client, "say", { file, text: "Go on." });
  expect(said.context.messages.slice(0, -1)).toEqual(context.messages);
  expect((await drive(client, "load", { file })).notes).toBe(whole);
});
