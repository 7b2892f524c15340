/** The lines are made here, as pi's todo extension and its plan mode write them. */
import { expect, test } from "vitest";
import { pi } from "../../src/lens/pi.ts";
import { summary, type Told, tell } from "./lens-run.ts";
import { MadePi } from "./pi-made.ts";

function read(session: MadePi): Told {
  const told = tell(pi, session.lines);
  const every = tell(pi, session.lines, { every: true });
  expect([every.events, every.markers, every.turns]).toEqual([told.events, told.markers, told.turns]);
  return told;
}

test("the todo extension's list is the plan, and its refusals are refused", () => {
  const session = new MadePi();
  session.said("go");
  session.todo("add", [[1, "a", false]]);
  session.todo("add", [
    [1, "a", false],
    [2, "b", false],
  ]);
  session.result("bash", {});
  session.todo("toggle", [
    [1, "a", true],
    [2, "b", false],
  ]);
  session.todo(
    "toggle",
    [
      [1, "a", true],
      [2, "b", false],
    ],
    "#9 not found",
  );
  session.todo("list", [
    [1, "a", true],
    [2, "b", false],
  ]);
  session.said("on");
  session.todo("clear", []);
  const told = read(session);
  expect(summary(told)).toEqual([
    "t1 pi plan.set - [ ] #1 a",
    "t1 pi plan.set - [ ] #1 a | - [ ] #2 b",
    "t1 pi plan.set - [x] #1 a | - [ ] #2 b",
    "t1 pi action.refused",
    "t2 pi plan.set ",
  ]);
  expect(told.facts).toMatchObject({ session: "s", cwd: "/home/dev/project", repetitions: { seen: 1, equal: 1 } });
  expect(told.events.map((event) => event.calls)).toEqual([0, 0, 1, 1, 1]);
});

test("the plan mode's list is the plan, and its execution an approval", () => {
  const session = new MadePi();
  session.said("plan it");
  session.planMode({ enabled: true, todos: [{ step: 1, text: "a", completed: false }], executing: false });
  session.planMode({ enabled: false, todos: [{ step: 1, text: "a", completed: false }], executing: true });
  session.planMode({ enabled: false, todos: [{ step: 1, text: "a", completed: true }], executing: true });
  const told = read(session);
  expect(summary(told)).toEqual(["t1 pi plan.set - [ ] a", "t1 pi plan.set - [x] a"]);
  expect(told.markers).toMatchObject([{ marker: "plan approved" }]);
});

test("a compaction on a branch that was left is not in the history; another model than before is", () => {
  const session = new MadePi();
  session.entry("model_change", { provider: "p", modelId: "one" });
  session.said("go");
  session.todo("add", [[1, "a", false]]);
  const kept = session.tip;
  session.entry("compaction", { summary: "wrong", firstKeptEntryId: kept, tokensBefore: 9 });
  session.said("wrong way");
  session.tip = kept;
  session.said("another way");
  session.entry("compaction", { summary: "right", firstKeptEntryId: kept, tokensBefore: 9 });
  session.said("go on");
  for (const modelId of ["one", "two"]) session.entry("model_change", { provider: "p", modelId });
  const { markers, facts } = read(session);
  expect(markers.map(({ marker, line, detail }) => [marker, line, detail]).slice(1)).toEqual([
    ["compaction", 9, ""],
    ["model", 12, "two"],
  ]);
  expect([markers[0]?.marker, markers[0]?.line, facts.models]).toEqual(["branch", 8, ["one", "two"]]);
});

test("a compaction that was left behind before anybody spoke is not in the history", () => {
  const session = new MadePi();
  session.said("go");
  session.todo("add", [[1, "a", false]]);
  const kept = session.tip;
  session.entry("compaction", { summary: "too short", firstKeptEntryId: kept, tokensBefore: 9 });
  session.tip = kept;
  session.said("go on without it");
  const { events, markers } = read(session);
  expect([events.length, markers.map(({ marker, line }) => [marker, line])]).toEqual([1, [["branch", 6]]]);
});

test("a branch that was left is not in the history", () => {
  const session = new MadePi();
  session.said("go");
  session.todo("add", [[1, "a", false]]);
  const kept = session.tip;
  session.said("wrong way");
  session.todo("add", [
    [1, "a", false],
    [2, "wrong", false],
  ]);
  session.tip = kept;
  session.said("another way");
  session.todo("toggle", [[1, "a", true]]);
  const told = read(session);
  expect(summary(told)).toEqual(["t1 pi plan.set - [ ] #1 a", "t3 pi plan.set - [x] #1 a"]);
  expect(told.markers).toMatchObject([{ marker: "branch", detail: `goes on from entry ${kept}` }]);
  expect(told.readings).toBe(2);
});

test("what the extension still holds of a branch that was left is pi's own, and nobody else's", () => {
  const session = new MadePi();
  session.said("go");
  session.todo("add", [[1, "a", false]]);
  const { tip } = session;
  session.said("on");
  session.todo("toggle", [[1, "a", true]]);
  session.tip = tip;
  session.said("on, in another way");
  session.todo("list", [[1, "a", true]]);
  session.todo("list", [[1, "a", false]]);
  const { events, facts } = read(session);
  expect(events.slice(1).map(({ actor, event }) => [actor, event.type === "plan.set" && event.text])).toEqual([
    ["pi", "- [x] #1 a"],
    ["elsewhere", "- [ ] #1 a"],
  ]);
  expect(facts.repetitions).toMatchObject({ seen: 2, explained: 1, elsewhere: 1 });
});

test("a call without a result is unanswered; entries without ids are one line", () => {
  const session = new MadePi();
  session.said("go");
  session.call("todo", { action: "add", text: "a" });
  expect(read(session)).toMatchObject({ events: [], facts: { unanswered: [{ tool: "todo", line: 3 }] } });
  const old = new MadePi();
  old.said("go");
  old.todo("add", [[1, "a", false]]);
  const bare = old.lines.map(({ id: _, parentId: __, ...line }, index) => (index === 0 ? { id: "s", ...line } : line));
  expect(summary(tell(pi, bare))).toEqual(["t1 pi plan.set - [ ] #1 a"]);
});
