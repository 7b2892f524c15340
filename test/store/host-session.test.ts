import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { hostSessionStore } from "../../src/store/host/host-session-store.ts";
import type { HostSession } from "../../src/store/host/host-view.ts";
import { sessionFileStore } from "../../src/store/session-file/session-file-store.ts";
import type { JournalStore } from "../../src/stream/stream-store.ts";
import { testStore } from "../../src/testing/log-conformance.ts";
import { mark, StoreReader } from "../../src/testing/store-reader.ts";
import { type ArrayEntry, ArrayHost } from "./array-host.ts";

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "session-journal-host-"));
  folders.push(folder);
  return join(folder, "session.jsonl");
}

let hosts = 0;

function newHost(file?: string): ArrayHost {
  hosts += 1;
  return new ArrayHost(`host-${hosts}`, file);
}

function flushedHost(): ArrayHost {
  const host = newHost(newFile());
  host.message("assistant", "Hello.");
  return host;
}

const opened = new WeakMap<JournalStore, ArrayHost>();

function storeOn(host: ArrayHost): JournalStore {
  const store = hostSessionStore(host);
  opened.set(store, host);
  return store;
}

const rows = [
  { name: "in memory only", makeHost: () => newHost() },
  { name: "before its first flush", makeHost: () => newHost(newFile()) },
  { name: "with a file", makeHost: flushedHost },
];

test("a host may hand out its own list, which grows as it appends", async () => {
  class OpenHost extends ArrayHost {
    override entries(): readonly ArrayEntry[] {
      return this.held;
    }
  }
  const journal = await openJournal(hostSessionStore(new OpenHost("open")));
  expect(await journal.notes.set("One")).toMatchObject({ ok: true, version: 1 });
  expect(await journal.refs.add("Two")).toMatchObject({ ok: true, version: 2 });
  expect((await journal.verify()).findings).toEqual([]);
  await journal.close();
});

describe.each(rows)("a host $name", ({ makeHost }) => {
  testStore({
    test,
    logOf: (store) => store.log,
    createStore: () => storeOn(makeHost()),
    openAgain: (store) => storeOn(opened.get(store) as ArrayHost),
  });
});

describe("beside a writer of the same file", () => {
  testStore({
    test,
    logOf: (store) => store.log,
    createStore: () => storeOn(flushedHost()),
    openAgain: (store) => sessionFileStore(store.where),
  });
});

async function journalOn(host: ArrayHost, options?: Parameters<typeof hostSessionStore>[1]) {
  return openJournal(hostSessionStore(host, options));
}

const linesOf = (file: string) =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("before the first flush nothing is written to the file, and what was acknowledged is in it after", async () => {
  const host = newHost(newFile());
  const journal = await journalOn(host);
  host.message("user", "Go.");
  await journal.notes.set("kept");
  expect(existsSync(host.file as string)).toBe(false);
  host.message("assistant", "Going.");
  await journal.refresh();
  expect([journal.version, journal.turn, journal.state.notes]).toEqual([1, 1, "kept"]);
  const outside = await openJournal(host.file as string, { readonly: true });
  expect(outside.head).toEqual(journal.head);
  await outside.close();
  await journal.close();
});

test("the first write after the flush gives older runtimes what was missing", async () => {
  const host = newHost(newFile());
  const journal = await journalOn(host);
  await journal.notes.set("early");
  host.message("assistant", "Hello.");
  await journal.plan.set("late");
  const mirrors = linesOf(host.file as string).filter((line) => line.mirror !== undefined);
  expect(mirrors.map(({ customType, data }) => [customType, data])).toEqual([
    ["openclaw:scratchpad:plan", "late"],
    ["openclaw:scratchpad:notes", "early"],
  ]);
  expect((await journal.verify()).findings).toEqual([]);
  await journal.close();
});

test("turning over to the file is no rewrite: nothing is told again", async () => {
  const host = newHost(newFile());
  const store = hostSessionStore(host);
  const reader = new StoreReader(store);
  await reader.append(mark("w", 0));
  host.message("assistant", "Hello.");
  await reader.append(mark("w", 1));
  expect([reader.resets, reader.events.map(({ version }) => version)]).toEqual([0, [1, 2]]);
  await store.close();
});

