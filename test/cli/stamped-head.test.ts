/** A time stamp is believed only where a server that is trusted stamped this history: against OpenSSL's own server. */
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import fs from "node:fs";
import { createServer, type Server } from "node:http";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applied, cli, newSession } from "./cli.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-stamps-"));
const inFolder = (name: string): string => path.join(folder, name);

function openssl(...words: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync("openssl", words, { cwd: folder, encoding: "utf8" });
}

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

function makeAuthority(name: string): void {
  openssl("req", "-x509", ...newKey, "-keyout", `${name}-ca.key`, "-out", `${name}-ca.pem`, "-subj", `/CN=${name} CA`);
  openssl("req", ...newKey, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
  fs.writeFileSync(inFolder("purpose"), "extendedKeyUsage=critical,timeStamping\n");
  const ca = ["-CA", `${name}-ca.pem`, "-CAkey", `${name}-ca.key`, "-CAcreateserial"];
  openssl("x509", "-req", "-in", `${name}.csr`, ...ca, "-out", `${name}.pem`, "-extfile", "purpose");
}

/** What the server does with the next query. */
let answering: (query: Buffer) => Buffer | number;
let asked = 0;
let server: Server;
let url = "";

function stampedBy(name: string) {
  return (query: Buffer): Buffer => {
    asked += 1;
    fs.writeFileSync(inFolder("query"), query);
    const { status, stderr } = openssl(
      "ts",
      "-reply",
      "-config",
      "ts.cnf",
      "-queryfile",
      "query",
      "-signer",
      `${name}.pem`,
      "-inkey",
      `${name}.key`,
      "-out",
      "reply",
    );
    if (status !== 0) throw new Error(stderr);
    return fs.readFileSync(inFolder("reply"));
  };
}

beforeAll(async () => {
  makeAuthority("tsa");
  makeAuthority("other");
  const settings = [
    "serial = serial",
    "default_policy = 1.2.3.4.1",
    "digests = sha256",
    "signer_digest = sha256",
    "ess_cert_id_alg = sha256",
  ];
  fs.writeFileSync(inFolder("ts.cnf"), `[tsa]\ndefault_tsa = own\n[own]\n${settings.join("\n")}\n`);
  fs.writeFileSync(inFolder("serial"), "01");
  server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const answer = answering(Buffer.concat(pieces));
    // Who is sent on is sent here.
    const headers = { "content-type": "application/timestamp-reply", location: url };
    response.writeHead(typeof answer === "number" ? answer : 200, headers);
    response.end(typeof answer === "number" ? undefined : answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
});
afterAll(() => {
  server.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

let files = 0;

async function stamped(session: string, by = "tsa"): Promise<string> {
  answering = stampedBy(by);
  const file = inFolder(`stamp-${++files}.json`);
  expect(await cli(["head", session, "--timestamp", url, "-o", file])).toEqual({ code: 0, stdout: "", stderr: "" });
  return file;
}

async function verified(...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(["verify", ...argv]);
  return `${code} ${stdout}${stderr}`;
}

const set = (content: string) => ({ action: "set_notes", content });

test("a stamp holds as long as nothing up to its head has changed, and OpenSSL agrees", async () => {
  const session = await applied(newSession(), set("one"));
  const file = await stamped(session);
  await applied(session, set("two"));
  const ca = ["--ca", inFolder("tsa-ca.pem")];
  expect(await verified(session, "--timestamp", file, ...ca)).toMatch(
    /^0 OK[\s\S]*stamped: v1 at 20\d\d-\S+Z by CN=tsa \(SHA256 [0-9a-f]{64}\)\n$/,
  );
  expect(await verified(session, "--timestamp", file)).toMatch(
    /^0 [\s\S]*who that is was not checked: --ca FILE does\n$/,
  );
  const { type, session: id, version, hash, timestamp } = JSON.parse(fs.readFileSync(file, "utf8"));
  fs.writeFileSync(inFolder("message"), JSON.stringify({ hash, session: id, type, version }));
  fs.writeFileSync(inFolder("answer"), Buffer.from(timestamp, "base64"));
  expect(openssl("ts", "-verify", "-data", "message", "-in", "answer", "-CAfile", "tsa-ca.pem").stdout).toContain("OK");
  fs.writeFileSync(session, fs.readFileSync(session, "utf8").replace('"one"', '"1"'));
  expect(await verified(session, "--timestamp", file, ...ca)).toMatch(/^1 DAMAGED/);
});

test("a signer that was revoked stamps nothing, as OpenSSL says of the kept answer", async () => {
  const session = await applied(newSession(), set("one"));
  const file = await stamped(session);
  const { timestamp, ...head } = JSON.parse(fs.readFileSync(file, "utf8"));
  const { type, session: id, version, hash } = head;
  fs.writeFileSync(inFolder("message"), JSON.stringify({ hash, session: id, type, version }));
  fs.writeFileSync(inFolder("answer"), Buffer.from(timestamp, "base64"));
  fs.writeFileSync(
    inFolder("ca.cnf"),
    "[ca]\ndefault_ca = own\n[own]\ndatabase = index\ndefault_md = sha256\ndefault_crl_days = 9\n",
  );
  const listed = (revoked: string, by = "tsa"): void => {
    fs.writeFileSync(inFolder("index"), revoked);
    openssl(
      "ca",
      "-config",
      "ca.cnf",
      "-keyfile",
      `${by}-ca.key`,
      "-cert",
      `${by}-ca.pem`,
      "-gencrl",
      "-out",
      "list.pem",
    );
  };
  const ours = (ca = "tsa-ca.pem"): Promise<string> =>
    verified(session, "--timestamp", file, "--ca", inFolder(ca), "--crl", inFolder("list.pem"));
  const theirs = (): number | null => {
    fs.writeFileSync(
      inFolder("both.pem"),
      ["tsa-ca.pem", "list.pem"].map((name) => fs.readFileSync(inFolder(name), "utf8")).join(""),
    );
    return openssl("ts", "-verify", "-data", "message", "-in", "answer", "-CAfile", "both.pem", "-crl_check").status;
  };
  const serial = openssl("x509", "-in", "tsa.pem", "-noout", "-serial").stdout.trim().replace("serial=", "");
  const row = (day: string, reason: string): string =>
    `R\t350101000000Z\t${day}000000Z${reason}\t${serial}\tunknown\t/CN=tsa\n`;
  listed("");
  expect([theirs(), await ours()]).toEqual([0, expect.stringMatching(/^0 [\s\S]*stamped: v1 .* by CN=tsa/)]);
  expect(await ours("tsa.pem")).toMatch(/^1 [\s\S]*(is trusted itself|does not lead to)/);
  listed(row("260101", ""));
  expect([theirs(), await ours()]).toEqual([1, expect.stringMatching(/^1 [\s\S]*was revoked on 2026-01-01T00:00:00/)]);
  // OpenSSL knows the time of the check alone; RFC 3161 looks at the time of the stamp, and at the reason.
  listed(row("340101", ",superseded"));
  expect(await ours()).toMatch(/^0 /);
  listed(row("340101", ",keyCompromise"));
  expect(await ours()).toMatch(/^1 [\s\S]*leaves no stamp of its key good/);
  listed(row("340101", ""));
  expect(await ours()).toMatch(/^1 [\s\S]*leaves no stamp of its key good/);
  listed("", "other");
  expect([theirs(), await ours()]).toEqual([1, expect.stringMatching(/^1 [\s\S]*--crl has no list/)]);
  fs.writeFileSync(inFolder("list.pem"), "no list");
  expect(await ours()).toMatch(/^2 .*has no list of revoked certificates in PEM/);
  expect(await verified(session, "--timestamp", file, "--crl", inFolder("list.pem"))).toMatch(/^2 .*belongs to --ca/);
});

test("a query is sent on with its content where the server has moved", async () => {
  const session = await applied(newSession(), set("one"));
  const stampedHere = stampedBy("tsa");
  answering = () => {
    answering = stampedHere;
    return 307;
  };
  const file = inFolder("moved.json");
  expect((await cli(["head", session, "--timestamp", url, "-o", file])).stderr).toBe("");
  expect(await verified(session, "--timestamp", file, "--ca", inFolder("tsa-ca.pem"))).toMatch(/^0 /);
});

test("a file of certificates that holds none is a slip, and no damage of the session", async () => {
  const session = await applied(newSession(), set("one"));
  const file = await stamped(session);
  const pem = fs.readFileSync(inFolder("tsa-ca.pem"), "utf8");
  fs.writeFileSync(inFolder("slip"), Buffer.from(pem.split("-----")[2] ?? "", "base64"));
  const checked = () => verified(session, "--timestamp", file, "--ca", inFolder("slip"));
  expect(await checked()).toMatch(/^2 .*slip has no certificate in PEM: openssl x509 -inform DER/);
  fs.writeFileSync(inFolder("slip"), pem.replace(/\nMI/, "\n!!"));
  expect(await checked()).toMatch(/^2 .*--ca has something that is no certificate/);
});

test("a stamp of another head, another session or another server is damage", async () => {
  const session = await applied(newSession(), set("one"));
  const file = await stamped(session);
  const ca = ["--ca", inFolder("tsa-ca.pem")];
  const changed = (change: object): string => {
    const other = inFolder(`changed-${++files}.json`);
    fs.writeFileSync(other, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, "utf8")), ...change }));
    return other;
  };
  expect(await verified(session, "--timestamp", changed({ version: 2 }), ...ca)).toMatch(
    /^1 [\s\S]*time stamp of something else/,
  );
  const mine = Buffer.from(JSON.parse(fs.readFileSync(file, "utf8")).timestamp, "base64");
  mine.writeUInt8(mine.readUInt8(mine.length - 1) ^ 1, mine.length - 1);
  expect(await verified(session, "--timestamp", changed({ timestamp: mine.toString("base64") }), ...ca)).toMatch(
    /^1 [\s\S]*proves nothing/,
  );
  expect(await verified(session, "--timestamp", file, "--ca", inFolder("other-ca.pem"))).toMatch(
    /^1 [\s\S]*does not lead to a certificate that is trusted/,
  );
  const another = await applied(newSession(), set("one"));
  expect(await verified(another, "--timestamp", file, ...ca)).toMatch(/^1 [\s\S]*the stamped head is of session/);
});

