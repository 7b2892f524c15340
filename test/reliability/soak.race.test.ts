/** Everything at once, for long: nothing is lost, followers stay in step, memory and descriptors stay what they were. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readAll } from "../../src/testing/store-reader.ts";
import { type Program, program } from "../store/process/spawn.ts";
import { useFolder } from "../store/session-file/folder.ts";
import { verifyFile } from "../store/session-file/verify-file.ts";
import { newRandom } from "./random.ts";
import { isFull, recordResult } from "./results.ts";
import type { Sample, Soaked } from "./soaked.ts";

const folder = useFolder();
/** `SESSION_JOURNAL_SOAK_MINUTES=60` for an hour. */
const minutes = Number(process.env["SESSION_JOURNAL_SOAK_MINUTES"] ?? (isFull ? 2 : 0.05));
const pauseMs = isFull ? 100 : 20;
/**
 * Bytes of three handles on the session: each knows every commit and command, and the writer keeps what it acknowledged,
 * to put it back should the host rewrite the file from memory, however old that is.
 */
const bytesAnEventMax = 4096;
const bytesBeside = 8 << 20;
/** A sample may fall into somebody's reading. */
const descriptorsSpare = 3;

let soak: Program;
let writer: Program;
beforeAll(async () => {
  soak = await program("../../reliability/soak.ts");
  writer = await program("../../reliability/soak-writer.ts");
});
afterAll(() => {
  soak.remove();
  writer.remove();
});

test(
  `${minutes * 60} seconds of writers, followers, a host that tears and rewrites, and readers that come and go`,
  async () => {
    const { seed } = newRandom();
    const { file } = folder.session();
    const given = [file, writer.file, String(minutes * 60_000), String(pauseMs), String(seed)];
    const options = { maxBuffer: 1 << 28 };
    const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", soak.file, ...given], options);
    const soaked = JSON.parse(stdout) as Soaked;
    expect(soaked).toMatchObject({ exitCode: 0, late: 0 });

    const whole = await readAll(folder.store(file, { readonly: true }));
    const found = whole.flatMap(({ command }) => command ?? []);
    expect(found.filter((command, index) => found.indexOf(command) !== index)).toEqual([]);
    expect(soaked.acknowledged.flat().filter((command) => !found.includes(command))).toEqual([]);
    // A version is missing where the host took a commit away just before the next one was appended.
    expect(soaked.versions).toEqual(soaked.versions.map(() => whole.at(-1)?.version));
    const damage = (await verifyFile(file)).findings.filter(({ severity }) => severity === "damage");
    // A host that takes lines away while a writer appends leaves that writer's line on a parent and a head that are gone.
    expect(damage.filter(({ kind }) => !["corrupt", "fork", "gap", "mirror", "tree"].includes(kind))).toEqual([]);

    const growth = growthOf(soaked.samples);
    expect(growth.heap).toBeLessThan(bytesBeside + bytesAnEventMax * growth.events);
    expect(growth.rss).toBeLessThan(8 * bytesBeside + bytesAnEventMax * growth.events);
    expect(growth.descriptors).toBeLessThanOrEqual(descriptorsSpare);
    recordResult({
      suite: "reliability/soak.race.test.ts",
      claim: "everything at a low rate with live followers; memory and descriptors stay flat",
      size: `${minutes * 60} s, ${whole.length} events, ${soaked.rewrites} rewrites`,
      seed,
      outcome: shown(growth, soaked),
    });
  },
  minutes * 60_000 + 120_000,
);

interface Growth {
  readonly events: number;
  /** Bytes. */
  readonly heap: number;
  readonly rss: number;
  readonly descriptors: number;
}

/** From the end of the warming up to the end. */
function growthOf(samples: readonly Sample[]): Growth {
  const last = samples.at(-1) as Sample;
  const first = samples.find(({ ms }) => ms >= last.ms / 5) as Sample;
  const most = (of: readonly Sample[]) => Math.max(...of.map(({ descriptors }) => descriptors));
  const half = samples.length / 2;
  return {
    events: last.events - first.events,
    heap: last.heapUsed - first.heapUsed,
    rss: last.rss - first.rss,
    descriptors: most(samples.slice(half)) - most(samples.slice(0, half)),
  };
}

function shown({ events, heap, rss, descriptors }: Growth, { hostLines, tears, opens }: Soaked): string {
  const mega = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  return `0 lost, 0 twice; heap ${mega(heap)} more after ${events} events, resident ${mega(rss)} more, descriptors ${descriptors} more; ${hostLines} host lines, ${tears} torn, ${opens} visitors`;
}
