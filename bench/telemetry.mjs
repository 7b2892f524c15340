// What does it cost that spans and metrics can be had, where nobody asks for them, and where somebody does?
import { channel, tracingChannel } from "node:diagnostics_channel";
import { library } from "./lib/dist.mjs";
import { medianOf, ratioOf } from "./lib/measure.mjs";
import { median } from "./lib/numbers.mjs";
import { ask } from "./lib/question.mjs";

const rounds = 5;
const calls = 3000;
/** Not counted: it takes an engine some thousand calls to compile what it runs. */
const warmUps = 3000;
const looks = 5000;
const runs = 300;
const traces = ["open", "apply", "lock", "sync"].map((name) => tracingChannel(`session-journal.${name}`));
const messages = ["commit", "follow"].map((name) => channel(`session-journal.${name}`));

await ask(import.meta.filename, "What do channels cost that nobody listens to?", { apply, look }, compare);

/** Microseconds of one call on a journal in memory, which waits for nothing. */
async function apply(listener) {
  if (listener === "all") {
    for (const each of traces)
      each.subscribe({ start: ignore, end: ignore, asyncStart: ignore, asyncEnd: ignore, error: ignore });
    for (const each of messages) each.subscribe(ignore);
  }
  const { openJournal, memoryStore } = await library();
  const journal = await openJournal(memoryStore());
  const times = [];
  for (let index = 0; index < warmUps + calls; index++) {
    const start = performance.now();
    await journal.notes.set(`finding ${index}`);
    times.push((performance.now() - start) * 1000);
  }
  return { us: median(times.slice(warmUps)) };
}

/** Microseconds of all that one durable append looks at, where nobody is there. In short runs: others run, too. */
function look() {
  const [, ...ofAppend] = traces;
  const channels = [...ofAppend, messages[0]];
  let heard = 0;
  const times = [];
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    for (let index = 0; index < looks; index++) for (const each of channels) if (each.hasSubscribers) heard += 1;
    times.push(((performance.now() - start) * 1000) / looks);
  }
  if (heard > 0) throw new Error("somebody listens");
  return { us: median(times) };
}

function ignore() {
  // What it costs to be told is what counts.
}

function compare(question) {
  const answers = question.interleave(
    [
      { name: "nobody listens", words: ["apply", "none"] },
      { name: "every channel is listened to", words: ["apply", "all"] },
      { name: "looking whether somebody listens", words: ["look"] },
    ],
    rounds,
  );
  const [alone, , looking] = [...answers.values()];
  question.table("One call on a journal in memory, and the four channels of a durable append looked at once.", [
    ["", "median µs", "against nobody"],
    ...[...answers].map(([name, found]) => [
      name,
      medianOf(found, "us").toPrecision(3),
      `${ratioOf(found, "us", alone).toPrecision(3)} ×`,
    ]),
  ]);
  question.gate("look", ratioOf(looking, "us", alone) * 100);
}
