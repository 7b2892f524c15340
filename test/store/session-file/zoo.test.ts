/** Whatever a host does to the file: nothing acknowledged is lost, and what cannot be kept is said. */
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { newDraft, type StoreReader } from "../../../src/testing/store-reader.ts";
import { appendingHabits, type Habit, type Host, hostLine, hostOn, rewritingHabits } from "../../fixtures/zoo.ts";
import { linesOf, pathOf, useFolder, valuesIn } from "./folder.ts";
import { verifyFile } from "./verify-file.ts";

const folder = useFolder();

/** A session with a message of the host's, and three commits that were acknowledged; the host has seen the first. */
async function begin(): Promise<{ readonly host: Host; readonly writer: StoreReader }> {
  const session = folder.session();
  const host = hostOn(session.file);
  fs.appendFileSync(session.file, `${hostLine(host)}\n`);
  const writer = folder.reader(session.file);
  await write(writer, "c-1");
  host.memory = hostOn(session.file).memory;
  await write(writer, "c-2");
  await write(writer, "c-3");
  return { host, writer };
}

function write(writer: StoreReader, command: string) {
  return writer.append({ event: { type: "notes.appended", text: command }, actor: "agent", command });
}

function commandsOf(reader: StoreReader): (string | undefined)[] {
  return reader.events.map(({ command }) => command);
}

async function expectKept(host: Host, writer: StoreReader, commands: readonly string[]): Promise<void> {
  expect(commandsOf(writer)).toEqual(commands);
  expect(writer.state.notes).toBe(commands.join("\n"));
  const fresh = folder.reader(host.file, { readonly: true });
  await fresh.catchUp();
  expect(fresh.events.map(({ command, commit }) => [command, commit])).toEqual(
    writer.events.map(({ command, commit }) => [command, commit]),
  );
  expect(valuesIn(host.file).notes).toBe(writer.state.notes);
  const messages = linesOf(host.file).filter(({ type }) => type === "message");
  expect(pathOf(host.file)).toContain(messages.at(-1)?.id);
}

const before = ["c-1", "c-2", "c-3"];

describe("a host that", () => {
  test.each(Object.entries(appendingHabits))("%s: nothing of either is lost", async (_, habit: Habit) => {
    const { host, writer } = await begin();
    const bytes = fs.readFileSync(host.file);
    const habits = (async () => {
      for (let time = 0; time < 3; time++) await habit(host);
    })();
    await write(writer, "c-4");
    await habits;
    await write(writer, "c-5");
    expect(writer.resets).toBe(0);
    await expectKept(host, writer, [...before, "c-4", "c-5"]);
    expect(fs.readFileSync(host.file).subarray(0, bytes.length).equals(bytes)).toBe(true);
    const found = linesOf(host.file).filter(({ type }) => type === "message");
    expect(found).toHaveLength(host.memory.filter((line) => line.includes('"message"')).length);
    expect((await verifyFile(host.file)).findings.filter(({ severity }) => severity === "damage")).toEqual([]);
  });

  test.each(Object.entries(rewritingHabits))("%s: a live writer puts back what it acknowledged", async (_, habit) => {
    const { host, writer } = await begin();
    const ids = new Set(writer.events.map(({ commit }) => commit));
    await habit(host);
    await write(writer, "c-4");
    await expectKept(host, writer, [...before, "c-4"]);
    for (const id of ids) expect(writer.events.map(({ commit }) => commit)).toContain(id);
    expect((await verifyFile(host.file)).findings.filter(({ severity }) => severity === "damage")).toEqual([]);
  });

  test.each(Object.entries(rewritingHabits))(
    "%s: a live writer puts it back when it only reads, too",
    async (_, habit) => {
      const { host, writer } = await begin();
      await habit(host);
      await writer.catchUp();
      await expectKept(host, writer, before);
    },
  );

  test.each(Object.entries(rewritingHabits))(
    "%s: a reader is told what the file shows, from the start",
    async (_, habit) => {
      const { host } = await begin();
      const reader = folder.reader(host.file, { readonly: true });
      await reader.catchUp();
      const bytes = fs.readFileSync(host.file);
      await habit(host);
      const after = fs.readFileSync(host.file);
      await reader.catchUp();
      const fresh = folder.reader(host.file, { readonly: true });
      await fresh.catchUp();
      expect(reader.events).toEqual(fresh.events);
      expect(reader.resets).toBe(bytes.equals(after) ? 0 : 1);
      expect(fs.readFileSync(host.file).equals(after)).toBe(true);
    },
  );
});

test("a host that goes on writing all the time keeps nobody from putting back what it took away", async () => {
  const { host, writer } = await begin();
  fs.writeFileSync(host.file, host.memory.map((line) => `${line}\n`).join(""));
  const talk = setInterval(() => fs.appendFileSync(host.file, `${hostLine(host)}\n`), 10);
  try {
    await write(writer, "c-4");
  } finally {
    clearInterval(talk);
  }
  expect(commandsOf(writer)).toEqual([...before, "c-4"]);
}, 20_000);

