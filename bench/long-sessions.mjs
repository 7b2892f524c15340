// What do sessions of 100,000 and 1,000,000 events cost: their log, what the last turn changed, to resume, and to keep a
// snapshot of?
import { copyFileSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { timeCommand } from "./lib/command.mjs";
import { library } from "./lib/dist.mjs";
import { growEvents } from "./lib/grow-session.mjs";
import { digestOf, medianOf, ratioOf } from "./lib/measure.mjs";
import { milliseconds } from "./lib/numbers.mjs";
import { withSnapshots } from "./lib/prepared.mjs";
import { ask } from "./lib/question.mjs";

const rounds = 3;
/** Calls of some milliseconds: the more the better. */
const shortRounds = 21;
const sizes = [200, 100_000, 1_000_000];

await ask(
  import.meta.filename,
  "What do sessions of 100,000 and 1,000,000 events cost?",
  { log, diff, open, compiled, again, keep },
  compare,
);

function log(file) {
  return timeCommand("log", file);
}

function diff(file) {
  return timeCommand("diff", file);
}

/** The first call of a process that has loaded the library. */
async function open(file) {
  const { openJournal } = await library();
  const start = performance.now();
  const { version, state } = await openJournal(file, { readonly: true });
  return { ms: performance.now() - start, version, digest: digestOf(state) };
}

/** The same where the library was compiled as a whole when it was loaded, and not function by function as each is called. */
function compiled(file) {
  setFlagsFromString("--no-lazy");
  return open(file);
}

/** The same where this process has opened the session before. */
async function again(file) {
  await open(file);
  return open(file);
}

/**
 * The longest time that the event loop stood still while a snapshot was kept, the second in this process. It appends, so it
 * works on a copy: who opens the session must find what was grown.
 */
async function keep(session) {
  const { openJournal } = await library();
  const file = join(mkdtempSync(`${session}-kept-`), "session.jsonl");
  copyFileSync(session, file);
  const journal = await openJournal(file);
  await journal.snapshot();
  await journal.notes.set("one more");
  let blockedMs = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    blockedMs = Math.max(blockedMs, now - last);
    last = now;
  }, 1);
  await sleep(50);
  blockedMs = 0;
  await journal.snapshot();
  await sleep(20);
  clearInterval(timer);
  await journal.close();
  return { ms: blockedMs };
}

function compare(question) {
  const sessions = sizes.map((events) => {
    const file = join(question.folder, `${events}.jsonl`);
    const expected = growEvents(file, events);
    return { events, expected, file, fileOf: withSnapshots(join(question.folder, `${events}`), file) };
  });
  const [small, large, huge] = sessions;
  const asked = (role, { events, fileOf }) => ({
    name: `${role} ${events}`,
    isOurs: true,
    words: (build) => [role, fileOf(build)],
  });
  const runs = question.interleave(
    [...["diff", "open"].flatMap((role) => sessions.map((session) => asked(role, session))), asked("keep", large)],
    rounds,
  );
  const calls = ["open", "compiled", "again"];
  const short = question.interleave(
    calls.map((role) => asked(role, small)),
    shortRounds,
  );
  for (const { events, expected } of sessions) check(runs.get(`open ${events}`), expected);
  const lone = ({ file }) => ({ name: file, isOurs: true, words: ["diff", file] });
  const alone = question.interleave([lone(large), lone(huge)], rounds);
  const logs = question.interleave([asked("log", large)], rounds);
  const whole = question.interleave([asked("log", huge)], 1);
  const of = (role, { events }) => runs.get(`${role} ${events}`);

  question.table("`session-journal log`, without a terminal; memory of the whole process.", [
    ["events", "first line s", "whole s", "peak MB"],
    ...[
      [large, logs],
      [huge, whole],
    ].map(([{ events }, from]) => {
      const found = from.get(`log ${events}`);
      return [events, ...["firstMs", "ms"].map((name) => seconds(found, name)), medianOf(found, "peakMb").toFixed(0)];
    }),
  ]);
  question.table(
    "`session-journal diff` as a whole process, with a snapshot and without one, and the first call of one that opens the session with it.",
    [
      ["events", "diff ms", "without, ms", "open ms"],
      ...sessions.map((session) => [
        session.events,
        ...[of("diff", session), alone.get(session.file), of("open", session)].map((found) =>
          found === undefined ? "" : milliseconds(medianOf(found, "ms")),
        ),
      ]),
    ],
  );
  question.table("Opening the session of 200 events, in a process of its own each time.", [
    ["", "ms"],
    ...["the first call", "the first call, all of the library's code compiled before", "the second call"].map(
      (name, index) => [name, milliseconds(medianOf(short.get(`${calls[index]} ${small.events}`), "ms"))],
    ),
  ]);
  question.gate("log first", Math.max(medianOf(logs.get(`log ${large.events}`), "firstMs") / 1000));
  question.gate("log whole", medianOf(logs.get(`log ${large.events}`), "ms") / 1000);
  question.gate("log memory", medianOf(logs.get(`log ${large.events}`), "peakMb"));
  question.gate("log million", medianOf(whole.get(`log ${huge.events}`), "peakMb"));
  question.gate("diff", medianOf(of("diff", large), "ms") / 1000);
  question.gate("diff million", medianOf(of("diff", huge), "ms") / 1000);
  question.gate("diff growth", ratioOf(alone.get(huge.file), "ms", alone.get(large.file)));
  question.gate("open", medianOf(of("open", large), "ms"));
  question.gate("open million", medianOf(of("open", huge), "ms"));
  question.gate("open small", medianOf(short.get(`open ${small.events}`), "ms"));
  question.gate("keep", medianOf(runs.get(`keep ${large.events}`), "ms"));
}

function seconds(runs, field) {
  return (medianOf(runs, field) / 1000).toFixed(2);
}

function check(answers, expected) {
  const wrong = answers.find(({ version, digest }) => version !== expected.version || digest !== expected.digest);
  if (wrong !== undefined) throw new Error(`resumed wrongly: ${JSON.stringify(wrong)}`);
}
