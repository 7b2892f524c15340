/** What is exported must be taken by others: CloudEvents by its own SDK, trajectories by the rules of their format. */
import fs from "node:fs";
import path from "node:path";
import { Ajv2019 } from "ajv/dist/2019.js";
import { CloudEvent } from "cloudevents";
import { expect, test } from "vitest";
import { writeNew } from "../../src/cli/target-file.ts";
import { exportVerb } from "../../src/cli/verbs/export.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { atif } from "./atif-schema.ts";
import { applied, cli, newSession, root, temporaryFolder } from "./cli.ts";

const isTrajectory = new Ajv2019({ allowUnionTypes: true }).compile(atif);

interface Step {
  readonly step_id: number;
  readonly source: string;
  readonly message: string;
  readonly tool_calls?: readonly { tool_call_id: string; arguments: Record<string, unknown> }[];
  readonly observation?: { results: readonly { source_call_id: string; content: string }[] };
}

async function exported(session: string, ...words: string[]) {
  const { stdout } = await cli(["export", session, "--format", "atif", ...words]);
  const trajectory = JSON.parse(stdout);
  expect(isTrajectory(trajectory), JSON.stringify(isTrajectory.errors)).toBe(true);
  const steps = trajectory.steps as Step[];
  // What the format demands besides its fields.
  expect(steps.map(({ step_id }) => step_id)).toEqual(steps.map((_, index) => index + 1));
  for (const { tool_calls: calls = [], observation } of steps)
    for (const { source_call_id: id } of observation?.results ?? [])
      expect(calls.map((call) => call.tool_call_id)).toContain(id);
  return { ...trajectory, steps } as {
    session_id: string;
    steps: Step[];
    extra: { session_journal: Record<string, unknown> };
  };
}

async function sample(): Promise<string> {
  const session = await applied(
    newSession(),
    { action: "set_plan", content: "- [>] one\n- [ ] two" },
    { action: "append_notes", content: "found 日本" },
  );
  await cli(["apply", session, '{"action":"refs.remove","ref":"absent.ts"}']);
  return applied(session, { action: "set_plan", content: "- [x] one\n- [>] two" });
}

test("-o - is standard output, as with report, and makes no file of that name", async () => {
  const session = await sample();
  expect((await exported(session, "-o", "-")).steps).toEqual((await exported(session)).steps);
  expect(fs.existsSync("-")).toBe(false);
});

test("the schema that exports are checked with refuses what the classes of the format refuse", () => {
  const call = { tool_call_id: "c", function_name: "scratchpad", arguments: {} };
  const trajectory = (step: object, others: object = {}) => ({
    schema_version: "ATIF-v1.7",
    agent: { name: "a", version: "1" },
    steps: [{ step_id: 1, source: "agent", message: "", tool_calls: [call], ...step }],
    ...others,
  });
  expect(isTrajectory(trajectory({ metrics: { prompt_tokens: 1 }, llm_call_count: 1 }))).toBe(true);
  for (const wrong of [
    trajectory({ note: "a field of nobody" }),
    trajectory({}, { steps: [] }),
    trajectory({}, { schema_version: "ATIF-v2.0" }),
    trajectory({}, { agent: { name: "a" } }),
    trajectory({ step_id: 0 }),
    trajectory({ source: "tool" }),
    trajectory({ source: "user" }),
    trajectory({ message: null }),
    trajectory({ message: [{ type: "image", source: { media_type: "image/bmp", path: "x" } }] }),
    trajectory({ timestamp: "yesterday" }),
    trajectory({ tool_calls: [{ ...call, arguments: "ls" }] }),
    trajectory({ observation: { results: [{ call_id: "c" }] } }),
    trajectory({ metrics: { prompt_tokens: 1.5 } }),
    trajectory({ metrics: {}, llm_call_count: 0 }),
  ])
    expect(isTrajectory(wrong), JSON.stringify(wrong)).toBe(false);
});

test("a trajectory has each action with what it came to, and the history of the plan in extra", async () => {
  const { steps, extra, session_id } = await exported(await sample());
  expect(session_id).toMatch(/^[0-9a-f-]{36}$/);
  const calls = steps.flatMap(({ tool_calls: made = [], observation }) =>
    made.map((call) => [call.arguments, observation?.results[0]?.content]),
  );
  expect(calls).toEqual([
    [{ action: "set_plan", content: "- [>] one\n- [ ] two" }, "plan set"],
    [{ action: "append_notes", content: "found 日本" }, "notes appended"],
    [{ action: "refs.remove", ref: "absent.ts" }, "rejected: not_found"],
    [{ action: "set_plan", content: "- [x] one\n- [>] two" }, "plan set"],
  ]);
  const { plan, head } = extra.session_journal as {
    plan: { version: number; steps: { status: string }[] }[];
    head: object;
  };
  expect(plan.map(({ version, steps: of }) => [version, ...of.map(({ status }) => status)])).toEqual([
    [1, "in_progress", "pending"],
    [4, "completed", "in_progress"],
  ]);
  expect(head).toMatchObject({ version: 4, hash: expect.stringMatching(/^[0-9a-f]{32}$/) });
});

