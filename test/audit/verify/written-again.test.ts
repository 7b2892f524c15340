/** A host that writes all that it loaded once more, as client 0.73.1 does before its first answer, does no damage. */
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import type { Journal } from "../../../src/journal/public.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import type { OpenOptions } from "../../../src/open/open-options.ts";
import type { Session } from "../../fixtures/session.ts";
import { useFolder } from "../../store/session-file/folder.ts";

const folder = useFolder();

/** All but the header, and its answer behind it. */
function writeAgain(session: Session): void {
  const [, ...lines] = fs.readFileSync(session.file, "utf8").trimEnd().split("\n");
  session.append(lines.map((line) => `${line}\n`).join(""));
  session.agent("Here is what I found.");
}

const stories: Record<string, (session: Session, writer: Journal, other: Journal) => Promise<unknown>> = {
  once: async (session) => writeAgain(session),
  "twice, with a commit of ours in between": async (session, writer) => {
    writeAgain(session);
    await writer.notes.append("in between");
    writeAgain(session);
  },
  "and two writers at once, before and after": async (session, writer, other) => {
    for (const text of ["one", "two"]) {
      writeAgain(session);
      await Promise.all([writer.notes.append(text), other.plan.set(text)]);
    }
  },
  "after a compaction": async (session, writer) => {
    session.host("compaction", { summary: "short", firstKeptEntryId: "00000001", tokensBefore: 5 });
    await writer.plan.set("after the compaction");
    writeAgain(session);
    await writer.plan.set("after the answer");
  },
  "with a snapshot before and behind it": async (session, writer) => {
    await writer.snapshot();
    writeAgain(session);
    await writer.snapshot();
    await writer.notes.append("behind it");
    writeAgain(session);
  },
  "with a value of an older runtime": async (session, writer) => {
    session.value(":notes", "theirs");
    await writer.refs.add("a.ts");
    writeAgain(session);
    await writer.refs.add("b.ts");
  },
};

const policies: Record<string, OpenOptions> = {
  "in file order": {},
  "by branch": { fold: "branch" },
  sealed: { seal: "key" },
};

describe.each(Object.entries(policies))("%s", (_, policy) => {
  test.each(Object.entries(stories))("%s: notes, no damage, and the same for each reader", async (_name, story) => {
    const session = folder.session();
    const options: OpenOptions = { durability: "os", ...policy };
    const [writer, other] = [await openJournal(session.file, options), await openJournal(session.file, options)];
    session.user("What is wrong?");
    await writer.notes.set("a");
    session.agent("I look.");
    await writer.plan.set("p");
    const follower = await openJournal(session.file, { ...options, readonly: true });
    await story(session, writer, other);
    const cold = await openJournal(session.file, { ...options, readonly: true });
    const { ok, findings } = await cold.verify();
    expect([ok, findings.filter(({ severity }) => severity === "damage")]).toEqual([true, []]);
    expect(findings.map(({ kind }) => kind)).toContain("duplicate");
    expect((await cold.diagnose()).findings).toEqual(findings);
    for (const each of [writer, other, follower]) {
      await each.refresh();
      expect([each.state, each.head, each.turn]).toEqual([cold.state, cold.head, cold.turn]);
    }
    for (const each of [writer, other, follower, cold]) await each.close();
  });
});
