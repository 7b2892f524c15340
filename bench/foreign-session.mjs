// How long does it take to read the session of another client, against parsing every line of it, and how much memory?
import { copyFileSync, createReadStream, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import ndjson from "ndjson";
import { library } from "./lib/dist.mjs";
import { growForeign, growOther } from "./lib/grow-foreign.mjs";
import { leastForeign } from "./lib/least-foreign.mjs";
import { medianOf, peakMb, ratioOf } from "./lib/measure.mjs";
import { milliseconds } from "./lib/numbers.mjs";
import { ask } from "./lib/question.mjs";

/** Short runs differ more from each other than long ones. */
const rounds = { short: 11, long: 5 };
const megabyte = 2 ** 20;
const sizesOfOthers = ["100 MB", "1 GB"];
const othersMeasured = ["codex", "codex, long", "gemini-cli", "droid", "pi"];
/** The gates are about these; the table has the ratio of each. */
const gated = ["codex", "codex, long", "gemini-cli", "droid", "pi"];
/** For these a bare reader shows what can be reached. */
const bounded = ["codex", "codex, long", "gemini-cli", "droid", "pi"];
const sizes = { "1 MB": megabyte, "100 MB": 100 * megabyte, "1 GB": 1024 * megabyte };

/** Where the test programme has the Claude Agent SDK, whose reader is that of Claude Code. */
const clientReader = resolve(import.meta.dirname, "../test/hosts/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs");
const sessionId = "4f8c1176-7025-4530-a860-c6fc4c63a150";

const bare = { reading: "bare: lines found", parsing: "bare: and the needed ones parsed" };

await ask(
  import.meta.filename,
  "How long does it take to read the session of another client?",
  { open, parse, parseNdjson, readByClient, least },
  compare,
);

async function open(file) {
  const { openJournal } = await library();
  const end = begin();
  const { version, turn } = await openJournal(file, { readonly: true });
  return { ...end(), version, turn };
}

/**
 * `waitMs` is the time that a user waits, and `ms` that of the processor: the engine compiles what is hot on threads of its
 * own while the lines are read, which nobody waits for where a second core is free.
 */
function begin() {
  const [start, startMs] = [process.cpuUsage(), performance.now()];
  return () => {
    const waitMs = performance.now() - startMs;
    const { user, system } = process.cpuUsage(start);
    return { ms: (user + system) / 1000, waitMs, peakMb: peakMb() };
  };
}

/** What a program does that only wants the plan calls. */
async function parse(file) {
  const end = begin();
  let lines = 0;
  for await (const line of createInterface({ input: createReadStream(file) })) if (JSON.parse(line) !== null) lines++;
  return { ...end(), lines };
}

async function parseNdjson(file) {
  const end = begin();
  let lines = 0;
  for await (const line of createReadStream(file).pipe(ndjson.parse())) if (line !== null) lines++;
  return { ...end(), lines };
}

/** What no reader of such a session can leave out. */
async function least(file, what, client) {
  const end = begin();
  const { lines, parsed } = leastForeign(file, what, client.split(",")[0]);
  return { ...end(), lines, parsed };
}

/** The client's own reader. It answers the messages behind the last compaction, and none of the plan. */
async function readByClient(home) {
  process.env.CLAUDE_CONFIG_DIR = home;
  const { getSessionMessages } = await import(pathToFileURL(clientReader).href);
  const end = begin();
  const messages = await getSessionMessages(sessionId);
  if (messages.length === 0) throw new Error("the client's reader found nothing");
  return { ...end(), messages: messages.length };
}

/** A home of Claude Code with this one session. */
function homeWith(file, folder) {
  const home = join(folder, "claude-home");
  mkdirSync(join(home, "projects/-bench"), { recursive: true });
  copyFileSync(file, join(home, "projects/-bench", `${sessionId}.jsonl`));
  return home;
}

function compare(question) {
  const grown = Object.entries(sizes).map(([name, sizeBytes]) => {
    const file = join(question.folder, `${name}.jsonl`);
    return { name, file, expected: growForeign(file, sizeBytes) };
  });
  const opened = grown.map(({ name, file }) => ({ name, isOurs: true, words: ["open", file] }));
  const file = grown[1].file;
  const home = homeWith(file, question.folder);
  const ofOthers = othersMeasured.flatMap((client) =>
    sizesOfOthers.map((size) => {
      const made = join(question.folder, `${client} ${size}.jsonl`);
      growOther(client, made, sizes[size]);
      return { name: `${client}, ${size}`, client, size, made };
    }),
  );
  const others = [
    { name: "100 MB, every line parsed", words: ["parse", file] },
    { name: "100 MB, ndjson", words: ["parseNdjson", file] },
    { name: "100 MB, Claude Agent SDK", words: ["readByClient", home] },
    { name: "1 GB, every line parsed", words: ["parse", grown[2].file] },
    ...ofOthers.flatMap(({ name, client, made }) => [
      { name, isOurs: true, words: ["open", made] },
      { name: `${name}, every line parsed`, words: ["parse", made] },
      ...(bounded.includes(client) ? ["reading", "parsing"] : []).map((what) => ({
        name: `${name}, ${bare[what]}`,
        words: ["least", made, what, client],
      })),
    ]),
  ];
  const contenders = [...opened, ...others];
  const inTurns = (isOf, count) => question.interleave(contenders.filter(isOf), count);
  const isLarge = ({ name }) => name.includes("1 GB");
  const ofSizes = new Map([...inTurns((each) => !isLarge(each), rounds.short), ...inTurns(isLarge, rounds.long)]);
  const runs = new Map(contenders.map(({ name }) => [name, ofSizes.get(name)]));
  for (const { name, expected } of grown) {
    const wrong = runs.get(name).find(({ turn }) => turn !== expected.rounds);
    if (wrong !== undefined) throw new Error(`${name}: read wrongly: ${JSON.stringify(wrong)}`);
  }
  const heading =
    "A session of Claude Code, each run in a process of its own. The sessions of other clients are short ones again and again: that of Codex, a real one, has two plan calls in 330 KB; that of Gemini CLI, which a script told the client to write, fourteen in 1.1 MB, with as many other calls between them as a real one has; that of Droid, a real one, two in 350 KB, with such calls between them; and that of pi a list of its todo extension, which it did not have, in one of nine answers. `codex, long` is that of Codex made up as the owner of one of 732 MB has told: 46 % of it compactions that repeat the conversation, and encrypted thoughts.";
  question.table(heading, [
    ["session", "waited for, ms", "of the processor, ms", "peak MB", "as fast as parsing"],
    ...[...runs].map(([name, answers]) => [
      name,
      milliseconds(medianOf(answers, "waitMs")),
      milliseconds(medianOf(answers, "ms")),
      medianOf(answers, "peakMb").toFixed(0),
      timesParsing(runs, name),
    ]),
  ]);
  question.gate("parse", ratioOf(runs.get("100 MB, every line parsed"), "waitMs", runs.get("100 MB")));
  question.gate("large", ratioOf(runs.get("1 GB, every line parsed"), "waitMs", runs.get("1 GB")));
  question.gate("peak", ratioOf(runs.get("1 GB"), "peakMb", runs.get("100 MB")));
  const slowerOf = (size) => {
    const names = ofOthers.filter((each) => each.size === size && gated.includes(each.client)).map(({ name }) => name);
    return Math.min(...names.map((name) => ratioOf(runs.get(`${name}, every line parsed`), "waitMs", runs.get(name))));
  };
  question.gate("others", slowerOf("100 MB"));
  question.gate("othersLarge", slowerOf("1 GB"));
  for (const made of [...grown.map(({ file: each }) => each), ...ofOthers.map((each) => each.made)]) rmSync(made);
  rmSync(home, { recursive: true });
}

/** How many times as fast as parsing every line of the same file it is. */
function timesParsing(runs, name) {
  const [, file] = /^((?:.*, )?(?:1 MB|100 MB|1 GB))(?:, |$)/.exec(name) ?? [];
  const parsing = runs.get(`${file}, every line parsed`);
  return parsing === undefined || parsing === runs.get(name)
    ? ""
    : `${ratioOf(parsing, "waitMs", runs.get(name)).toFixed(2)} ×`;
}
