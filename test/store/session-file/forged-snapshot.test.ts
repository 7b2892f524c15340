/** Without a seal whoever may write a snapshot can forge one: verify finds it, and nothing of it gets into the session. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { parseLimits } from "../../../src/action/limits.ts";
import { renderReport } from "../../../src/audit/report/render.ts";
import type { Journal } from "../../../src/journal/public.ts";
import { allOf } from "../../../src/journal/readings.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import type { OpenOptions } from "../../../src/open/open-options.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Session } from "../../fixtures/session.ts";
import { useFolder, valuesIn } from "./folder.ts";
import { verifyFile } from "./verify-file.ts";

const folder = useFolder();
const options: OpenOptions = { durability: "os" };

let session: Session;
let file = "";
const snapshotOf = () => path.join(path.dirname(file), ".session-journal", `${path.basename(file)}.snapshot.json`);

// biome-ignore lint/suspicious/noExplicitAny: a forger writes what he likes
type Fields = Record<string, any>;

/** What the snapshot said before the last few events. */
let early: Fields = {};
const bodyOf = (text: string): Fields => JSON.parse(text.split("\n")[0] ?? "") as Fields;
const said = () => bodyOf(fs.readFileSync(snapshotOf(), "utf8"));

async function write(more: OpenOptions = {}): Promise<Journal> {
  const journal = await openJournal(file, { ...options, ...more });
  await journal.notes.set("true notes");
  session.user("How far are you?");
  await journal.plan.set("true plan");
  await journal.snapshot();
  early = said();
  await journal.refs.add("true.ts");
  await journal.entries.write("key", "true entry");
  await journal.apply({ action: "refs.remove", ref: "absent" }, { command: "c-1" });
  await journal.snapshot();
  await journal.close();
  return journal;
}

function forge(change: (fields: Fields) => void): void {
  const fields = said();
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
  "where it stands, to hide what came after it": (fields) => {
    Object.assign(fields, { ...early, cursor: fields.cursor });
  },
  "where it stands, to count turns twice": (fields) => {
    fields.cursor = early.cursor;
  },
  "where it stands, and that old events are dropped": (fields) => {
    Object.assign(fields, { ...early, cursor: fields.cursor });
    fields.session.drops = true;
  },
  "whose session it is": (fields) => {
    fields.session.id = "forged";
  },
  "the version, to be the highest": (fields) => {
    fields.ledger.head.version = Number.MAX_SAFE_INTEGER;
  },
  "the hash, to be no hash": (fields) => {
    fields.ledger.head.hash = "forged";
  },
  "that it is sealed": (fields) => {
    fields.ledger.sealed = true;
  },
  "the budgets": (fields) => {
    fields.delivered.limits = { notes: 1 };
  },
  "that something was damaged": (fields) => {
    fields.damaged = true;
  },
  "the newest refusal": (fields) => {
    fields.delivered.refusal.event.offered.ref = "forged.ts";
  },
};

beforeEach(() => {
  session = folder.session();
  ({ file } = session);
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
  test("is found by verify, after which nobody is told what it says", async () => {
    const { state, version, turn, head } = await write();
    forge(change);
    const reader = await openJournal(file, { ...options, readonly: true });
    const { ok, findings } = await reader.verify();
    // One of another session is ignored.
    if (said().session.id === "forged") expect(await reader.sessionId()).not.toBe("forged");
    else expect([ok, findings.at(-1)]).toMatchObject([false, { kind: "snapshot", severity: "damage" }]);
    if (!ok) expect(findings.at(-1)?.detail).toContain(snapshotOf());
    const { state: shown, version: at, turn: inTurn, head: shownHead } = reader;
    expect([shown, at, inTurn, shownHead]).toEqual([state, version, turn, head]);
    await reader.close();
  });

  test("never gets into the session: not with a commit, not with a repair", async () => {
    const written = await write();
    forge(change);
    await expectNothingForged(written);
  });
});

test("where nothing is written for older runtimes, no commit rests on a forged snapshot either", async () => {
  const written = await write({ mirror: false });
  forge(forgeries["the hash, to be no hash"] as (fields: Fields) => void);
  await expectNothingForged(written, false);
});

/** Without a change of a mirrored space, too, nothing is written that rests on the snapshot: nor what a line hangs on. */
async function expectNothingForged({ version }: Journal, mirror = true): Promise<void> {
  const writer = await openJournal(file, { ...options, mirror });
  await writer.entries.write("other", "1");
  await writer.apply({ action: "refs.remove", ref: "absent" }, { command: "c-1" });
  await writer.refs.add("next.ts");
  await writer.notes.append("appended");
  await writer.close();
  expect(fs.readFileSync(file, "utf8")).not.toContain("forged");
  if (mirror)
    expect(valuesIn(file)).toMatchObject({
      notes: "true notes\nappended",
      plan: "true plan",
      refs: ["true.ts", "next.ts"],
    });
  const { findings } = await verifyFile(file);
  expect([findings, writer.version - version]).toEqual([[], 3]);
  expect(writer.state).toEqual((await reread()).state);
}

