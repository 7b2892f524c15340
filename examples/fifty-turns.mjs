// What do fifty turns cost when the block goes with every message, and when it goes only after a change?
// A made-up session: a plan that is ticked off, a finding every fourth turn, a file every sixth, two compactions.
// Tokens are estimated as a quarter of the characters, rounded up.
import { memoryStore, openJournal } from "session-journal";
import { composePrompt } from "session-journal/prompt";

const turns = 50;
const compactions = [20, 40];
const tokens = (text) => Math.ceil(text.length / 4);

async function act(journal, turn) {
  const steps = Array.from(
    { length: 6 },
    (_, step) => `${step + 1}. ${step * 8 < turn ? "DONE " : ""}step of the work`,
  );
  if (turn % 8 === 1) await journal.plan.set(steps.join("\n"));
  if (turn % 4 === 2)
    await journal.notes.append(`Turn ${turn}: the cause of failure ${turn} is a time zone in the token`);
  if (turn % 6 === 3) await journal.refs.add(`src/auth/part-${turn}.ts`);
}

/** `sent`: tokens that blocks added to messages. `read`: tokens of blocks in the model's context, summed over all turns. */
async function measure(send, blocksStayInContext) {
  const journal = await openJournal(memoryStore());
  const total = { blocks: 0, sent: 0, read: 0 };
  let inContext = 0;
  for (let turn = 1; turn <= turns; turn += 1) {
    const compacted = compactions.includes(turn);
    const { forModel, forHistory } = await composePrompt({ journal, message: "go on", send, compacted });
    const added = tokens(forModel) - tokens(forHistory);
    inContext = (blocksStayInContext && !compacted ? inContext : 0) + added;
    total.blocks += added > 0 ? 1 : 0;
    total.sent += added;
    total.read += inContext;
    await act(journal, turn);
  }
  await journal.close();
  return total;
}

const rows = [
  ["every-message, history without blocks", await measure("every-message", false)],
  ["every-message, host keeps what was sent", await measure("every-message", true)],
  ["on-change, host keeps what was sent", await measure("on-change", true)],
];
const row = (name, columns) => name.padEnd(40) + columns.map((column) => String(column).padStart(8)).join("");
console.log(row("", ["blocks", "sent", "read"]));
for (const [name, total] of rows) console.log(row(name, Object.values(total)));
