/** What is put away must be believable without being unpacked, and nothing goes that was held, is new, or is written to. */
import { spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { defaultLimits } from "../../src/action/limits.ts";
import { resumeJournal } from "../../src/journal/journal.ts";
import { archiveJournal } from "../../src/open/archive-journal.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { pruneJournals } from "../../src/open/prune-journals.ts";
import { sessionFileStore } from "../../src/store/session-file/session-file-store.ts";
import { sidePaths } from "../../src/store/session-file/session-path.ts";
import { cli, json, newSession, root, temporaryFolder } from "./cli.ts";

const old = new Date(Date.now() - 100 * 86_400_000);

/** A session in which `text` was noted at a time. */
async function session(file: string, text: string, at = old): Promise<string> {
  const clock = () => at;
  const journal = await resumeJournal({
    store: sessionFileStore(file, { durability: "os", clock }),
    ownsStore: true,
    limits: defaultLimits,
    actor: "agent",
    readonly: false,
    clock,
    ids: randomUUID,
    openChild: () => Promise.reject(new Error("no child")),
  });
  await journal.notes.set(text);
  await journal.close();
  fs.utimesSync(file, at, at);
  return file;
}

test("an archive is verified and read where it lies, and gives the session back byte for byte", async () => {
  const file = newSession();
  for (const text of ["one", "two"])
    await cli(["apply", file, JSON.stringify({ action: "append_notes", content: text })]);
  const target = path.join(temporaryFolder(), "a.archive.gz");
  const { stdout } = await cli(["archive", file, "-o", target]);
  expect(stdout).toMatch(/^archived \S+ in .*: v2, head [0-9a-f]{32}\n$/);
  expect(await cli(["verify", target])).toMatchObject({ code: 0, stderr: "" });
  expect((await cli(["log", target, "--oneline"])).stdout).toBe((await cli(["log", file, "--oneline"])).stdout);
  const whole = spawnSync("sh", ["-c", 'gunzip -c "$1" | tail -n +2', "sh", target]).stdout;
  expect(whole.equals(fs.readFileSync(file))).toBe(true);
  expect(fs.statSync(target).mode & 0o777).toBe(0o600);
  const copy = path.join(temporaryFolder(), "copy.jsonl");
  expect((await cli(["copy", target, copy])).stdout).toContain("copied 2 events");
  for (const verb of [
    ["apply", target, '{"action":"set_notes","content":"no"}'],
    ["archive", target, "-o", `${target}2`],
  ])
    expect(await cli(verb)).toMatchObject({ code: 2, stderr: expect.stringMatching(/is (an|already an) archive/) });
  expect(await cli(["archive", file, "-o", target])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/it exists already/),
  });
});

test("a session that is written to after it was verified is not archived under the head of before", async () => {
  const file = newSession();
  await cli(["apply", file, '{"action":"set_notes","content":"one"}']);
  const before = fs.readFileSync(file);
  await cli(["apply", file, '{"action":"set_notes","content":"two"}']);
  const added = fs.readFileSync(file).subarray(before.length);
  fs.writeFileSync(file, before);
  const target = path.join(temporaryFolder(), "a.archive.gz");
  const now = vi.spyOn(Date.prototype, "toISOString").mockImplementationOnce(() => {
    fs.appendFileSync(file, added);
    return "2026-03-09T13:18:36.000Z";
  });
  await expect(archiveJournal(file, target)).rejects.toThrow("was written to while it was archived");
  now.mockRestore();
  expect(fs.readdirSync(path.dirname(target))).toEqual([]);
  expect((await archiveJournal(file, target)).version).toBe(2);
});