test("a host that keeps what it was handed and changes it later writes no false history", async () => {
  const host = newHost(newFile());
  const journal = await journalOn(host);
  const items = ["a"];
  await journal.refs.set(items);
  items.push("b");
  await journal.refs.set(items);
  items.push("c");
  host.message("assistant", "Hello.");
  await journal.refresh();
  const refs: unknown[] = [];
  for await (const { event } of journal.history()) refs.push("refs" in event ? event.refs : event);
  expect(refs).toEqual([["a"], ["a", "b"]]);
  expect((await journal.verify()).ok).toBe(true);
  await journal.close();
});

test("a host that changes what it was handed changes nothing of what is put back after it forgot it", async () => {
  class ChangingHost extends ArrayHost {
    override append(customType: string, data: unknown): string {
      const id = super.append(customType, structuredClone(data));
      (data as { events: unknown[] }).events.length = 0;
      Object.assign(data as object, { id: "changed" });
      return id;
    }
  }
  const host = new ChangingHost("s-changing");
  const journal = await journalOn(host);
  await journal.notes.set("kept");
  host.held.length = 0;
  host.navigate(null);
  await journal.refresh();
  expect(journal.state.notes).toBe("kept");
  await journal.close();
});

test("mirrors hang behind the commit, and the host's next line behind its own", async () => {
  const host = flushedHost();
  const journal = await journalOn(host);
  await journal.notes.set("n");
  host.message("user", "Next.");
  const [, answer, commit, mirror, message] = linesOf(host.file as string);
  expect([commit.parentId, mirror.parentId, message.parentId]).toEqual([answer.id, commit.id, commit.id]);
  await journal.close();
});

test("a commit that somebody else was faster with is decided again, through the host", async () => {
  const host = flushedHost();
  const outside = await openJournal(host.file as string, { actor: "outside" });
  const slow: HostSession = Object.assign(Object.create(host), {
    append: async (customType: string, data: unknown) => {
      if (host.held.length === 1) await outside.apply({ action: "append_notes", content: "from outside" });
      return host.append(customType, data);
    },
  });
  const journal = await openJournal(hostSessionStore(slow, { lock: { mode: "off" } }), { actor: "inside" });
  const answer = await journal.apply({ action: "append_notes", content: "from inside" });
  await outside.refresh();
  expect([answer.version, outside.state.notes]).toEqual([2, "from outside\nfrom inside"]);
  expect((await outside.verify()).findings.map(({ kind }) => kind)).toEqual(["fork"]);
  await journal.close();
  await outside.close();
});

test("under policy branch the fold follows the user through the tree, and the answer is decided there", async () => {
  const host = flushedHost();
  const journal = await journalOn(host, { fold: "branch" });
  await journal.notes.set("common");
  const fork = host.leaf;
  host.message("user", "Left.");
  await journal.notes.append("left");
  const left = host.leaf;
  host.navigate(fork);
  await journal.refresh();
  expect(journal.state.notes).toBe("common");
  host.message("user", "Right.");
  await journal.notes.append("right");
  expect(journal.state.notes).toBe("common\nright");
  host.navigate(left);
  await journal.refresh();
  expect(journal.state.notes).toBe("common\nleft");
  host.navigate(null);
  await journal.refresh();
  expect(journal.state.notes).toBe("");
  expect((await journal.verify()).findings).toEqual([]);
  await journal.close();
});

test("a navigation wakes who watches", async () => {
  const host = flushedHost();
  const store = hostSessionStore(host, { fold: "branch" });
  let unwatch = async () => {};
  await new Promise<void>((woken) => {
    void store.watch(woken).then((stop) => {
      unwatch = stop;
      host.navigate(null);
    });
  });
  await unwatch();
  await store.close();
});

test("a host that does not keep what it is handed is found out, and nothing is acknowledged", async () => {
  const host = newHost();
  const deaf: HostSession = { sessionId: "deaf", append: () => undefined, entries: () => [] };
  const lossy: HostSession = Object.assign(Object.create(host), {
    append: (customType: string, data: object) => host.append(customType, { ...data, at: "yesterday" }),
  });
  const failing: HostSession = {
    ...deaf,
    append: () => {
      throw new Error("disk full");
    },
  };
  for (const [bad, cause] of [
    [deaf, undefined],
    [lossy, undefined],
    [failing, "disk full"],
  ] as const) {
    const journal = await openJournal(hostSessionStore(bad));
    await expect(journal.notes.set("n")).rejects.toMatchObject({ code: "storage", fate: "unknown" });
    const error: Error = await journal.notes.set("n").then(String, (failure) => failure);
    expect((error.cause as Error | undefined)?.message).toBe(cause);
    await journal.close();
  }
});

