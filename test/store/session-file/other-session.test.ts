/** The path of a session may come to lead to another one: nothing of the first is written there. */
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Change } from "../../../src/journal/change.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { Session } from "../../fixtures/session.ts";
import { type Program, program } from "../process/spawn.ts";
import { linesOf, useFolder } from "./folder.ts";
import { verifyFile } from "./verify-file.ts";

const folder = useFolder();

const otherId = "aaaaaaaa-0000-4000-8000-00000000000b";

/** A session with a journal of its own, at `file`. */
async function otherSession(file: string, ...notes: readonly string[]): Promise<void> {
  const other = new Session(file, otherId);
  other.user("another conversation");
  const journal = await openJournal(file, { durability: "os", actor: "other" });
  for (const note of notes) await journal.notes.append(note);
  await journal.close();
}

const ways: Record<string, (file: string, next: string) => void> = {
  "a rename over it": (file, next) => fs.renameSync(next, file),
  "rm and a new file": (file, next) => {
    const content = fs.readFileSync(next);
    fs.rmSync(file);
    fs.writeFileSync(file, content);
  },
  "a rewrite in place": (file, next) => fs.writeFileSync(file, fs.readFileSync(next)),
};

describe.each(Object.entries(ways))("after %s", (_, become) => {
  async function swapped(...notes: readonly string[]) {
    const { file } = folder.session();
    const writer = await openJournal(file, { durability: "os" });
    for (const text of ["mine one", "mine two", "mine three"]) await writer.notes.append(text);
    const next = folder.path("next.jsonl");
    await otherSession(next, ...notes);
    become(file, next);
    return { file, writer, bytes: fs.readFileSync(file) };
  }

  for (const notes of [[], ["theirs"], ["one", "two", "three", "four", "five"]]) {
    test(`with ${notes.length} events, a writer is told once, nothing is put back, and the session is as it was`, async () => {
      const { file, writer, bytes } = await swapped(...notes);
      const refused = writer.notes.append("mine four");
      await expect(refused).rejects.toMatchObject({ code: "not_a_session", place: { file } });
      await expect(refused).rejects.toThrow(otherId);
      expect(fs.readFileSync(file).equals(bytes)).toBe(true);
      await writer.refresh();
      expect([writer.version, writer.state.notes]).toEqual([notes.length, notes.join("\n")]);
      expect(await writer.sessionId()).toBe(otherId);
      expect(fs.readFileSync(file).equals(bytes)).toBe(true);
      expect((await writer.notes.append("now meant for it")).version).toBe(notes.length + 1);
      await writer.close();
      const texts = JSON.stringify(linesOf(file));
      for (const mine of ["mine one", "mine two", "mine three", "mine four"]) expect(texts).not.toContain(mine);
      expect((await verifyFile(file)).findings).toEqual([]);
    });
  }

  test("a writer that has read it in the meantime is told all the same", async () => {
    const { file, writer, bytes } = await swapped("theirs");
    await writer.refresh();
    expect(writer.state.notes).toBe("theirs");
    await expect(writer.plan.set("mine")).rejects.toMatchObject({ code: "not_a_session" });
    expect(fs.readFileSync(file).equals(bytes)).toBe(true);
    await writer.close();
  });

  test("a retry of a command that was answered in the first session is not answered from there", async () => {
    const { file } = folder.session();
    const writer = await openJournal(file, { durability: "os" });
    const action = { action: "append_notes", content: "mine" };
    await writer.applyUnknown(action, { command: "c-1" });
    const next = folder.path("next.jsonl");
    await otherSession(next);
    become(file, next);
    await expect(writer.applyUnknown(action, { command: "c-1" })).rejects.toMatchObject({ code: "not_a_session" });
    await writer.close();
  });

  test("a follower starts over with a reset, and tells the other session's events", async () => {
    const { file } = folder.session();
    const writer = await openJournal(file, { durability: "os" });
    await writer.notes.append("mine one");
    const follower = await openJournal(file, { readonly: true });
    const seen: Change[] = [];
    follower.onChange((change) => seen.push(change));
    await follower.refresh();
    const next = folder.path("next.jsonl");
    await otherSession(next, "theirs one", "theirs two");
    become(file, next);
    await follower.refresh();
    expect(follower.state.notes).toBe("theirs one\ntheirs two");
    expect(seen.at(-1)).toMatchObject({ type: "reset", reason: "rewritten", version: 2 });
    await Promise.all([follower.close(), writer.close()]);
  });
});

