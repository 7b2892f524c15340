// A real client and its live journal in one process: node live-steps.mjs <URL of its session manager> <URL of session-journal> <folder>
// Prints what came of each chapter, as JSON.
import { existsSync, readFileSync } from "node:fs";

const [sessionManagerUrl, journalUrl, folder] = process.argv.slice(2);
const { SessionManager } = await import(sessionManagerUrl);
const { hostSessionStore, openJournal } = await import(journalUrl);

const session = SessionManager.create("/home/dev", folder);
const host = {
  append: (customType, data) => session.appendCustomEntry(customType, data),
  entries: () => session.getEntries(),
  leafId: () => session.getLeafId(),
  sessionId: session.getSessionId(),
  file: session.getSessionFile(),
};
const journal = await openJournal(hostSessionStore(host, { fold: "branch" }), { actor: "live" });
const told = {};

session.appendMessage({ role: "user", content: "Go.", timestamp: 1 });
const items = ["a.ts"];
await journal.refs.set(items);
items.push("b.ts");
await journal.refs.set(items);
items.push("never acknowledged");
told.beforeFlush = { isThere: existsSync(host.file), version: journal.version, turn: journal.turn };

answer("Going.");
await journal.notes.set("common");
const common = session.getLeafId();
told.afterFlush = { ...fileOf(), context: session.buildSessionContext().messages.length };

session.appendMessage({ role: "user", content: "Left.", timestamp: 3 });
await journal.notes.append("left");
const left = session.getLeafId();
session.branch(common);
await journal.refresh();
told.rewound = journal.state.notes;
session.appendMessage({ role: "user", content: "Right.", timestamp: 4 });
await journal.notes.append("right");
told.right = journal.state.notes;
session.branch(left);
await journal.refresh();
told.backLeft = journal.state.notes;
answer("Left after all.");
await journal.notes.append("again");
told.again = { notes: journal.state.notes, context: session.buildSessionContext().messages.length };

const outside = await openJournal(host.file, { actor: "outside" });
await outside.plan.set("from outside");
await journal.refresh();
told.outside = { plan: journal.state.plan, versions: [journal.version, outside.version] };
await journal.plan.set("from inside");
await outside.refresh();
told.inside = { plan: outside.state.plan, heads: [journal.head.hash === outside.head.hash] };
await outside.close();

const reopened = SessionManager.open(host.file);
told.reopened = {
  sameContext:
    JSON.stringify(reopened.buildSessionContext().messages) === JSON.stringify(session.buildSessionContext().messages),
  findings: (await journal.verify()).findings,
};
const refs = [];
for await (const { event } of journal.history({ to: 2 })) refs.push(event.refs);
told.refs = refs;
await journal.close();
console.log(JSON.stringify(told));

function answer(text) {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } };
  const model = { api: "x", provider: "y", model: "z", usage, stopReason: "stop" };
  session.appendMessage({ role: "assistant", content: [{ type: "text", text }], ...model, timestamp: 2 });
}

function fileOf() {
  const lines = readFileSync(host.file, "utf8").trimEnd().split("\n");
  const names = lines
    .map((line) => JSON.parse(line))
    .map(({ type, customType, mirror }) => [customType ?? type, mirror]);
  return { lines: names.map(([name, mirror]) => (mirror === undefined ? name : `${name} (mirror)`)) };
}
