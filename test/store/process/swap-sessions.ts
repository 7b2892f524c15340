/** Puts one of two sessions after the other at a path, as somebody does who renames. Each keeps its own file. */
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const [file, own, other, count] = process.argv.slice(2) as [string, string, string, string];
let [here, waiting] = [own, other];
for (let round = 0; round < Number(count); round++) {
  await sleep(5 + Math.random() * 10);
  fs.renameSync(file, here);
  fs.renameSync(waiting, file);
  [here, waiting] = [waiting, here];
}