test("a real session has what its user asked, turn by turn, and without it where that is not to be", async () => {
  const file = path.join(root, "fixtures", "sessions", "claude-code", "1.0.98-todowrite.jsonl");
  const asked = ({ steps }: { steps: Step[] }) =>
    steps.filter(({ source }) => source === "user").map(({ message }) => message);
  const whole = asked(await exported(file));
  expect(whole.length).toBeGreaterThan(0);
  expect(whole[0]).not.toBe("");
  expect(new Set(asked(await exported(file, "--no-prompts")))).toEqual(new Set([""]));
});

test("every event is a CloudEvent to its SDK, with an id of its own and in order", async () => {
  const { stdout } = await cli(["export", await sample(), "--format", "cloudevents"]);
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => new CloudEvent<Record<string, unknown>>(JSON.parse(line)));
  expect(events.map(({ type, subject }) => `${type} ${subject}`)).toEqual([
    "io.github.session-journal.plan.set plan",
    "io.github.session-journal.notes.appended notes",
    "io.github.session-journal.action.refused refs",
    "io.github.session-journal.plan.set plan",
  ]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(4);
  expect(events.map((event) => event["sequence"])).toEqual(events.map((event) => event["sequence"]).sort());
  expect(events[1]?.data).toMatchObject({
    version: 2,
    actor: "agent",
    event: { type: "notes.appended", text: "found 日本" },
  });
});

test("with --json a trajectory is one line, as every JSON value is", async () => {
  const argv = ["export", await sample(), "--format", "atif"];
  const { stdout } = await cli([...argv, "--json"]);
  expect(stdout.match(/\n/g)).toHaveLength(1);
  expect(JSON.parse(stdout)).toEqual(JSON.parse((await cli(argv)).stdout));
});

test("an empty journal is a trajectory, too, and no file is written over", async () => {
  const session = newSession();
  await (await openJournal(session)).close();
  expect((await exported(session)).steps).toEqual([{ step_id: 1, source: "system", message: "the journal is empty" }]);
  const target = path.join(temporaryFolder(), "t.json");
  expect((await cli(["export", session, "--format", "atif", "-o", target])).code).toBe(0);
  expect(isTrajectory(JSON.parse(fs.readFileSync(target, "utf8")))).toBe(true);
  expect((await cli(["export", session, "--format", "atif", "-o", target])).stderr).toContain("it exists already");
  expect((await cli(["export", session])).stderr).toContain("--format is missing");
});

test("what is written while a trajectory is exported is not in it, for its head does not cover it", async () => {
  const file = await applied(newSession(), { action: "set_plan", content: "- [ ] one" });
  let text = "";
  const call = {
    where: file,
    options: { text: (name: string) => (name === "format" ? "atif" : undefined), flag: () => false },
    open: () => openJournal(file, { readonly: true }),
    output: {
      exact: (piece: string) => (text += piece),
      each: async (pieces: AsyncIterable<string>, take: (piece: string) => void) => {
        for await (const piece of pieces) {
          if (text === "") await applied(file, { action: "set_plan", content: "- [x] one" });
          take(piece);
        }
      },
    },
  };
  await exportVerb.run(call as unknown as Parameters<typeof exportVerb.run>[0]);
  const { steps, extra } = JSON.parse(text) as {
    steps: { extra: { version: number } }[];
    extra: { session_journal: { head: { version: number } } };
  };
  expect(steps.map((step) => step.extra.version)).toEqual([1]);
  expect(extra.session_journal.head.version).toBe(1);
});

test("an export has its name once it is whole, so that one that is killed is not taken for a whole one", async () => {
  const folder = temporaryFolder();
  const target = path.join(folder, "events.ndjson");
  const seen: boolean[] = [];
  const pieces = async function* () {
    for (const piece of ["one\n", "two\n"]) {
      seen.push(fs.existsSync(target));
      yield piece;
    }
  };
  await writeNew(target, pieces());
  expect([seen, fs.readFileSync(target, "utf8"), fs.readdirSync(folder)]).toEqual([
    [false, false],
    "one\ntwo\n",
    ["events.ndjson"],
  ]);
  await expect(writeNew(target, pieces())).rejects.toThrow("it exists already");
  expect(fs.readdirSync(folder)).toEqual(["events.ndjson"]);
});

test("a time that another runtime wrote in its own way is one that others take", async () => {
  const session = newSession();
  const line = (id: string, timestamp: string) =>
    ({ type: "custom", customType: "openclaw:scratchpad:notes", data: id, id, parentId: null, timestamp }) as const;
  const header = { type: "session", version: 3, id: "odd", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" };
  const lines = [
    header,
    line("a", "2026-03-09"),
    line("b", "9 Mar 2026 10:00 UTC"),
    line("c", "2026-03-09T10:00:00+02:00"),
    line("d", "2026-02-30T10:00:00Z"),
    line("e", "2026-03-09T24:00:00Z"),
  ];
  fs.writeFileSync(session, lines.map((each) => `${JSON.stringify(each)}\n`).join(""));
  const times = [
    ...["2026-03-09T00:00:00.000Z", "2026-03-09T10:00:00.000Z", "2026-03-09T10:00:00+02:00"],
    ...["2026-03-02T10:00:00.000Z", "2026-03-10T00:00:00.000Z"],
  ];
  const { stdout } = await cli(["export", session, "--format", "cloudevents"]);
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text));
  for (const event of events) expect(new CloudEvent(event).validate()).toBe(true);
  expect(events.map(({ time }) => time)).toEqual(times);
  expect((await exported(session)).steps).toMatchObject(times.map((timestamp) => ({ timestamp })));
});
