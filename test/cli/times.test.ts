import { describe, expect, onTestFinished, test, vi } from "vitest";
import { boundOf, pointOf } from "../../src/cli/moments.ts";
import { cli, fixture, json } from "./cli.ts";

const now = new Date("2026-03-10T12:00:00.000Z");
const versions = async (...argv: string[]) =>
  ((await json("log", fixture, ...argv)) as { version: number }[]).map(({ version }) => version);

test.each([
  ["yesterday", "2026-03-09T23:59:59.999Z"],
  ["today", "2026-03-10T23:59:59.999Z"],
  ["now", "2026-03-10T12:00:00.000Z"],
  ["2 hours ago", "2026-03-10T10:00:00.000Z"],
  ["1 week ago", "2026-03-03T12:00:00.000Z"],
  ["2026-03-09", "2026-03-09T23:59:59.999Z"],
  ["2026-03-09 13:10", "2026-03-09T13:10:00.000Z"],
  ["2026-03-09 13:10:05Z", "2026-03-09T13:10:05.000Z"],
  ["v7", "v7"],
  ["t4", "t4"],
])("the point %j is %s", (text, point) => {
  expect(pointOf(text, now)).toBe(point);
});

test("a time with parts of a second bounds a span as it is printed, also where its zone was left out", () => {
  const at = Date.parse("2026-03-09T13:10:05.250Z");
  const times = [
    "2026-03-09T13:10:05.250",
    "2026-03-09 13:10:05.250",
    "2026-03-09T13:10:05.250123",
    "2026-03-09T13:10:05.250Z",
  ];
  expect(times.map((text) => boundOf("since", text, now))).toEqual([at, at, at, at]);
});

test("since a day is from its beginning, until a day to its end", () => {
  expect(boundOf("since", "yesterday", now)).toBe(Date.parse("2026-03-09T00:00:00Z"));
  expect(boundOf("until", "yesterday", now)).toBe(Date.parse("2026-03-09T23:59:59.999Z"));
  expect(boundOf("since", "2026-03-09T13:10:00+02:00", now)).toBe(Date.parse("2026-03-09T11:10:00Z"));
  for (const text of ["tomorrowish", "2026-02-30", "2026-02-30T10:00:00Z", "2026-03-09T13", "v7"])
    expect(() => boundOf("since", text, now)).toThrow("--since takes");
});

test("a time without a zone is in UTC, wherever the command runs", () => {
  vi.stubEnv("TZ", "America/Sao_Paulo");
  onTestFinished(() => void vi.unstubAllEnvs());
  const times = ["2026-03-09 13:10:05", "2026-03-09T13:10:05", "2026-03-09T13:10:05Z"];
  const utc = Date.parse("2026-03-09T13:10:05Z");
  expect(new Date(utc).getHours()).toBe(10);
  expect(times.map((text) => boundOf("since", text, now))).toEqual([utc, utc, utc]);
});

describe("log", () => {
  test("--since and --until cut a part out of the history", async () => {
    expect(await versions("--since", "2026-03-09 13:10")).toEqual([7, 8, 9, 10, 11, 12, 13]);
    expect(await versions("--until", "2026-03-09 13:06:06")).toEqual([1, 2, 3]);
    expect(await versions("--since", "2026-03-09", "--until", "2026-03-09")).toHaveLength(13);
    expect(await versions("--until", "2026-03-08")).toEqual([]);
  });

  test("-n takes the newest, --reverse begins with them", async () => {
    expect(await versions("-n", "3")).toEqual([11, 12, 13]);
    expect(await versions("-n", "3", "--reverse")).toEqual([13, 12, 11]);
    expect(await versions("-n", "0")).toEqual([]);
    expect(await versions("--space", "notes", "-n", "99")).toEqual([1, 2, 5, 9, 10]);
  });

  test("--oneline is the version, what happened and what is new", async () => {
    const { stdout } = await cli(["log", fixture, "--oneline", "-n", "1"]);
    expect(stdout).toBe("v13  refs set  + CHANGELOG.md ↵ commit b7740aa\n");
  });
});

test("a spoken time is a point wherever one is", async () => {
  expect((await cli(["show", fixture, "--at", "2026-03-09 13:10"])).stdout).toContain("v6 · turn 3");
  expect(await json("diff", fixture, "2026-03-09 13:10", "yesterday")).toMatchObject([{ from: 6, to: 13 }]);
});
