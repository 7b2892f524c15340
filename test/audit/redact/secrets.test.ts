/** Made when the test runs, so that no scanner takes this file for a leak. */
import { describe, expect, test } from "vitest";
import { findSecrets, secretKinds } from "../../../src/audit/redact/secrets.ts";

const letters = "aB3dE5gH7jK9mN2pQ4rS6tU8vW1xY0zZcFiLoRuXbAeDhGkJnMqPsVyTwCfIlOaB3dE5gH7jK9mN2pQ4rS6tU8v";
const hex = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0";
const take = (count: number, from = letters): string => from.repeat(3).slice(0, count);
const only = (count: number, pattern: RegExp): string => take(400).replace(pattern, "").slice(0, count);
const upper = (count: number): string =>
  only(400, /[^a-zA-Z2-7]/g)
    .toUpperCase()
    .slice(0, count);
const words = (...parts: string[]): string => parts.join("");
const pem = (kind: string, body: string): string =>
  [words("-----BEGIN ", kind, "PRIVATE KEY-----"), body, words("-----END ", kind, "PRIVATE KEY-----")].join("\n");

const trueOnes: readonly (readonly [string, string])[] = [
  ["private key", pem("", `${take(64)}\n${take(20)}`)],
  ["private key", pem("RSA ", take(64))],
  ["private key", pem("OPENSSH ", take(64)).replaceAll("\n", "\\n")],
  ["AWS access key", words("AK", "IA", upper(16))],
  ["AWS secret key", words("aws_secret_access_key = ", take(40))],
  ["GitHub token", words("gh", "p_", take(36))],
  ["GitHub token", words("gh", "s_", take(36))],
  ["GitHub token", words("github", "_pat_", take(22), "_", take(59))],
  ["GitLab token", words("gl", "pat-", take(20))],
  ["Anthropic key", words("sk-", "ant-", "api03-", take(93))],
  ["OpenAI key", words("sk-", "proj-", take(80))],
  ["OpenAI key", words("sk-", take(48))],
  ["OpenRouter key", words("sk-", "or-v1-", hex)],
  ["Google key", words("AI", "za", take(35))],
  ["Google client secret", words("GOC", "SPX-", take(28))],
  ["Slack token", words("xo", "xb-", "230498230948-230948230948-", take(24))],
  ["Slack webhook", words("https://hooks.", "slack.com/services/T02ABCDEF/B02ABCDEF/", take(24))],
  ["Stripe key", words("sk_", "live_", take(24))],
  ["npm token", words("np", "m_", take(36))],
  ["PyPI token", words("py", "pi-AgE", take(80))],
  ["Hugging Face token", words("h", "f_", only(34, /\d/g))],
  ["SendGrid key", words("S", "G.", take(22), ".", take(43))],
  ["DigitalOcean token", words("do", "p_v1_", hex)],
  ["Telegram token", words("7293847561", ":AA", take(33))],
  ["Azure storage key", words("Account", "Key=", take(86), "==")],
  ["JSON web token", words("ey", "J", take(30), ".ey", "J", take(60), ".", take(43))],
  ["bearer token", words("Authorization: Bearer ", take(40))],
  ["password in a URL", words("postgres://app:", take(12), "@db.internal:5432/app")],
];

const falseOnes: readonly string[] = [
  `a commit 0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c, and SHA-256 ${hex}`,
  "6f1d2c3b-0000-4000-8000-000000000002",
  words("AK", "IA", "IOSFODNN7EXAMPLE"),
  words("gh", "p_", "x".repeat(36)),
  words("gh", "p_", take(12)),
  words("sk-", "ant-", "..."),
  words("sk-", "proj-", "your-key-goes-here-and-it-is-a-long-placeholder"),
  "sk-learn, risk-management-and-other-words-that-are-quite-long-in-fact-very-long",
  words("Authorization: Bearer $", "{TOKEN_OF_THE_SERVICE_AND_MORE}"),
  "Authorization: Bearer <the token from the vault>",
  "the bearer of this certificate",
  "postgres://user:password@localhost/db",
  "https://example.com:8080/path@version",
  "ssh://git@github.com:22/a/b",
  "npm_config_registry, npm_package_version_of_something_very_long_in_deed",
  "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQ\n-----END PUBLIC KEY-----",
  "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
  "eyJhbGciOiJIUzI1NiJ9 is the head of a token",
  "meet at 12:30, AA batteries; hf_transfer; SG.1",
  "[redacted 40 characters]",
];

test.each(trueOnes)("%s", (kind, text) => {
  for (const around of [text, `key="${text}"`, `see:\n${text}\nand go on`, `(${text}).`]) {
    const [found, ...others] = findSecrets(around);
    expect(found?.kind).toBe(kind);
    expect(others.filter(({ start, end }) => start < (found?.start ?? 0) || end > (found?.end ?? 0))).toEqual([]);
    expect(text).toContain(around.slice(found?.start, found?.end));
  }
});

test.each(falseOnes)("none in %s", (text) => {
  expect(findSecrets(text)).toEqual([]);
});

test("every kind has one in the corpus", () => {
  expect(secretKinds.filter((name) => trueOnes.every(([kind]) => kind !== name))).toEqual([]);
});

describe("texts that could make a pattern slow", () => {
  test.each([
    ["-", words("-----BEGIN PRIVATE KEY-----", "-".repeat(200_000))],
    ["the beginning of a key many times", words("-----BEGIN ", "PRIVATE KEY-----\n").repeat(3000)],
    ["tokens that never end", `eyJ${"a".repeat(20_000)}.eyJ${"b".repeat(100_000)}`],
    ["colons", `a://${"b:".repeat(50_000)}`],
    ["blanks", `bearer${" ".repeat(100_000)}`],
  ])("%s", (_, text) => {
    expect(findSecrets(text).length).toBeLessThan(3001);
  });
});
