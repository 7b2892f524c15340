import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applied, bytesOf, cli, json, newSession, root, temporaryFolder, values } from "./cli.ts";

const secret = ["gh", "p_", "aB3dE5gH7jK9mN2pQ4rS6tU8vW1xY0zZcFiL"].join("");

async function holding(): Promise<string> {
  const actions = [
    { action: "set_notes", content: "fine" },
    { action: "append_notes", content: `token ${secret}` },
  ];
  return applied(newSession(), ...actions);
}

test("doctor says where a secret stands and not which, and what to do", async () => {
  const { code, stdout } = await cli(["doctor", await holding()]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/GitHub token +v2, notes, text, line 1, column 7 +40 characters/);
  expect(stdout).toContain("--redact secrets -o clean.jsonl");
  expect(stdout).not.toContain(secret.slice(4));
  const [diagnosis] = (await json(
    "doctor",
    await applied(newSession(), { action: "set_notes", content: "fine" }),
  )) as object[];
  expect(diagnosis).not.toHaveProperty("secrets");
});

test("redact, copy and report leave it out, and verify lists the commit", async () => {
  const source = await holding();
  const folder = temporaryFolder();
  const [one, two, page] = ["one.jsonl", "two.jsonl", "page.html"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const { code, stdout } = await cli(["redact", source, "--redact", "secrets", "-o", one]);
  expect([code, stdout.split("\n")[0]]).toEqual([
    0,
    expect.stringMatching(/^redacted 1 text of v2 in .*one\.jsonl: v3, head /),
  ]);
  expect(stdout).toMatch(/key of the digests, .*: [0-9a-f]{64}\n/);
  expect((await cli(["copy", source, two, "--redact", "/gh._\\w+/"])).code).toBe(0);
  expect((await cli(["report", source, "-o", page, "--redact", secret])).code).toBe(0);
  for (const file of [one, two, page]) {
    expect(bytesOf(file)).not.toContain(secret.slice(4));
    expect(bytesOf(file)).toContain("[redacted 40 characters]");
  }
  const verified = await cli(["verify", one]);
  expect(verified.code).toBe(0);
  expect(verified.stdout).toMatch(/note +redacted +line 4, .*version 2: texts were taken out of it/);
  const kept = values((await cli(["head", source, "--json"])).stdout)[0] as { version: number; hash: string };
  const proven = await cli(["verify", one, "--head", kept.hash, "--at", String(kept.version)]);
  expect(proven.stdout).toContain("of the others this proves nothing");
  expect((await cli(["verify", source, "--head", kept.hash, "--at", String(kept.version)])).stdout).toContain(
    "no damage. No commit up to v2 has changed since that head was kept.",
  );
  const { stdout: shown } = await cli(["show", one, "--json"]);
  expect(values(shown)[0]).toMatchObject({ version: 3, state: { notes: "fine\ntoken [redacted 40 characters]" } });
});

test("a secret that only the host wrote down goes, too, and the target that has no lines of the host takes nothing", async () => {
  const source = await holding();
  const said = { role: "user", content: [{ type: "text", text: JSON.stringify({ code: "4711-0815" }) }] };
  const line = { type: "message", id: "h1", parentId: null, timestamp: "2026-11-23T12:00:00.000Z", message: said };
  const escaped = JSON.stringify(line).replace("4711", String.raw`\\u0034711`);
  appendFileSync(source, `${JSON.stringify(line)}\n${escaped}\n`);
  const folder = temporaryFolder();
  const target = join(folder, "clean.jsonl");
  const { code, stdout, stderr } = await cli(["redact", source, "--text", "4711-0815", "-o", target]);
  expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/^redacted 2 texts of the host in /), ""]);
  expect(readFileSync(target, "utf8")).not.toMatch(/711-0815/);
  expect((await cli(["verify", target])).code).toBe(0);
  const copied = await cli(["copy", source, join(folder, "copy.jsonl"), "--redact", "4711-0815"]);
  expect(copied.stdout).toMatch(/^copied without 0 texts and 2 texts of the host to /);
  const database = `sqlite:${join(folder, "clean.db")}`;
  expect(await cli(["redact", source, "--text", "4711-0815", "-o", database])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/nothing in .* matches/),
  });
  expect(existsSync(join(folder, "clean.db"))).toBe(false);
});

