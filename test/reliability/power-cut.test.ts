/**
 * The power is cut at random moments while a writer appends to one session after the other: the disk is copied, mounted as
 * after a start, and asked for everything that had been acknowledged. With syncing taken away there must be losses, or the
 * suite could not see any.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasTool, LoopImages, missingForImages } from "./loop-images.ts";
import { type Cuts, cutPower, type Run } from "./power-cut.ts";
import { newRandom } from "./random.ts";
import { isFull, recordResult } from "./results.ts";

const suite = "reliability/power-cut.test.ts";
const cuts = isFull ? 100 : 1;
/** So many must do to see a loss where nothing prevents it: the system may have written everything by itself. */
const controlCuts = 100;
const timeMs = 3_600_000;
const random = newRandom();
const missing = missingForImages();

function record(claim: string, found: Cuts, outcome: string): void {
  const size = `${found.cuts} cuts, ${found.acknowledged} acknowledgements`;
  recordResult({ suite, claim, size, seed: random.seed, outcome });
}

function lostIn({ losses }: Cuts): string {
  return `losses in ${losses.length} cuts`;
}

if (missing.length > 0) {
  test(`the power cannot be cut here, for want of ${missing.join(", ")}`, () => {
    expect(missingForImages()).toEqual(missing);
  });
} else {
  describe(`a cut of the power (seed ${random.seed})`, () => {
    let images: LoopImages;
    beforeAll(() => {
      images = new LoopImages();
    });
    afterAll(() => images.close());
    const cut = (run: Omit<Run, "cuts"> & Partial<Run>): Promise<Cuts> => cutPower(images, random, { cuts, ...run });
    const kinds = ["ext4", "xfs"] as const;

    test.each(kinds)(
      "on %s takes nothing that was acknowledged at durability fsync",
      async (kind) => {
        const found = await cut({ kind, durability: "fsync" });
        expect(found.losses).toEqual([]);
        record(`a power cut on ${kind} takes nothing that was acknowledged at durability fsync`, found, "0 lost");
      },
      timeMs,
    );

    /**
     * A new name is kept by these file systems with the file's own sync; one without a journal keeps what it is told. Only
     * the name counts there: where the cut came between the size of a file and its blocks, the repair takes blocks away.
     */
    const replaced = { kind: "ext4 without a journal", durability: "fsync", perSession: 12 } as const;

    if (isFull) {
      test.each(kinds)(
        "on %s takes only the newest of a session at durability os",
        async (kind) => {
          const found = await cut({ kind, durability: "os", perSession: 40 });
          expect(found.holes).toEqual([]);
          expect(found.losses).not.toEqual([]);
          const claim = `what a power cut on ${kind} takes at durability os are the newest commits of a session`;
          record(claim, found, `${lostIn(found)}, none before one that was kept`);
        },
        timeMs,
      );

      test(
        "takes no name from a file to which its host had just given it",
        async () => {
          const found = await cut({ ...replaced, flags: ["--replaced"] });
          expect(found.unnamed).toEqual([]);
          record("a power cut takes no name from a file that a host had just put in place", found, "0 lost");
        },
        timeMs,
      );
    }

    test(
      "is seen where the folder is not synced",
      async () => {
        const isEnough = ({ unnamed }: Pick<Cuts, "unnamed">): boolean => !isFull && unnamed.length > 0;
        const found = await cut({
          ...replaced,
          cuts: controlCuts,
          isEnough,
          flags: ["--replaced", "--no-folder-sync"],
        });
        expect(found.unnamed).not.toEqual([]);
        record("control: without the sync of the folder there are losses", found, lostIn(found));
      },
      timeMs,
    );

    const eats = hasTool("eatmydata");
    test(
      eats ? "is seen where nothing is synced" : "is not tried with every sync swallowed, for want of eatmydata",
      async () => {
        expect(hasTool("eatmydata")).toBe(eats);
        if (!eats) return;
        const isEnough = ({ losses }: Pick<Cuts, "losses">): boolean => !isFull && losses.length > 0;
        const found = await cut({
          kind: "ext4",
          durability: "fsync",
          cuts: controlCuts,
          isEnough,
          under: ["eatmydata"],
        });
        expect(found.losses).not.toEqual([]);
        record("control: with every sync swallowed (eatmydata) there are losses", found, lostIn(found));
      },
      timeMs,
    );
  });
}
