// What is measured, and only that, under the profiler: a whole process is mostly Node's own start.
import { writeFileSync } from "node:fs";

const sampleUs = 100;

/** Begins a profile where `SESSION_JOURNAL_PROFILE` names a file for it. Answers what ends and writes it. */
export async function profiling() {
  const file = process.env.SESSION_JOURNAL_PROFILE;
  if (file === undefined) return async () => undefined;
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: sampleUs });
  // Loads what measures, which is not measured.
  performance.now();
  await session.post("Profiler.start");
  return async () => {
    const { profile } = await session.post("Profiler.stop");
    session.disconnect();
    writeFileSync(file, JSON.stringify(profile));
  };
}
