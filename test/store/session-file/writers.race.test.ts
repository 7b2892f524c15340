/** Several processes write to one file at once, with the lock and without. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordResult } from "../../reliability/results.ts";
import { type Program, program } from "../process/spawn.ts";
import { linesOf, pathOf, useFolder, valuesIn } from "./folder.ts";
import { verifyFile } from "./verify-file.ts";

const folder = useFolder();
const writers = ["w0", "w1", "w2", "w3"];
const appendsEach = process.env["SESSION_JOURNAL_FULL"] ? 500 : 25;
let writer: Program;

beforeAll(async () => {
  writer = await program("acknowledge.ts");
});
afterAll(() => writer.remove());

describe.each(["always", "off"])("lock mode %s", (mode) => {
  test("every acknowledged command is there once, in its writer's order, for every reader", async () => {
    const session = folder.session();
    session.user("hello");
    const printed = await Promise.all(
      writers.map((name) => writer.run(session.file, name, "0", String(appendsEach), mode)),
    );
    const acknowledged = printed.map((text) => text.trimEnd().split("\n"));
    expect(acknowledged.map(({ length }) => length)).toEqual(writers.map(() => appendsEach));

    const readers = [folder.reader(session.file, { readonly: true }), folder.reader(session.file)];
    for (const reader of readers) await reader.catchUp();
    const [first, second] = readers as [(typeof readers)[0], (typeof readers)[0]];
    expect(first.events).toEqual(second.events);
    expect(first.events.map(({ version }) => version)).toEqual(first.events.map((_, index) => index + 1));
    for (const [index, name] of writers.entries()) {
      const commands = first.events.filter(({ actor, command }) => actor === name && command !== undefined);
      expect(commands.map(({ command }) => command)).toEqual(acknowledged[index]);
    }
    expect(valuesIn(session.file)).toMatchObject({ notes: first.state.notes });
    expect(pathOf(session.file)).toContain(linesOf(session.file).find(({ type }) => type === "message")?.id);
    expect((await verifyFile(session.file)).ok).toBe(true);
    recordResult({
      suite: "store/session-file/writers.race.test.ts",
      claim: `several processes write at once, lock ${mode === "off" ? "off" : "on"}`,
      size: `${writers.length} writers, ${appendsEach} appends each`,
      outcome: "0 lost, 0 twice, order kept, for every reader",
    });
  }, 300_000);
});
