/** A signature that a forger could get past would be worse than none. */
import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applied, cli, newSession, temporaryFolder } from "./cli.ts";

interface Keys {
  readonly folder: string;
  readonly key: string;
  readonly pub: string;
}

function keys(type: "ed25519" | "ed448" = "ed25519"): Keys {
  const folder = temporaryFolder();
  const { privateKey, publicKey } = generateKeyPairSync(type as "ed25519");
  const [key, pub] = [join(folder, "head.key"), join(folder, "head.pub")];
  writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(pub, publicKey.export({ type: "spki", format: "pem" }));
  return { folder, key, pub };
}

/** Exit code, and what is wrong. */
async function faults(...argv: string[]): Promise<string> {
  const { code, stdout } = await cli(["verify", ...argv, "--json"]);
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly { kind: string; detail: string }[] };
  return [code, ...findings.map(({ kind, detail }) => `${kind}: ${detail}`)].join("\n");
}

const set = (content: string) => ({ action: "set_notes", content });

async function signed({ folder, key }: Keys, session: string): Promise<string> {
  const { stdout, code, stderr } = await cli(["head", session, "--sign", key, "-o", "-"]);
  expect([code, stderr]).toEqual([0, ""]);
  const file = join(folder, "head.json");
  writeFileSync(file, stdout);
  return file;
}

test("a signed head holds while the journal grows, and names its key", async () => {
  const own = keys();
  const session = await applied(newSession(), set("one"));
  const file = await signed(own, session);
  await applied(session, set("two"));
  const { code, stdout } = await cli(["verify", session, "--signed", file, "--public-key", own.pub]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/no damage[\s\S]*signed: v1 at \S+Z by SHA256:[\w+/]{43}\n$/),
  ]);
});

test("what was changed or cut before it is found", async () => {
  const own = keys();
  const session = await applied(newSession(), set("one"), set("two"));
  const file = await signed(own, session);
  const lines = readFileSync(session, "utf8").split("\n");
  writeFileSync(session, `${lines.slice(0, 3).join("\n")}\n`);
  expect(await faults(session, "--signed", file)).toMatch(/^1\nhead: version 2 is not in this file/);
});

test.each([
  ["another hash", (text: string) => text.replace(/"hash":"./, '"hash":"z'), "its signature does not fit its content"],
  [
    "another version",
    (text: string) => text.replace('"version":1', '"version":0'),
    "its signature does not fit its content",
  ],
  [
    "another time",
    (text: string) => text.replace(/"signedAt":"2/, '"signedAt":"3'),
    "its signature does not fit its content",
  ],
  [
    "no key",
    (text: string) => text.replace(/"publicKey":"[^"]*"/, '"publicKey":"AAAA"'),
    "its public key is not an Ed25519 key",
  ],
])("a signed head that says %s proves nothing", async (_, forge, fault) => {
  const session = await applied(newSession(), set("one"));
  const file = await signed(keys(), session);
  writeFileSync(file, forge(readFileSync(file, "utf8")));
  expect(await faults(session, "--signed", file)).toBe(`1\nhead: the signed head in ${file} proves nothing: ${fault}`);
});

test("one that a forger signed, and one of another session", async () => {
  const [own, forger] = [keys(), keys()];
  const session = await applied(newSession(), set("one"));
  const forged = await signed(forger, session);
  const found = await faults(session, "--signed", forged, "--public-key", own.pub);
  expect(found).toMatch(/^1\n.* proves nothing: it was signed by another key, SHA256:/);
  const other = await signed(own, await applied(newSession(), set("one")));
  expect(await faults(session, "--signed", other)).toMatch(/^1\n.*\n?.*the signed head is of session/);
});

test("OpenSSL makes the keys and checks the signature", async () => {
  const folder = temporaryFolder();
  const [key, pub] = [join(folder, "k"), join(folder, "p")];
  expect(spawnSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", key]).status).toBe(0);
  expect(spawnSync("openssl", ["pkey", "-in", key, "-pubout", "-out", pub]).status).toBe(0);
  const session = await applied(newSession(), set("one"));
  const {
    publicKey: _,
    signature,
    ...head
  } = JSON.parse(readFileSync(await signed({ folder, key, pub }, session), "utf8"));
  const sorted = Object.fromEntries(Object.entries(head).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(join(folder, "message"), JSON.stringify(sorted));
  writeFileSync(join(folder, "signature"), Buffer.from(signature, "base64"));
  const argv = ["pkeyutl", "-verify", "-pubin", "-inkey", pub, "-rawin", "-in", "message", "-sigfile", "signature"];
  expect(spawnSync("openssl", argv, { cwd: folder, encoding: "utf8" }).stdout).toContain("Verified Successfully");
});

test("a key that needs a passphrase is told from what is no key", async () => {
  const session = await applied(newSession(), set("one"));
  const { key, folder } = keys("ed25519");
  const argv = ["pkey", "-in", key, "-aes256", "-passout", "pass:secret", "-out", "encrypted.key"];
  expect(spawnSync("openssl", argv, { cwd: folder }).status).toBe(0);
  const { code, stderr } = await cli(["head", session, "--sign", join(folder, "encrypted.key")]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/encrypted\.key is encrypted, .*openssl pkey -in/)]);
});

test("what is asked wrongly says what to do", async () => {
  const session = await applied(newSession(), set("one"));
  const { key, pub, folder } = keys("ed448");
  const said = async (...argv: string[]) => {
    const { code, stderr } = await cli(argv);
    return `${code} ${stderr}`;
  };
  expect(await said("head", session, "--sign", key)).toMatch(/^2 .*no private Ed25519 key in PEM: openssl genpkey/);
  expect(await said("head", session, "--sign", join(folder, "none"))).toMatch(/^2 .*cannot read .*ENOENT/);
  expect(await said("verify", session, "--signed", pub)).toMatch(/^2 .*is not a signed head: session-journal head/);
  expect(await said("verify", session, "--public-key", pub)).toMatch(/^2 .*belongs to --signed/);
  writeFileSync(session, readFileSync(session, "utf8").replace('"one"', '"two"'));
  expect(await said("head", session, "--sign", keys().key)).toMatch(/damaged, and was not signed/);
});