test("an archive that was changed, by accident or by hand, is damage", async () => {
  const file = newSession();
  await cli(["apply", file, '{"action":"set_notes","content":"approved: 10"}']);
  await cli(["apply", file, '{"action":"set_plan","content":"1. Order"}']);
  const target = path.join(temporaryFolder(), "a.archive.gz");
  await cli(["archive", file, "-o", target]);
  const packed = fs.readFileSync(target);
  const [manifest = "", ...lines] = gunzipSync(packed).toString().split("\n");
  const faults = async (...changed: string[]) => {
    fs.writeFileSync(target, Buffer.concat([gzipSync(`${changed[0]}\n`), gzipSync(changed.slice(1).join("\n"))]));
    const { code, stdout, stderr } = await cli(["verify", target]);
    return `${code} ${stdout}${stderr}`;
  };
  expect(await faults(manifest, ...lines)).toMatch(/^0 OK/);
  expect(await faults(manifest.replace('"v":1', '"v":2'), ...lines)).toMatch(/^2 .*archive of format 2, .*update it/s);
  expect(await faults(manifest, ...lines.map((line) => line.replaceAll("10", "90")))).toMatch(/^1 .*\n.*SHA-256/s);
  const elsewhere = JSON.stringify({ ...JSON.parse(manifest), session: "../../other" });
  expect(await faults(elsewhere, ...lines)).toMatch(/^1 .*the manifest names session "..\/..\/other", and the header/s);
  // Cut behind the first commit, with a manifest that knows: only the head tells.
  const cut = lines.slice(
    0,
    lines.findIndex((line) => line.includes("set_plan") || line.includes("plan.set")),
  );
  const bytes = Buffer.from(`${cut.join("\n")}\n`);
  const own = {
    ...JSON.parse(manifest),
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
  expect(await faults(JSON.stringify(own), ...cut, "")).toMatch(/^1 .*the manifest names head v2/s);
  fs.writeFileSync(target, packed.subarray(0, packed.length - 9));
  expect(await cli(["verify", target])).toMatchObject({ code: 2, stderr: expect.stringMatching(/damaged/) });
  fs.writeFileSync(target, gzipSync("a diary"));
  expect(await cli(["show", target])).toMatchObject({ code: 2, stderr: expect.stringMatching(/no archive/) });
});

test("neither a damaged session is archived, nor that of another client", async () => {
  const file = newSession();
  await cli(["apply", file, '{"action":"set_notes","content":"one"}']);
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace('"one"', '"two"'));
  const target = path.join(temporaryFolder(), "a.archive.gz");
  expect(await cli(["archive", file, "-o", target])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/is damaged/),
  });
  const foreign = path.join(root, "fixtures", "sessions", "claude-code", "1.0.98-todowrite.jsonl");
  expect(await cli(["archive", foreign, "-o", target])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/of another client: copy it/),
  });
  expect(fs.existsSync(target)).toBe(false);
});

test("old files go, archived first; what is held, newer or the host's stays", async () => {
  const folder = temporaryFolder();
  const names = ["gone.jsonl", "held.jsonl", "touched.jsonl", "fresh.jsonl"];
  const [gone = "", , touched = "", fresh = ""] = names.map((name) => path.join(folder, name));
  for (const name of names) await session(path.join(folder, name), name);
  fs.utimesSync(touched, new Date(), new Date());
  await session(fresh, "again", new Date());
  const hold = path.join(folder, "hold.txt");
  fs.writeFileSync(hold, "held  # the auditor asked\n# none\ntypo\n");
  const archive = path.join(folder, "archive");
  const words = ["prune", folder, "--older-than", "90d", "--hold", hold, "--archive", archive];
  const planned = await cli([...words, "--dry-run"]);
  expect(planned.stdout).toMatch(
    /would be removed {2}v1 .* gone\.jsonl\nheld {2}v1 .* held\.jsonl\n1 journal would be removed\n/,
  );
  expect(planned.stderr).toContain("names typo, which is no old session");
  expect([fs.existsSync(gone), fs.existsSync(archive)]).toEqual([true, false]);
  expect((await cli(words)).stdout).toMatch(/removed 1 journal\n$/);
  expect(names.filter((name) => fs.existsSync(path.join(folder, name)))).toEqual(names.slice(1));
  expect((await cli(["show", path.join(archive, "gone.archive.gz")])).stdout).toContain("gone.jsonl");
});