test("a host that has gone on to another session is refused", async () => {
  const host = newHost();
  const current = { id: host.sessionId };
  const moving: HostSession = {
    append: (customType, data) => host.append(customType, data),
    entries: () => host.entries(),
    get sessionId() {
      return current.id;
    },
  };
  const journal = await openJournal(hostSessionStore(moving));
  await journal.notes.set("n");
  current.id = "another";
  await expect(journal.notes.set("n")).rejects.toMatchObject({ code: "not_a_session" });
  await journal.close();
});

test("a file of another session is refused", async () => {
  const { file } = flushedHost();
  await expect(openJournal(hostSessionStore(newHost(file)))).rejects.toMatchObject({ code: "not_a_session" });
});

test("a host whose file was removed is not appended to again and again, and goes on once the file is back", async () => {
  const host = flushedHost();
  const journal = await openJournal(hostSessionStore(host));
  await journal.notes.set("One");
  const file = host.file ?? "";
  const kept = readFileSync(file, "utf8");
  const before = host.held.length;
  rmSync(file);
  const failed = await journal.notes.set("Two").catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: "storage", message: expect.stringContaining("put it back") });
  expect(host.held.length).toBe(before + 1);
  writeFileSync(file, kept);
  expect(await journal.notes.set("Three")).toMatchObject({ ok: true });
  await journal.close();
});

test("a commit that a host could not write, and whose command was then answered, is put back once the host goes on without it", async () => {
  class FullHost extends ArrayHost {
    isFull = false;
    protected override writeLine(file: string, line: string): void {
      if (this.isFull) throw new Error("ENOSPC: no space left on device");
      super.writeLine(file, line);
    }
  }
  const host = new FullHost("full", newFile());
  host.message("assistant", "Hello.");
  const journal = await openJournal(hostSessionStore(host));
  const two = () => journal.apply({ action: "append_notes", content: "Two" }, { command: "two" });
  await journal.notes.set("One");
  host.isFull = true;
  await expect(two()).rejects.toMatchObject({ code: "storage", fate: "unknown" });
  expect(await two()).toMatchObject({ ok: true, version: 2 });
  host.isFull = false;
  expect(await journal.notes.append("Three")).toMatchObject({ ok: true, version: 3 });
  await journal.close();
  const outside = await openJournal(host.file as string, { readonly: true });
  expect(outside.state.notes.split("\n").sort()).toEqual(["One", "Three", "Two"]);
  await outside.close();
});

test("a torn line of another writer does not swallow the host's", async () => {
  const host = flushedHost();
  appendFileSync(host.file as string, '{"type":"custom","customType":"openclaw:scratch');
  const journal = await journalOn(host);
  await journal.notes.set("whole");
  const outside = await openJournal(host.file as string, { readonly: true });
  expect(outside.state.notes).toBe("whole");
  expect((await outside.verify()).ok).toBe(true);
  await outside.close();
  await journal.close();
});

test("a host that writes late is believed, and its file is left alone until it has", async () => {
  const host = flushedHost();
  const file = host.file as string;
  const late: string[] = [];
  const lazy: HostSession = Object.assign(Object.create(host), {
    append: (customType: string, data: unknown) => {
      const before = readFileSync(file);
      host.append(customType, data);
      late.push(readFileSync(file).subarray(before.length).toString());
      writeFileSync(file, before);
    },
  });
  const journal = await openJournal(hostSessionStore(lazy));
  await journal.notes.set("one");
  await journal.notes.append("two");
  expect([journal.version, linesOf(file).length]).toEqual([2, 2]);
  appendFileSync(file, late.join(""));
  await journal.refresh();
  const outside = await openJournal(file, { readonly: true });
  expect([journal.state.notes, outside.state.notes]).toEqual(["one\ntwo", "one\ntwo"]);
  await outside.close();
  await journal.close();
});

test("a session in memory can be verified, and its history read, like a file", async () => {
  const host = newHost();
  const journal = await journalOn(host);
  host.message("user", "Go.");
  await journal.notes.set("n");
  await journal.plan.set("p");
  const { ok, head } = await journal.verify();
  expect([ok, head]).toEqual([true, journal.head]);
  expect((await journal.at("t1")).state.plan).toBe("p");
  await journal.close();
});