test.each<[string, (fields: Fields) => void]>([
  ["what older runtimes read", ({ cursor }) => Object.assign(cursor, { last: { notes: "forged" }, told: 99 })],
  ["the newest line", ({ cursor: { parents } }) => Object.assign(parents, { lastId: "forged", onPath: ["forged"] })],
  ["the host's newest line", ({ cursor: { parents } }) => Object.assign(parents, { hostId: "forged", onPath: [] })],
  ["the ends", ({ cursor: { parents } }) => Object.assign(parents, { hostEnd: 1e9, oursEnd: 1e9, lastId: "forged" })],
])("no line rests on what a snapshot says of %s", async (_, change) => {
  const written = await write();
  forge(change);
  await expectNothingForged(written);
});

test.each<[string, (fields: Fields) => void]>([
  ["stands within a line", ({ cursor }) => Object.assign(cursor, { offset: cursor.offset - 5 })],
  ["stands nowhere", (fields) => Object.assign(fields, { cursor: null })],
  ["has sections twice", ({ state }) => Object.assign(state, { sections: "forged" })],
])("one that %s is ignored", async (_, change) => {
  const { state } = await write();
  forge((fields) => {
    fields.state.notes = "forged";
    change(fields);
  });
  const reader = await openJournal(file, { ...options, readonly: true });
  expect(reader.state).toEqual(state);
  await reader.close();
});

test("a session that is gone is not shown from its snapshot, nor gone on with", async () => {
  await write();
  fs.rmSync(file);
  await expect(openJournal(file, { ...options, readonly: true })).rejects.toMatchObject({ code: "not_a_session" });
  const begun = await openJournal(file, options);
  expect(begun.version).toBe(0);
  await begun.notes.set("another session");
  await begun.close();
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
  const events = await allOf(journal.history());
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

describe("in a database", () => {
  const changes: Record<string, (fields: Fields, before: Fields) => void> = {
    "the notes": ({ state }) => Object.assign(state, { notes: "forged" }),
    "the head": ({ ledger }) => Object.assign(ledger.head, { hash: "forged" }),
    "the version": ({ ledger }) => Object.assign(ledger.head, { version: 107 }),
    "the turn": ({ ledger }) => Object.assign(ledger, { turn: 7 }),
    "whose session it is": ({ session }) => Object.assign(session, { id: "forged" }),
    "where it stands": (fields, before) => Object.assign(fields, { ...before, cursor: fields.cursor }),
    "where it stands, to be the beginning": (fields) => Object.assign(fields, { cursor: { place: 0, digest: "" } }),
    "where it stands, to be nowhere": (fields) => Object.assign(fields, { cursor: null }),
  };

  test.each(Object.entries(changes))(
    "one in which somebody changed %s is found, and no commit rests on it",
    async (name, change) => {
      const database = folder.path("journals.db");
      const journal = await openJournal(`sqlite:${database}#s`);
      await journal.notes.set("true notes");
      await journal.snapshot();
      const opened = await openDatabase({ database });
      const kept = () =>
        bodyOf(
          (opened.handle.prepare("SELECT snapshot FROM snapshots").all() as { snapshot: string }[])[0]?.snapshot ?? "",
        );
      const before = kept();
      await journal.apply({ action: "refs.remove", ref: "absent" });
      await journal.snapshot();
      expect(await verified(journal)).toEqual([true]);
      await journal.plan.set("later");
      expect(await verified(journal)).toEqual([true]);
      await journal.snapshot();
      await journal.close();
      const fields = kept();
      change(fields, before);
      const body = JSON.stringify(fields);
      opened.handle.prepare("UPDATE snapshots SET snapshot = ?").run(`${body}\n${body}\n`);
      opened.close();
      const reader = await openJournal(sqliteStore({ database, session: "s", readonly: true }));
      expect(reader.state.notes === "forged").toBe(name === "the notes");
      expect((await reader.verify()).findings.map(({ kind }) => kind)).toEqual(["snapshot"]);
      expect([reader.state, reader.head, reader.turn]).toEqual([journal.state, journal.head, journal.turn]);
      await reader.close();
      const writer = await openJournal(sqliteStore({ database, session: "s" }));
      await writer.notes.append("more");
      // Now it is taken anew.
      await writer.verify();
      await writer.snapshot();
      expect(await verified(writer)).toEqual([true]);
      expect(writer.state.notes).toBe("true notes\nmore");
      expect(writer.version).toBe(journal.version + 1);
      await writer.close();
    },
  );
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