test("what is held by the line that ls prints, by a path or by an id stays", async () => {
  const folder = fs.realpathSync(temporaryFolder());
  const file = await session(path.join(folder, "a.jsonl"), "evidence");
  const { id } = JSON.parse(fs.readFileSync(file, "utf8").split("\n")[0] ?? "");
  const database = `sqlite:${path.join(folder, "j.db")}`;
  await cli(["copy", file, database]);
  const listed = async (place: string) => (await cli(["ls", place])).stdout.trim().split("  ").at(-1) ?? "";
  const typed = path.relative(process.cwd(), folder);
  const names = [await listed(typed), file, file.replace(/\.jsonl$/, ""), "~/a.jsonl", "a.jsonl", "a", id];
  const hold = path.join(folder, "hold.txt");
  const said = async (place: string, name: string) => {
    fs.writeFileSync(hold, `${name}\n`);
    const words = ["prune", place, "--older-than", "90d", "--hold", hold];
    const { stdout, stderr } = await cli(words, { env: { HOME: folder } });
    return [name, stdout.split("  ")[0], stderr];
  };
  for (const place of [folder, typed])
    for (const name of names) expect(await said(place, name)).toEqual([name, "held", ""]);
  for (const name of [await listed(database), id]) expect(await said(database, name)).toEqual([name, "held", ""]);
  expect(fs.existsSync(file)).toBe(true);
});

test("a journal with a new event stays, though a clock that was wrong gave its last one an old time", async () => {
  const folder = temporaryFolder();
  const file = await session(path.join(folder, "a.jsonl"), "of today", new Date());
  await session(file, "by a clock that was set back");
  const database = `sqlite:${path.join(folder, "j.db")}`;
  await cli(["copy", file, database]);
  for (const place of [folder, database])
    expect((await cli(["prune", place, "--older-than", "90d"])).stdout).toBe("removed 0 journals\n");
  expect([fs.existsSync(file), await json("ls", database)]).toEqual([true, [expect.objectContaining({ version: 2 })]]);
});

test("old journals of a database go with their texts and snapshots, the others stay", async () => {
  const folder = temporaryFolder();
  const database = `sqlite:${path.join(folder, "j.db")}`;
  const from = [
    await session(path.join(folder, "a.jsonl"), "a needle"),
    await session(path.join(folder, "b.jsonl"), "b", new Date()),
  ];
  for (const file of from) await cli(["copy", file, database]);
  expect(await json("ls", database)).toHaveLength(2);
  const archive = path.join(folder, "put away");
  expect((await cli(["prune", database, "--older-than", "12w", "--archive", archive])).stdout).toMatch(
    /removed 1 journal\n$/,
  );
  expect(await json("ls", database)).toHaveLength(1);
  expect((await cli(["grep", "--full-text", "needle", database])).stdout).toBe("");
  const [name = ""] = fs.readdirSync(archive);
  const journal = await openJournal(path.join(archive, name), { readonly: true });
  expect([journal.state.notes, (await journal.verify()).ok]).toEqual(["a needle", true]);
  await journal.close();
});