test("a text that is also a name of the host's leaves a copy that the host can read, and says so", async () => {
  const source = await holding();
  const message = { role: "user", content: [{ type: "text", text: "no content" }] };
  const line = { type: "message", id: "h1", parentId: null, timestamp: "2026-11-23T12:00:00.000Z", message };
  appendFileSync(source, `${JSON.stringify(line)}\n`);
  const target = join(temporaryFolder(), "clean.jsonl");
  const { stdout } = await cli(["redact", source, "--text", "content", "-o", target]);
  expect(stdout).toMatch(
    /^redacted 1 text of the host in .*\nleft 1 place in the names of fields, ids, types and numbers /,
  );
  const content = [{ type: "text", text: "no [redacted 7 characters]" }];
  expect(values(bytesOf(target)).at(-1)).toEqual({ ...line, message: { role: "user", content } });
  const copied = await cli(["copy", source, `${target}.copy`, "--redact", "content"]);
  expect(copied.stdout).toMatch(/^copied without .*\nleft 1 place /);
  expect(await cli(["redact", source, "--text", "parentId", "-o", `${target}.none`])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("matches but names, ids and numbers that hold the host's lines together"),
  });
});

test("a text from standard input, a version, and a key of one's own", async () => {
  const source = await holding();
  const folder = temporaryFolder();
  const key = join(folder, "key");
  writeFileSync(key, "mine\n");
  const [one, two] = ["one.jsonl", "two.jsonl"].map((name) => join(folder, name)) as [string, string];
  const absent = await cli(["redact", source, "--text", "x", "-o", one, "--key-file", "no"]);
  expect([absent.code, absent.stderr]).toEqual([
    2,
    expect.stringContaining("the file of the key, no, cannot be read (ENOENT): check the path after --key-file"),
  ]);
  const argv = ["redact", source, "--text", "-", "-o", one, "--key-file", key, "--reason", "leaked", "--json"];
  const [done] = values((await cli(argv, { stdin: [`${secret}\n`] })).stdout);
  expect(done).toMatchObject({ texts: 1, versions: [2], version: 3 });
  expect(done).not.toHaveProperty("key");
  expect(bytesOf(one)).toContain('"reason":"leaked"');
  const ofVersion = await cli(["redact", source, "--version", "v1", "-o", two]);
  expect([ofVersion.code, readFileSync(two, "utf8").includes('"fine"')]).toEqual([0, false]);
});

test("a key of the digests is the same, whichever way an editor ends its line", async () => {
  const source = await holding();
  const folder = temporaryFolder();
  const digestsBy = async (name: string, text: string) => {
    const [key, target] = [join(folder, `${name}.key`), join(folder, `${name}.jsonl`)];
    writeFileSync(key, text);
    await cli(["redact", source, "--text", secret, "-o", target, "--key-file", key]);
    return /"digests":\[.*?\]/.exec(bytesOf(target))?.[0];
  };
  const plain = await digestsBy("plain", "mine");
  expect(plain).toBeDefined();
  expect(await digestsBy("lf", "mine\n")).toBe(plain);
  expect(await digestsBy("crlf", "mine\r\n")).toBe(plain);
});

test("what is asked wrongly writes nothing and says what to do", async () => {
  const source = await holding();
  const target = join(temporaryFolder(), "clean.jsonl");
  const said = async (...argv: string[]) => {
    const { code, stderr } = await cli(["redact", source, ...argv]);
    return `${code} ${stderr}`;
  };
  expect(await said("--text", "x")).toMatch(/^2 .*-o TARGET is missing/);
  expect(await said("-o", target)).toMatch(/^2 .*say what to remove/);
  expect(await said("-o", target, "--pattern", "(")).toMatch(/^2 .*--pattern: Invalid regular expression/);
  expect(await said("-o", target, "--version", "zero")).toMatch(/^2 .*--version takes a version/);
  expect(await said("-o", target, "--version", "9")).toMatch(/^2 .*version 9 is not in/);
  expect(await said("-o", target, "--text", "nowhere")).toMatch(/^2 .*nothing in .* matches/);
  expect(await said("-o", source, "--text", "fine")).toMatch(/^2 .*exists already/);
  const ofClaudeCode = [
    "redact",
    join(root, "fixtures/sessions/claude-code/1.0.98-todowrite.jsonl"),
    "--text",
    "a",
    "-o",
  ];
  const { code, stderr } = await cli([...ofClaudeCode, source]);
  expect(`${code} ${stderr}`).toMatch(/^2 .*already holds a journal at version 2: name a session that has none/);
});

test("copy says what it left out of a redacted copy, and the key of its digests", async () => {
  const source = await holding();
  appendFileSync(source, "no JSON\n");
  const { stdout } = await cli(["copy", source, join(temporaryFolder(), "copy.jsonl"), "--redact", "secrets"]);
  expect(stdout).toMatch(
    /^copied without .*\nkey of the digests, .*: [0-9a-f]{64}\nleft out 1 line that cannot be read/,
  );
});
