// Appends to one session after the other and prints each command once it is acknowledged:
// node write-until-cut.mjs FOLDER DURABILITY COMMITS-PER-SESSION [--replaced] [--no-folder-sync]
import fs from "node:fs";
import path from "node:path";

const [folder, durability, perSession, ...flags] = process.argv.slice(2);
const keptMax = 200;
/** A file system without a journal may give a new file blocks that, after a cut, the removed one still has. */
const removesOld = durability === "fsync" && !flags.includes("--replaced");

if (flags.includes("--no-folder-sync")) {
  const { fsyncSync } = fs;
  fs.fsyncSync = (descriptor) => {
    if (!fs.fstatSync(descriptor).isDirectory()) fsyncSync(descriptor);
  };
}
const { openJournal } = await import("../../dist/index.js");

for (let session = 0; ; session++) {
  const name = `session-${session}.jsonl`;
  const file = path.join(folder, name);
  if (flags.includes("--replaced")) replacedByHost(file);
  const journal = await openJournal(file, { durability, actor: "writer" });
  for (let index = 0; index < Number(perSession); index++) {
    const command = `${session}-${index}`;
    const { ok } = await journal.apply(actionOf(session, index, command), { command });
    if (!ok) throw new Error(`${command} was refused`);
    // Synchronous: what was printed was acknowledged.
    fs.writeSync(1, `${name} ${command}\n`);
    if (index % 4 === 3 && !flags.includes("--replaced")) await journal.snapshot();
  }
  await journal.close();
  if (removesOld) removeOld(session - keptMax);
}

/** So that the disk does not fill up. Nobody looks for one that is so old. */
function removeOld(session) {
  const name = `session-${session}.jsonl`;
  fs.rmSync(path.join(folder, name), { force: true });
  fs.rmSync(path.join(folder, ".session-journal", `${name}.snapshot.json`), { force: true });
}

/** A host that rewrites its session: the old one was there before the cut, the new one takes its name. */
function replacedByHost(file) {
  const header = { type: "session", version: 3, id: "host", timestamp: new Date().toISOString(), cwd: "/" };
  fs.writeFileSync(file, `${JSON.stringify(header)}\n`);
  const descriptor = fs.openSync(path.dirname(file), "r");
  for (const each of [file, `${file}.new`]) {
    fs.writeFileSync(each, `${JSON.stringify(header)}\n`);
    const written = fs.openSync(each, "r");
    fs.fdatasyncSync(written);
    fs.closeSync(written);
    fs.fdatasyncSync(descriptor);
  }
  fs.closeSync(descriptor);
  fs.renameSync(`${file}.new`, file);
}

function actionOf(session, index, command) {
  if (index % 3 === 0) return { action: "set_plan", content: command };
  if (index % 3 === 1) return { action: "refs.add", ref: command };
  return { action: "entries.write", key: "long", content: command.padEnd((session % 7) * 3_000 + 20, "é") };
}