test("what an interrupted prune has archived is removed by the next one, and no other file is taken for it", async () => {
  const folder = temporaryFolder();
  const archive = path.join(folder, "put away");
  const [whole, other] = await Promise.all(
    ["whole", "other"].map((name) => session(path.join(folder, `${name}.jsonl`), name)),
  );
  const database = `sqlite:${path.join(folder, "j.db")}`;
  await cli(["copy", await session(path.join(temporaryFolder(), "d.jsonl"), "d"), database]);
  const [{ session: id = "" }] = (await json("ls", database)) as [{ session?: string }];
  fs.mkdirSync(archive);
  const archiveOf = (name: string): string => path.join(archive, `${encodeURIComponent(name)}.archive.gz`);
  await cli(["archive", `${database}#${id}`, "-o", archiveOf(id)]);
  await cli(["archive", whole as string, "-o", archiveOf("whole")]);
  await cli(["archive", whole as string, "-o", archiveOf("other")]);
  fs.writeFileSync(`${archiveOf("whole")}.1.unfinished`, "half");
  const before = fs.readFileSync(archiveOf(id));
  const prune = (where: string) => cli(["prune", where, "--older-than", "90d", "--archive", archive]);
  expect((await prune(folder)).stderr).toMatch(
    /other\.archive\.gz \(it exists already: it is of another session, or .*: move it away, or name another folder/,
  );
  expect([whole, other].map((file) => fs.existsSync(file as string))).toEqual([false, true]);
  expect((await prune(database)).stdout).toMatch(/removed 1 journal\n$/);
  expect(fs.readFileSync(archiveOf(id)).equals(before)).toBe(true);
  expect(await cli(["verify", archiveOf("whole")])).toMatchObject({ code: 0 });
});

test("a session is archived under a name that can be, however long its id is", async () => {
  const folder = temporaryFolder();
  const database = path.join(folder, "j.db");
  const ids = [`${"z".repeat(2000)}1`, `${"z".repeat(2000)}2`, "w".repeat(239)];
  for (const id of ids) {
    const journal = await openJournal(`sqlite:${database}#${id}`);
    await journal.notes.set(id);
    await journal.close();
  }
  const archive = path.join(folder, "put away");
  const options = { held: new Set<string>(), archive, isDryRun: false };
  const targets: string[] = [];
  for await (const { session, fate, archive } of pruneJournals(`sqlite:${database}`, {
    ...options,
    before: Date.now() + 86_400_000,
  })) {
    const journal = await openJournal(String(archive), { readonly: true });
    expect([fate, journal.state.notes, await journal.sessionId()]).toEqual(["removed", session, session]);
    await journal.close();
    targets.push(path.basename(String(archive)));
  }
  expect(targets).toContain(`${"w".repeat(239)}.archive.gz`);
  expect(fs.readdirSync(archive).sort()).toEqual(targets.sort());
  expect(targets).toHaveLength(3);
});

test("what a prune that was killed has left lies beside the archives, and a later one removes it", async () => {
  const folder = temporaryFolder();
  const [database, archive] = [path.join(folder, "j.db"), path.join(folder, "put away")];
  const name = "s1";
  for (const id of [name, "s2"]) {
    const journal = await openJournal(`sqlite:${database}#${id}`);
    await journal.notes.set("a text of a session");
    await journal.close();
  }
  fs.mkdirSync(archive);
  const made: string[] = [];
  const { mkdir } = fs.promises;
  const noted = vi.spyOn(fs.promises, "mkdir").mockImplementation(async (...given) => {
    made.push(path.relative(folder, String(given[0])));
    return mkdir(...given);
  });
  // Who is killed removes nothing.
  const killed = vi.spyOn(fs, "rmSync").mockReturnValue(undefined);
  syncBuiltinESMExports();
  const manifest = await archiveJournal(`sqlite:${database}#${name}`, path.join(archive, "s1.archive.gz"));
  for (const spy of [noted, killed]) spy.mockRestore();
  syncBuiltinESMExports();
  expect(manifest.name).toBe("s1.jsonl");
  expect(made).toEqual([expect.stringMatching(/^put away.\.[0-9a-f-]{36}\.unfinished$/)]);
  const [left = ""] = made.map((each) => path.join(folder, each));
  expect([fs.statSync(left).mode & 0o777, fs.readFileSync(path.join(left, "session"), "utf8")]).toEqual([
    0o700,
    expect.stringContaining("a text of a session"),
  ]);
  expect((await cli(["ls", archive])).stdout).not.toContain("unfinished");
  const older = `s1.archive.gz.${randomUUID()}.unfinished`;
  for (const each of [older, "mine.unfinished"]) fs.writeFileSync(path.join(archive, each), "");
  const prune = ["prune", `sqlite:${database}`, "--older-than", "1w", "--archive", archive];
  expect((await cli(prune)).code).toBe(0);
  expect(fs.existsSync(left)).toBe(true);
  for (const each of fs.readdirSync(archive)) fs.utimesSync(path.join(archive, each), old, old);
  expect((await cli([...prune, "--dry-run"])).code).toBe(0);
  expect(fs.existsSync(left)).toBe(true);
  expect((await cli(prune)).code).toBe(0);
  expect(fs.readdirSync(archive).sort()).toEqual(["mine.unfinished", "s1.archive.gz"]);
});

test("an archive has its name once it is whole", async () => {
  const file = await session(newSession(), "text");
  const target = path.join(temporaryFolder(), "a.archive.gz");
  const names: string[] = [];
  const watcher = fs.watch(path.dirname(target), (_, name) => names.push(String(name)));
  const digest = createHash("sha256").update(fs.readFileSync(file)).digest("hex");
  expect((await archiveJournal(file, target)).sha256).toBe(digest);
  await vi.waitFor(() => expect(names).toContain("a.archive.gz"));
  watcher.close();
  expect(names[0]).toMatch(/\.unfinished$/);
  expect(fs.readdirSync(path.dirname(target))).toEqual(["a.archive.gz"]);
});

const isLinux = process.platform === "linux";

test.runIf(isLinux)(
  "a session goes once the name of its archive is on disk, with the folders that were made for it",
  async () => {
    const folder = temporaryFolder();
    const [made, into] = [path.join(folder, "put"), path.join(folder, "put", "away")];
    const { fsyncSync, unlinkSync, realpathSync } = fs;
    const done: string[] = [];
    const prune = async () => {
      for await (const { fate } of pruneJournals(folder, {
        before: Date.now() - 86_400_000,
        held: new Set(),
        archive: into,
        isDryRun: false,
      }))
        expect(fate).toBe("removed");
      return done.splice(0);
    };
    fs.fsyncSync = (descriptor) => {
      done.push(`synced ${path.relative(realpathSync(folder), realpathSync(`/proc/self/fd/${descriptor}`))}`);
      fsyncSync(descriptor);
    };
    fs.unlinkSync = (file) => {
      if (String(file).endsWith(".jsonl")) done.push(`removed ${fs.readdirSync(into).join()}`);
      unlinkSync(file);
    };
    try {
      const file = await session(path.join(folder, "a.jsonl"), "text");
      const bytes = fs.readFileSync(file);
      done.splice(0);
      expect(await prune()).toEqual(["synced put", "synced ", "synced put/away", "removed a.archive.gz"]);
      // It was archived before, and perhaps its name is not on disk.
      fs.writeFileSync(file, bytes);
      fs.utimesSync(file, old, old);
      expect(await prune()).toEqual(["synced put/away", "removed a.archive.gz"]);
    } finally {
      Object.assign(fs, { fsyncSync, unlinkSync });
    }
    expect(fs.statSync(made).mode & 0o777).toBe(0o700);
  },
);

test("an archive that cannot be begun says so of the archive, and of no hidden file that was never there", async () => {
  const file = newSession();
  await cli(["apply", file, '{"action":"set_notes","content":"one"}']);
  const database = `sqlite:${path.join(temporaryFolder(), "journals.db")}`;
  await cli(["copy", file, database]);
  for (const where of [file, database]) {
    const { code, stderr } = await cli(["archive", where, "-o", path.join(file, "away.gz")]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/cannot write the archive .*away\.gz \(ENOTDIR: check its folder\)/),
    ]);
  }
});

