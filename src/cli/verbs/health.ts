import fs from "node:fs";
import path from "node:path";
import { withoutPassword } from "../../errors.ts";
import { parseAddress } from "../../open/addresses.ts";
import { secondsOf } from "../duration.ts";
import type { Verb } from "../verb.ts";
import { placeNamed } from "../where.ts";

export const health: Verb = {
  about: "say whether a session can be read and written, for probes",
  endsByItself: true,
  options: {
    "max-age": {
      value: "DURATION",
      about: "unhealthy if the newest event is older, or further ahead: seconds, or such as 15m or 2h",
    },
    "read-only": { about: "do not check whether the session file can be written" },
  },
  notes: [
    "Exit code 0: healthy. 1: damaged, not writable, or too old. 2: it cannot be read, and one line says why.",
    "It changes nothing. It does not check the hashes of what a snapshot covers; verify reads every line.",
  ],
  example: "session-journal health session.jsonl --max-age 1h",
  async run({ where, options, output, open, env }) {
    const maxAgeText = options.text("max-age");
    const maxAge = maxAgeText === undefined ? undefined : secondsOf("max-age", maxAgeText);
    const journal = await open("check");
    const { at } = await journal.at("head");
    const sinceSeconds = at === undefined ? undefined : Math.round((Date.now() - Date.parse(at)) / 1000);
    const address = parseAddress(await placeNamed(where, "check", env));
    const isOurs = (await journal.foreign()) === undefined;
    const file = isOurs && address.kind === "file" ? address.path : undefined;
    const isWritable = file === undefined || options.flag("read-only") || canWrite(file);
    const faults = [
      ...(journal.isDamaged ? ["damaged: session-journal verify lists what is wrong"] : []),
      ...(isWritable ? [] : ["the session file or its folder cannot be written by this user"]),
      ...tooOld(sinceSeconds, maxAge),
    ];
    const ok = faults.length === 0;
    const { version, turn, head } = journal;
    const ageSeconds = Math.max(0, sinceSeconds ?? 0);
    if (options.flag("json"))
      output.json({ ok, where: withoutPassword(where), version, turn, head, ...(at && { at, ageSeconds }), faults });
    else output.line(ok ? `healthy: v${version}` : `unhealthy: ${faults.join("; ")}`);
    return ok ? 0 : 1;
  },
};

/** A time far ahead would pass for new until that time has come. */
function tooOld(sinceSeconds: number | undefined, maxAge: number | undefined): string[] {
  if (maxAge === undefined) return [];
  if (sinceSeconds === undefined) return ["nothing has been written yet"];
  if (-sinceSeconds > maxAge)
    return [
      `the newest event is dated ${-sinceSeconds} seconds ahead: the clock of its writer or of this machine is wrong`,
    ];
  return sinceSeconds > maxAge ? [`the newest event is ${sinceSeconds} seconds old`] : [];
}

function canWrite(file: string): boolean {
  try {
    for (const place of [file, path.dirname(file)]) fs.accessSync(place, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