test("an event that a host moves into another turn while a commit is under way is told anew, with that turn", async () => {
  const { host, writer } = await begin();
  const [header = "", first = "", ...ours] = fs.readFileSync(host.file, "utf8").split(/(?<=\n)/);
  const asked = [hostLine(host), hostLine(host)].map((line) => `${line}\n`);
  await writer.commit(() => {
    fs.writeFileSync(host.file, [header, first, ...asked, ...ours].join(""));
    return newDraft({ event: { type: "notes.appended", text: "c-4" }, actor: "agent", command: "c-4" });
  });
  const fresh = folder.reader(host.file, { readonly: true });
  await fresh.catchUp();
  const turnsOf = (reader: StoreReader) => reader.events.map(({ command, turn }) => [command, turn]);
  expect(turnsOf(writer)).toEqual(turnsOf(fresh));
  expect(commandsOf(writer)).toEqual([...before, "c-4"]);
  expect(writer.resets).toBe(1);
});

test("two writers put back what a host took away, each its own, and nothing twice", async () => {
  const { host, writer } = await begin();
  const other = folder.reader(host.file);
  await write(other, "o-1");
  await write(writer, "c-4");
  fs.writeFileSync(host.file, host.memory.map((line) => `${line}\n`).join(""));
  await Promise.all([write(writer, "c-5"), write(other, "o-2")]);
  await writer.catchUp();
  await other.catchUp();
  const commands = commandsOf(writer);
  expect([...commands].sort()).toEqual(["c-1", "c-2", "c-3", "c-4", "c-5", "o-1", "o-2"]);
  expect(commandsOf(other)).toEqual(commands);
  expect(commands.filter((command) => command?.startsWith("c"))).toEqual(["c-1", "c-2", "c-3", "c-4", "c-5"]);
});

test("what is put back while others are faster is put back all the same", async () => {
  const session = folder.session();
  let interruptions = 0;
  const clock = (): Date => {
    if (interruptions > 0) session.value(":plan", `faster ${interruptions}`);
    interruptions = Math.max(0, interruptions - 1);
    return new Date("2026-11-21T22:00:00.000Z");
  };
  const writer = folder.reader(session.file, { clock });
  const header = fs.readFileSync(session.file);
  for (const command of before) await write(writer, command);
  fs.writeFileSync(session.file, header);
  interruptions = 3;
  await write(writer, "c-4");
  expect(commandsOf(writer).filter((command) => command !== undefined)).toEqual([...before, "c-4"]);
});

test("a commit on one that a host takes away just before it counts, keeps its version and misses nothing in the end", async () => {
  const { host, writer } = await begin();
  const withoutLast = fs.readFileSync(host.file, "utf8").split(/(?<=\n)/);
  withoutLast.splice(withoutLast.findIndex((line) => line.includes('"command":"c-3"')));
  await writer.commit(() => {
    fs.writeFileSync(host.file, withoutLast.join(""));
    return newDraft({ event: { type: "notes.appended", text: "c-4" }, actor: "agent", command: "c-4" });
  });
  await write(writer, "c-5");
  await expectKept(host, writer, ["c-1", "c-2", "c-4", "c-3", "c-5"]);
  expect(writer.events.map(({ version }) => version)).toEqual([1, 2, 4, 5, 6]);
  const { findings } = await verifyFile(host.file);
  expect(findings.filter(({ kind }) => kind === "gap")).toHaveLength(1);
});

test("a command that another writer repeated meanwhile is not put back", async () => {
  const { host, writer } = await begin();
  fs.writeFileSync(host.file, host.memory.map((line) => `${line}\n`).join(""));
  const other = folder.reader(host.file);
  await write(other, "c-2");
  await write(writer, "c-4");
  expect(commandsOf(writer).sort()).toEqual(["c-1", "c-2", "c-3", "c-4"]);
});

test("a file that is gone is an error for who may not make it, and nothing is written elsewhere", async () => {
  const { host } = await begin();
  const writer = folder.reader(host.file, { create: false });
  await write(writer, "c-4");
  fs.rmSync(host.file);
  await expect(write(writer, "c-5")).rejects.toMatchObject({ code: "storage" });
  expect(fs.existsSync(host.file)).toBe(false);
});

test("a file that is gone is made anew by who may, with the same session id and all that was acknowledged", async () => {
  const { host, writer } = await begin();
  fs.rmSync(host.file);
  await write(writer, "c-4");
  expect(linesOf(host.file)[0]?.id).toBe(linesOf(host.file).find(({ type }) => type === "session")?.id);
  expect(commandsOf(writer)).toEqual([...before, "c-4"]);
  expect((await verifyFile(host.file)).ok).toBe(true);
});

test("a file that becomes another session is another history, and is written to as such", async () => {
  const { host, writer } = await begin();
  const other = folder.session("other.jsonl");
  other.user("another session");
  fs.renameSync(other.file, host.file);
  await writer.catchUp();
  expect(writer.resets).toBeGreaterThan(0);
});