test("where a file cannot have two names, its archive is a copy, and none is written over", async () => {
  const file = await session(newSession(), "text");
  const target = path.join(temporaryFolder(), "a.archive.gz");
  const refusing = Object.assign(new Error("no second name"), { code: "EPERM" });
  const linked = vi.spyOn(fs.promises, "link").mockRejectedValue(refusing);
  syncBuiltinESMExports();
  await archiveJournal(file, target);
  const before = fs.readFileSync(target);
  await expect(archiveJournal(file, target)).rejects.toThrow("it exists already");
  linked.mockRestore();
  syncBuiltinESMExports();
  expect(fs.readFileSync(target).equals(before)).toBe(true);
  expect(await cli(["verify", target])).toMatchObject({ code: 0 });
  expect(fs.readdirSync(path.dirname(target))).toEqual(["a.archive.gz"]);
});

test("a journal that cannot be archived or removed stays, and the others go", async () => {
  const folder = temporaryFolder();
  for (const name of ["a", "b", "c", "d"]) {
    const file = await session(path.join(folder, `${name}.jsonl`), `text of ${name}`);
    if (name === "b")
      fs.appendFileSync(file, '{"type":"custom","customType":"openclaw:scratchpad:events","data":{}}\n');
    fs.utimesSync(file, new Date(0), new Date(0));
  }
  fs.mkdirSync(path.join(folder, ".session-journal", "d.jsonl.snapshot.json"), { recursive: true });
  const words = ["prune", folder, "--older-than", "90d", "--archive", path.join(folder, "put away")];
  const { code, stdout, stderr } = await cli(words);
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^kept .* b\.jsonl$/m)]);
  expect([stdout, stderr]).toEqual([
    expect.stringMatching(/removed 2 journals\n$/),
    expect.stringContaining("b.jsonl is damaged, and was not archived"),
  ]);
  expect(fs.readdirSync(folder).filter((name) => name.endsWith(".jsonl"))).toEqual(["b.jsonl", "d.jsonl"]);
});

