import { expect, test } from "vitest";
import { Failure, failureAt } from "../../../src/store/postgres/failure.ts";

test("an id that no index takes is not blamed on the address or the rights of the user", () => {
  const cause = { message: "index row requires 10328 bytes, maximum size is 8191", severity: "ERROR", code: "54000" };
  const failure = failureAt("postgres://db/journals#s", new Failure(cause, true), "not-written", 1000);
  expect(failure).toMatchObject({ code: "storage", fate: "not-written" });
  expect(failure.message).toMatch(/the session's id is too long .* fork the session into one with a shorter id/);
});

test.each([
  { told: "an error", severity: "ERROR", code: "53100", fate: "not-written" },
  { told: "an error in German", severity: "FEHLER", code: "23514", fate: "not-written" },
  { told: "a lock in French", severity: "ERREUR", code: "55P03", fate: "not-written" },
  { told: "the end of the server", severity: "FATAL", code: "57P01", fate: "unknown" },
  { told: "the end of the server in Russian", severity: "ВАЖНО", code: "57P01", fate: "unknown" },
  { told: "a panic in German", severity: "PANIK", code: "58030", fate: "unknown" },
  { told: "a time limit of a transaction in Japanese", severity: "致命的エラー", code: "25P03", fate: "unknown" },
  { told: "a lost connection", severity: undefined, code: "ECONNRESET", fate: "unknown" },
] as const)(
  "what became of what was sent is told in every language of the server: $told, $fate",
  ({ severity, code, fate }) => {
    expect(new Failure({ message: "no", severity, code }, true).fate).toBe(fate);
    expect(new Failure({ message: "no", severity, code }, false).fate).toBe("not-written");
  },
);
