/** A process that works in a pad: writes texts under shared keys and under its own, and prints each that was accepted. */
import { openPad } from "../../src/entry/workspace.ts";

const [directory, name, count] = process.argv.slice(2) as [string, string, string];
const pad = await openPad(directory, { actor: name, durability: "os" });
for (let index = 0; index < Number(count); index += 1) {
  const key = index % 2 === 0 ? "shared" : name;
  const { ok } = await pad.entries.write(key, `${name} ${index}`);
  if (ok) process.stdout.write(`${key}: ${name} ${index}\n`);
}
await pad.close();
