import { expect, test } from "vitest";
import { reportChild } from "../../src/cli/child.ts";
import { Options } from "../../src/cli/options.ts";
import { Output } from "../../src/cli/output.ts";
import { sessionSource } from "../../src/cli/view/sources.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { cli } from "./cli.ts";

test.each([
  [["copy", ".", "postgres://u:secret@h/db#x", "--all"], "postgres://u@h/db#x names one session"],
  [["prune", "nats://u:secret@h/p", "--older-than", "90d"], "nats://h/p drops old messages by itself"],
])("what %j is told of an address has no password", async (argv, message) => {
  const { code, stderr } = await cli(argv);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test("who makes a child is told its address without the password", async () => {
  let out = "";
  const stream = {
    write: (text: string | Uint8Array, done: () => void) => {
      out += text;
      done();
    },
    on: () => undefined,
  };
  const output = new Output(stream, {});
  await reportChild(await openJournal(memoryStore()), "postgres://u:secret@h/db#x", new Options(new Map()), output);
  await output.flush();
  expect(out).toBe("postgres://u@h/db#x begins at v0\n");
});

test("the page of a view is told an address without its password", () => {
  const { only } = sessionSource("postgres://u:secret@h/db#x", {});
  expect(only?.listed.where).toBe("postgres://u@h/db#x");
});
