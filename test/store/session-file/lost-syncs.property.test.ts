/** A disk whose syncs fail now and then, and lose what was written since the last good one: what was acknowledged is on it. */
import fs from "node:fs";
import { expect, test, vi } from "vitest";

type Fate = "dirty" | "synced" | "lost";

const disk = vi.hoisted(() => ({
  file: "",
  descriptors: new Set<number>(),
  /** What was written, piece by piece, and what became of it. */
  pieces: [] as { readonly start: number; readonly end: number; fate: Fate }[],
  fails: (): boolean => false,
}));
vi.mock("node:fs", async (original) => {
  const { default: real } = await original<{ default: typeof fs }>();
  /** The system says once that it failed, and takes what it could not write for written. */
  const sync = (): Error | null => {
    const isFailing = disk.fails();
    for (const piece of disk.pieces) if (piece.fate === "dirty") piece.fate = isFailing ? "lost" : "synced";
    return isFailing ? Object.assign(new Error("EIO"), { code: "EIO" }) : null;
  };
  const patched = {
    openSync: (file: string, ...rest: [number, number?]) => {
      const descriptor = real.openSync(file, ...rest);
      if (file === disk.file) disk.descriptors.add(descriptor);
      else disk.descriptors.delete(descriptor);
      return descriptor;
    },
    writeSync: (descriptor: number, bytes: Buffer, ...rest: number[]) => {
      if (!disk.descriptors.has(descriptor)) return real.writeSync(descriptor, bytes, ...rest);
      const start = real.fstatSync(descriptor).size;
      const count = real.writeSync(descriptor, bytes, ...rest);
      disk.pieces.push({ start, end: start + count, fate: "dirty" });
      return count;
    },
    fdatasync: (_: number, done: (error: Error | null) => void) => setImmediate(() => done(sync())),
    fdatasyncSync: () => {
      const error = sync();
      if (error !== null) throw error;
    },
  };
  return { default: { ...real, ...patched } };
});

const { useFolder } = await import("./folder.ts");
const { newRandom } = await import("../../reliability/random.ts");
const folder = useFolder();
const at = "2026-11-21T20:00:00.000Z";

/** The file as it is found after a power cut. */
function afterPowerCut(): string {
  const bytes = fs.readFileSync(disk.file);
  const synced = disk.pieces.filter(({ fate }) => fate === "synced");
  const file = folder.path("after.jsonl");
  fs.writeFileSync(file, Buffer.concat(synced.map(({ start, end }) => bytes.subarray(start, end))));
  return file;
}

async function missingAfterPowerCut(acknowledged: ReadonlySet<string>): Promise<string[]> {
  const reader = folder.reader(afterPowerCut(), { readonly: true });
  await reader.catchUp();
  return [...acknowledged].filter((command) => !reader.store.knows(command));
}

test("whichever syncs fail, whoever wrote, and however often a command is repeated, what was acknowledged is on the disk", async () => {
  const random = newRandom();
  for (let round = 0; round < 12; round++) {
    const { file } = folder.session(`${round}.jsonl`);
    const header = { start: 0, end: fs.readFileSync(file).length, fate: "synced" as Fate };
    Object.assign(disk, { file, pieces: [header], fails: () => random.below(3) === 0 });
    const open = (durability: "fsync" | "os") => folder.reader(file, { durability });
    const writers = [open("fsync"), open("fsync"), open("os")];
    const commands: string[] = [];
    const acknowledged = new Set<string>();
    for (let step = 0; step < 25; step++) {
      // One that was opened anew knows of no sync.
      if (random.below(6) === 0) writers[random.below(2)] = open("fsync");
      const which = random.below(3);
      const writer = writers[which] as ReturnType<typeof open>;
      if (commands.length === 0 || random.below(2) === 0) commands.push(`call-${step}`);
      const command = commands[random.below(commands.length)] as string;
      const event = { event: { type: "notes.appended", text: command }, actor: "agent", command } as const;
      const committing = writer.commit(() => {
        const events = writer.store.knows(command) ? [] : [event];
        return { id: `${command} of ${round}`, at, events };
      });
      const isTold = await committing.then(
        () => true,
        (error: unknown) => {
          expect(error).toMatchObject({ code: "storage" });
          return false;
        },
      );
      if (isTold && which < 2) acknowledged.add(command);
      expect([random.seed, round, step, await missingAfterPowerCut(acknowledged)]).toEqual([
        random.seed,
        round,
        step,
        [],
      ]);
    }
  }
});