test("a session that comes back has what was acknowledged in it put back, and nothing of the one between", async () => {
  const { file } = folder.session();
  const writer = await openJournal(file, { durability: "os" });
  const early = fs.readFileSync(file);
  await writer.notes.append("mine one");
  await otherSession(folder.path("next.jsonl"), "theirs");
  fs.renameSync(folder.path("next.jsonl"), file);
  await expect(writer.notes.append("mine two")).rejects.toMatchObject({ code: "not_a_session" });
  fs.writeFileSync(folder.path("back.jsonl"), early);
  fs.renameSync(folder.path("back.jsonl"), file);
  await writer.refresh();
  expect(writer.state.notes).toBe("mine one");
  await expect(writer.notes.append("mine two")).rejects.toMatchObject({ code: "not_a_session" });
  await writer.notes.append("mine three");
  expect(writer.state.notes).toBe("mine one\nmine three");
  expect((await verifyFile(file)).ok).toBe(true);
  await writer.close();
});

test("a rewrite by the same session still has everything put back", async () => {
  const { file } = folder.session();
  const early = fs.readFileSync(file);
  const writer = await openJournal(file, { durability: "os" });
  await writer.notes.append("one");
  fs.writeFileSync(folder.path("stale.jsonl"), early);
  fs.renameSync(folder.path("stale.jsonl"), file);
  await writer.notes.append("two");
  expect(writer.state.notes).toBe("one\ntwo");
  await writer.close();
});

describe("while another process swaps the session away and back", () => {
  let swapper: Program;
  beforeAll(async () => {
    swapper = await program("swap-sessions.ts");
  });
  afterAll(() => swapper.remove());

  test("no commit of one session comes to stand in the other, and all that was acknowledged stands in its own", async () => {
    const [own, other] = [folder.path("own.jsonl"), folder.path("other.jsonl")];
    const file = folder.path("session.jsonl");
    new Session(own, "own").user("here");
    new Session(other, "other").user("there");
    fs.renameSync(own, file);
    const swapping = swapper.run(file, own, other, "60");
    let over = false;
    const ended = swapping.then(() => {
      over = true;
    });
    const writer = await openJournal(file, { durability: "os", limits: { notes: 100_000 } });
    const acknowledged: Record<string, string[]> = { own: [], other: [] };
    let told = 0;
    for (let index = 0; !over; index++) {
      const session = await writer.sessionId();
      const mark = `${session}-${index}.`;
      try {
        const answer = await writer.notes.append(mark);
        if (answer.ok) acknowledged[session]?.push(mark);
      } catch (error) {
        // Moved away between two renames, the file is not there for a moment.
        expect(["not_a_session", "storage"]).toContain((error as { code?: string }).code);
        told += 1;
        await writer.refresh().catch(() => undefined);
      }
      await sleep(0);
    }
    await ended;
    expect(told).toBeGreaterThan(0);
    await writer.close();
    const kept = { own: fs.existsSync(own) ? own : file, other: fs.existsSync(other) ? other : file };
    for (const [session, stray] of [
      ["own", "other-"],
      ["other", "own-"],
    ] as const) {
      const content = fs.readFileSync(kept[session], "utf8");
      expect(linesOf(kept[session])[0]?.id).toBe(session);
      expect(content).not.toContain(stray);
      for (const mark of acknowledged[session] ?? []) expect(content).toContain(mark);
    }
  });
});
