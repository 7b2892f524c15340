/**
 * One of several processes on the same sessions: `operate NAME COUNT WIDTH LOCK FILE…`. Does COUNT operations on each
 * session, WIDTH of them at a time, and leaves its record in FILE.NAME.ndjson.
 */
import fs from "node:fs";
import { openJournal } from "../../src/open/open-journal.ts";
import { type Operation, OperationRecorder } from "../../src/testing/operations.ts";

const [name, count, width, mode, ...files] = process.argv.slice(2) as [
  string,
  string,
  string,
  "always" | "off",
  ...string[],
];

interface Seat {
  readonly recorder: OperationRecorder;
  readonly record: Operation[];
  close(): Promise<void>;
}

const seats = await Promise.all(files.map(sitDown));
for (let done = 0; done < Number(count); done += Number(width)) {
  for (const { recorder } of seats) {
    const batch = Array.from({ length: Number(width) }, (_, index) => operate(recorder, done + index));
    await Promise.all(batch);
  }
}
await Promise.all(seats.map(({ close }) => close()));

async function sitDown(file: string): Promise<Seat> {
  const journal = await openJournal(file, { durability: "os", lock: { mode } });
  const record: Operation[] = [];
  const recorder = new OperationRecorder(journal, { process: name, write: (operation) => record.push(operation) });
  const close = async () => {
    await journal.close();
    fs.writeFileSync(`${file}.${name}.ndjson`, record.map((operation) => `${JSON.stringify(operation)}\n`).join(""));
  };
  return { recorder, record, close };
}

/** Half of them change what the others have to see; a quarter only look. */
async function operate(recorder: OperationRecorder, index: number): Promise<void> {
  const text = `${name} ${index}`;
  switch (index % 8) {
    case 0:
    case 4:
      return recorder.read();
    case 1:
      await recorder.apply({ action: "set_plan", content: text });
      return;
    case 2:
      await recorder.apply({ action: "refs.remove", ref: `r${index % 16}` });
      return;
    case 3:
      await recorder.apply({ action: "set_notes", content: text }, { command: `${name} again ${index}` });
      await recorder.apply({ action: "set_notes", content: text }, { command: `${name} again ${index}` });
      return;
    case 5:
      await recorder.apply({ action: "refs.add", ref: `r${index % 16}` });
      return;
    default:
      await recorder.apply({ action: "append_notes", content: text });
  }
}
