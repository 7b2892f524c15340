// Loaded into a command: it tells the most memory that it had, in MB, on descriptor 3.
import { writeSync } from "node:fs";
import { peakMb } from "./measure.mjs";

process.on("exit", () => writeSync(3, String(peakMb())));
