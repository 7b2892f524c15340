import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Verification } from "../../src/audit/verify/finding.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { bytesOf, cli, json, newSession, values } from "./cli.ts";

const keyText = "correct horse battery staple";

interface Sealed {
  readonly file: string;
  readonly key: string;
}

async function sealed(): Promise<Sealed> {
  const file = newSession();
  const key = join(dirname(file), "key");
  writeFileSync(key, `${keyText}\n`);
  for (const action of [
    { action: "set_plan", content: "ship" },
    { action: "set_notes", content: "done" },
  ]) {
    const { code, stderr } = await cli(["apply", file, JSON.stringify(action), "--seal-file", key]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  }
  return { file, key };
}

const verified = async (file: string, ...more: string[]): Promise<[number, Verification]> => {
  const { code, stdout } = await cli(["verify", file, "--json", ...more]);
  return [code, values(stdout)[0] as Verification];
};

test("with its key a sealed journal is checked, written and copied; the line feed of the file is no part of the key", async () => {
  const { file, key } = await sealed();
  const [code, { findings, head }] = await verified(file, "--seal-file", key);
  expect([code, findings, head.version, head.hash.length]).toEqual([0, [], 2, 64]);
  const journal = await openJournal(file, { seal: keyText, readonly: true });
  expect((await journal.verify()).findings).toEqual([]);
  await journal.close();
  const env = { SESSION_JOURNAL_SEAL_FILE: key };
  expect((await cli(["verify", file], { env })).stdout).toContain(
    "OK: 2 events, no damage. Sealed: only somebody who has the key",
  );
  const to = join(dirname(file), "copy.jsonl");
  expect((await cli(["copy", file, to, "--seal-file", key])).code).toBe(0);
  expect((await verified(to, "--seal-file", key))[1]).toMatchObject({ findings: [], head });
  expect(bytesOf(file)).not.toContain(keyText);
});

test("without its key it is read, not checked and not written", async () => {
  const { file } = await sealed();
  expect(await json("show", file)).toMatchObject([{ version: 2, state: { plan: "ship" } }]);
  const [code, { findings }] = await verified(file);
  expect([code, findings.map(({ kind }) => kind)]).toEqual([0, ["sealed"]]);
  const { version, hash } = (await verified(file))[1].head;
  expect((await cli(["verify", file, "--head", hash, "--at", String(version)])).stdout).toContain(
    "Sealed, but without its key this shows accidents only.",
  );
  const { code: refused, stderr } = await cli(["apply", file, '{"action":"set_plan","content":"x"}']);
  expect([refused, stderr]).toEqual([2, expect.stringContaining("is sealed")]);
});

test("under another key, or under any where there is none, a journal is not shown or copied as an empty one", async () => {
  const { file, key } = await sealed();
  const open = join(dirname(file), "open.jsonl");
  await cli(["apply", open, '{"action":"set_plan","content":"ship"}']);
  writeFileSync(key, "another");
  const page = join(dirname(file), "page.html");
  const child = join(dirname(file), "child.jsonl");
  for (const where of [file, open]) {
    for (const [verb, ...more] of [
      ["show"],
      ["show", "--at", "v0"],
      ["log"],
      ["diff"],
      ["blame"],
      ["lost"],
      ["render"],
      ["follow"],
      ["compare", file],
      ["report", "-o", page],
      ["fork", child],
      ["copy", child],
      ["snapshot"],
      ["mcp"],
    ]) {
      const { code, stdout, stderr } = await cli([verb as string, where, ...more, "--seal-file", key]);
      expect([verb, code, stdout]).toEqual([verb, 2, ""]);
      expect(stderr).toMatch(
        /was not written with this seal: pass its own key by --seal-file FILE, or no key if it has none/,
      );
    }
  }
  expect([existsSync(page), existsSync(child)]).toEqual([false, false]);
});

test("a database that another key sealed is not called damaged", async () => {
  const { file, key } = await sealed();
  const database = `sqlite:${join(dirname(file), "j.db")}`;
  await cli(["copy", file, database, "--seal-file", key]);
  const [{ where }] = (await json("ls", database)) as [{ where: string }];
  writeFileSync(key, "another");
  const { code, stderr } = await cli(["show", where, "--seal-file", key]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("was not written with this seal: pass its own key by --seal-file"),
  ]);
});

test("a sealed journal is copied whole without its key, and keeps its seal", async () => {
  const { file, key } = await sealed();
  const to = join(dirname(file), "copy.jsonl");
  expect(await json("copy", file, to)).toMatchObject([{ events: 2, version: 2 }]);
  expect((await verified(to, "--seal-file", key))[1]).toMatchObject({ findings: [], head: { version: 2 } });
});

test("with another key nothing fits", async () => {
  const { file, key } = await sealed();
  writeFileSync(key, "another");
  const [code, { findings }] = await verified(file, "--seal-file", key);
  expect(code).toBe(1);
  expect(findings[0]?.kind).toBe("hash");
});

test("a text changed by somebody without the key is found, new hashes or not", async () => {
  const { file, key } = await sealed();
  writeFileSync(file, bytesOf(file).replace('"text":"ship"', '"text":"skip"'));
  expect((await verified(file, "--seal-file", key))[0]).toBe(1);
});

test("a tail that was cut off is found with the head that was kept", async () => {
  const { file, key } = await sealed();
  const [, { head }] = await verified(file, "--seal-file", key);
  const lines = bytesOf(file).split("\n");
  const last = lines.findLastIndex((line) => line.includes(":events"));
  writeFileSync(file, `${lines.slice(0, last).join("\n")}\n`);
  expect((await verified(file, "--seal-file", key))[0]).toBe(0);
  const kept = ["--head", head.hash, "--at", `v${head.version}`];
  const [code, { findings }] = await verified(file, "--seal-file", key, ...kept);
  expect([code, findings.map(({ kind }) => kind)]).toEqual([1, ["head"]]);
});

test("a file of a key that is missing or empty is said so, and no key is taken from the command line", async () => {
  const { file, key } = await sealed();
  expect((await cli(["verify", file, "--seal-file", `${key}s`])).stderr).toContain("cannot be read");
  writeFileSync(key, "\n");
  expect((await cli(["verify", file, "--seal-file", key])).stderr).toMatch(/^session-journal: .* is empty\n$/);
  expect((await cli(["verify", file, "--seal", keyText])).stderr).toContain("unknown option --seal");
});