test("what a server gives instead is told, and nothing is kept", async () => {
  const session = await applied(newSession(), set("one"));
  const target = inFolder("none.json");
  const said = async (answer: typeof answering, ...argv: string[]) => {
    answering = answer;
    const { code, stderr } = await cli([
      "head",
      session,
      ...(argv.length > 0 ? argv : ["--timestamp", url, "-o", target]),
    ]);
    return `${code} ${stderr}`;
  };
  const replayed = fs.readFileSync(inFolder("reply"));
  expect(await said(() => replayed)).toMatch(/^2 .*(something else|nonce)/);
  expect(await said(() => 503)).toMatch(/^2 .*HTTP 503/);
  expect(await said(() => Buffer.from("<html>"))).toMatch(/^2 .*not an answer of a time stamp server/);
  expect(await said(() => 0, "--timestamp", "freetsa.org")).toMatch(/^2 .*takes the address of a server/);
  expect(await said(() => 0, "--timestamp", "http://127.0.0.1:1/")).toMatch(/^2 .*gave no time stamp/);
  expect(await said(() => 0, "-o", target)).toMatch(/^2 .*belongs to --sign or --timestamp/);
  expect(fs.existsSync(target)).toBe(false);
  fs.writeFileSync(target, "mine");
  expect(await said(stampedBy("tsa"))).toMatch(/^2 .*it exists already/);
  expect(fs.readFileSync(target, "utf8")).toBe("mine");
  expect(asked).toBeGreaterThan(0);
  expect(await verified(session, "--ca", target)).toMatch(/^2 .*--ca belongs to --timestamp/);
});
