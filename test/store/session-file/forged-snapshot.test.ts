/** Without a seal whoever may write a snapshot can forge one: verify finds it, and nothing of it gets into the session. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { parseLimits } from "../../../src/action/limits.ts";
import { renderReport } from "../../../src/audit/report/render.ts";
import type { RecordedEvent } from "../../../src/event/event.ts";
import type { Journal } from "../../../src/journal/public.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import type { OpenOptions } from "../../../src/open/open-options.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { useFolder, valuesIn } from "./folder.ts";
import { verifyFile } from "./verify-file.ts";

const folder = useFolder();
const options: OpenOptions = { durability: "os" };

let file = "";
const snapshotOf = () => path.join(path.dirname(file), ".session-journal", `${path.basename(file)}.snapshot.json`);

// biome-ignore lint/suspicious/noExplicitAny: a forger writes what he likes
type Fields = Record<string, any>;

async function write(more: OpenOptions = {}): Promise<void> {
  const journal = await openJournal(file, { ...options, ...more });
  await journal.notes.set("true notes");
  await journal.plan.set("true plan");
  await journal.refs.add("true.ts");
  await journal.entries.write("key", "true entry");
  await journal.apply({ action: "refs.remove", ref: "absent" }, { command: "c-1" });
  await journal.snapshot();
  await journal.close();
}

function forge(change: (fields: Fields) => void): void {
  const [body = ""] = fs.readFileSync(snapshotOf(), "utf8").split("\n");
  const fields = JSON.parse(body) as Fields;
  change(fields);
  const forged = JSON.stringify(fields);
  fs.writeFileSync(snapshotOf(), `${forged}\n${forged}\n`);
}

const forgeries: Record<string, (fields: Fields) => void> = {
  "the notes": (fields) => {
    fields.state.notes = "forged";
  },
  "the notes, and what older runtimes read": (fields) => {
    fields.state.notes = "forged";
    fields.cursor.last.notes = "forged";
  },
  "an entry": (fields) => {
    fields.state.entries.key = "forged";
  },
  "a ref": (fields) => {
    fields.state.refs.push("forged.ts");
  },
  "the version": (fields) => {
    fields.ledger.head.version += 1;
  },
  "the head": (fields) => {
    fields.ledger.head.hash = "0".repeat(32);
  },
  "the turn": (fields) => {
    fields.ledger.turn += 1;
  },
  "what commands are known": (fields) => {
    fields.ledger.commands = "";
  },
  "what commits are known": (fields) => {
    fields.ledger.ids += "another\n";
  },
  "the newest refusal": (fields) => {
    fields.delivered.refusal.event.offered.ref = "forged.ts";
  },
};

beforeEach(() => {
  file = folder.session().file;
});

async function verified(journal: Journal): Promise<unknown> {
  const { ok, findings } = await journal.verify();
  return [ok, ...findings.map(({ kind, severity }) => `${kind} ${severity}`)];
}

test("a snapshot as it was made is no finding, also when more was written since, and after a reopening", async () => {
  await write();
  const journal = await openJournal(file, options);
  expect((await journal.verify()).findings).toEqual([]);
  await journal.notes.append("more");
  expect(await verified(journal)).toEqual([true]);
  await journal.snapshot();
  expect(await verified(journal)).toEqual([true]);
  await journal.close();
});

describe.each(Object.entries(forgeries))("a snapshot in which somebody changed %s", (_, change) => {
  test("is found by verify, by a reader and by who reads nothing but the file", async () => {
    await write();
    forge(change);
    const reader = await openJournal(file, { ...options, readonly: true });
    const { ok, findings } = await reader.verify();
    expect([ok, findings.at(-1)]).toMatchObject([false, { kind: "snapshot", severity: "damage" }]);
    expect(findings.at(-1)?.detail).toContain(snapshotOf());
    await reader.close();
  });

  test("never gets into the session: not with a commit, not with a repair", async () => {
    await write();
    forge(change);
    const writer = await openJournal(file, options);
    await writer.refs.add("next.ts");
    await writer.notes.append("appended");
    await writer.entries.write("other", "1");
    await writer.close();
    expect(fs.readFileSync(file, "utf8")).not.toContain("forged");
    expect(valuesIn(file)).toMatchObject({
      notes: "true notes\nappended",
      plan: "true plan",
      refs: ["true.ts", "next.ts"],
    });
    const { ok, findings } = await verifyFile(file);
    expect([ok, findings.filter(({ severity }) => severity === "damage")]).toEqual([true, []]);
    expect(writer.state).toEqual((await reread()).state);
  });
});

async function reread(): Promise<Journal> {
  fs.rmSync(snapshotOf(), { force: true });
  const journal = await openJournal(file, { ...options, readonly: true });
  await journal.close();
  return journal;
}

test("the report shows it, and doctor says what to do", async () => {
  await write();
  forge(forgeries["the notes"] as (fields: Fields) => void);
  const journal = await openJournal(file, { ...options, readonly: true });
  const events: RecordedEvent[] = [];
  for await (const recorded of journal.history()) events.push(recorded);
  const html = renderReport({
    events,
    verification: await journal.verify(),
    title: file,
    session: await journal.sessionId(),
    limits: parseLimits(undefined),
    generatedAt: "2026-01-01T00:00:00.000Z",
  });
  expect(html).toContain("does not say what the lines say");
  expect(html).not.toContain("forged");
  expect((await journal.diagnose()).advice.join()).toContain("snapshot: ");
  await journal.close();
});

test("with a seal nobody without the key can forge one: it is ignored, and no finding", async () => {
  await write({ seal: "key" });
  forge(forgeries["the notes"] as (fields: Fields) => void);
  const journal = await openJournal(file, { ...options, seal: "key" });
  expect(journal.state.notes).toBe("true notes");
  expect(await verified(journal)).toEqual([true]);
  await journal.close();
});

test("a whole reading is taken once for a handle, not before each repair", async () => {
  await write();
  const writer = await openJournal(file, options);
  for (const text of ["one", "two", "three"]) await writer.notes.append(text);
  const other = await openJournal(file, options);
  await other.notes.append("theirs");
  await writer.notes.append("four");
  expect(writer.state.notes).toBe("true notes\none\ntwo\nthree\ntheirs\nfour");
  expect(valuesIn(file).notes).toBe(writer.state.notes);
  await Promise.all([writer.close(), other.close()]);
});

test("in a database as well", async () => {
  const database = folder.path("journals.db");
  const journal = await openJournal(`sqlite:${database}#s`);
  await journal.notes.set("true notes");
  await journal.apply({ action: "refs.remove", ref: "absent" });
  await journal.snapshot();
  expect(await verified(journal)).toEqual([true]);
  await journal.plan.set("later");
  expect(await verified(journal)).toEqual([true]);
  await journal.close();
  const opened = await openDatabase({ database });
  const [row] = opened.handle.prepare("SELECT snapshot FROM snapshots").all() as { snapshot: string }[];
  const body = (row?.snapshot.split("\n")[0] ?? "").replace("true notes", "forged");
  opened.handle.prepare("UPDATE snapshots SET snapshot = ?").run(`${body}\n${body}\n`);
  opened.close();
  const forged = await openJournal(sqliteStore({ database, session: "s", readonly: true }));
  expect(forged.state.notes).toBe("forged");
  expect(await verified(forged)).toEqual([false, "snapshot damage"]);
  await forged.close();
});

test.each(["", "sqlite:"])(
  "a snapshot of a journal in which nothing has happened yet is no damage (%s)",
  async (scheme) => {
    const where = scheme === "" ? file : `${scheme}${folder.path("journals.db")}#empty`;
    const journal = await openJournal(where, options);
    await journal.snapshot();
    const findings = async () => (await journal.verify()).findings;
    expect(await findings()).toEqual([]);
    await journal.applyAll([
      { action: "set_plan", content: "1. Begin" },
      { action: "set_notes", content: "begun" },
    ]);
    expect(await findings()).toEqual([]);
    await journal.close();
  },
);
