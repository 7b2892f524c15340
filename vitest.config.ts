import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const files = ["test/**/*.test.ts"];
/** They put another module in the place of one of Node's, which only works before anything has loaded it. */
const withOtherModules = [
  "test/store/session-file/failing-disk.test.ts",
  "test/store/session-file/lock-release.test.ts",
  "test/store/session-file/sync.test.ts",
  "test/store/session-file/unknown-fate.test.ts",
  "test/store/session-file/watch-last-event.test.ts",
  "test/store/session-file/watch-without-events.test.ts",
];
/** They start several brokers, install or run real clients, or take the largest journals: `npm run test:full` has them. */
const longOnes = [
  "test/hosts/pi-install.test.ts",
  "test/hosts/pi-warning.test.ts",
  "test/reliability/many-events.test.ts",
  "test/store/jetstream/cluster.race.test.ts",
];

export default defineConfig(({ mode }) => {
  /** `npm run test:full` gives every property more runs, and every file a process of its own. */
  const isFull = mode === "full";
  const exclude = ["**/node_modules/**", ...(isFull ? [] : longOnes)];
  const shared = {
    setupFiles: ["test/setup.ts"],
    env: { SESSION_JOURNAL_FULL: isFull ? "1" : "" },
    // No test asserts a time: this ends one that hangs, and none because the machine is slow.
    testTimeout: 120_000,
    hookTimeout: 240_000,
  };
  return {
    test: {
      pool: "forks",
      // One more than there are processors: many tests wait, for a broker, a client, a disk or a lock. Each takes in the sources anew.
      maxWorkers: availableParallelism() + 1,
      projects: [
        {
          test: {
            ...shared,
            name: "together",
            include: files,
            exclude: [...exclude, ...withOtherModules],
            isolate: isFull,
          },
        },
        { test: { ...shared, name: "apart", include: withOtherModules, isolate: true } },
      ],
    },
  };
});