test("several at once remove each journal once, and none says that it had to be kept", async () => {
  const folder = temporaryFolder();
  const database = `sqlite:${path.join(folder, "j.db")}`;
  for (const name of ["a", "b", "c", "d", "e"])
    await cli(["copy", await session(path.join(folder, `${name}.jsonl`), name), database]);
  for (const [place, archive] of [
    [folder, path.join(folder, "of files")],
    [database, path.join(folder, "of records")],
  ] as const) {
    const options = { before: Date.now() - 86_400_000, held: new Set<string>(), isDryRun: false, archive };
    const pruned = await Promise.all(
      [1, 2, 3].map(async () => {
        const fates: unknown[] = [];
        for await (const { fate, fault } of pruneJournals(place, options)) fates.push(fault ?? fate);
        return fates;
      }),
    );
    expect(pruned.flat().filter((fate) => fate !== "removed" && fate !== "changed")).toEqual([]);
    expect(pruned.flat().filter((fate) => fate === "removed")).toHaveLength(5);
    expect(fs.readdirSync(archive)).toHaveLength(5);
  }
});

test("a file that somebody else removes meanwhile does not end it", async () => {
  const folder = temporaryFolder();
  for (const name of ["a", "b", "c"]) await session(path.join(folder, `${name}.jsonl`), name);
  const options = { before: Date.now() - 86_400_000, held: new Set<string>(), isDryRun: false };
  const pruning = pruneJournals(folder, options);
  expect((await pruning.next()).value).toMatchObject({ fate: "removed" });
  const rest = pruning.next();
  for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name), { recursive: true });
  expect(await rest).toEqual({ done: true, value: undefined });
});

test("what is asked wrongly removes nothing", async () => {
  const folder = temporaryFolder();
  await session(path.join(folder, "a.jsonl"), "a");
  const said = async (...argv: string[]) => {
    const { code, stderr } = await cli(["prune", folder, ...argv]);
    return `${code} ${stderr}`;
  };
  expect(await said()).toMatch(/^2 .*--older-than DURATION is missing/);
  expect(await said("--older-than", "90")).toMatch(/^2 .*takes a duration such as 36h/);
  expect(await said("--older-than", "3m")).toMatch(/^2 .*takes a duration such as 36h/);
  expect(await said("--older-than", "1d", "--hold", path.join(folder, "none"))).toMatch(/^2 .*cannot read/);
  expect(fs.existsSync(path.join(folder, "a.jsonl"))).toBe(true);
});

test("a session whose lock another writer holds stays, and nobody is sent to an option that prune does not have", async () => {
  const folder = temporaryFolder();
  const file = path.join(folder, "session.jsonl");
  await session(file, "old");
  const { lock } = sidePaths(file);
  fs.mkdirSync(lock, { recursive: true });
  const { code, stderr } = await cli(["prune", folder, "--older-than", "1d"]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/the lock .* another writer holds it; try again\n$/)]);
});
