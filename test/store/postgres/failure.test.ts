import { expect, test } from "vitest";
import { Failure, failureAt } from "../../../src/store/postgres/failure.ts";

test("an id that no index takes is not blamed on the address or the rights of the user", () => {
  const cause = { message: "index row requires 10328 bytes, maximum size is 8191", severity: "ERROR", code: "54000" };
  const failure = failureAt("postgres://db/journals#s", new Failure(cause, true), "not-written", 1000);
  expect(failure).toMatchObject({ code: "storage", fate: "not-written" });
  expect(failure.message).toMatch(/the session's id is too long .* fork the session into one with a shorter id/);
});
