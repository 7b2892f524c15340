import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const files = ["test/**/*.test.ts"];
/** They put another module in the place of one of Node's, which only works before anything has loaded it. */
const withOtherModules = [
  "test/store/session-file/failing-disk.test.ts",
  "test/store/session-file/lock-release.test.ts",
  "test/store/session-file/lost-syncs.property.test.ts",
  "test/store/session-file/lost-values.test.ts",
  "test/store/session-file/sync.test.ts",
  "test/store/session-file/unknown-fate.test.ts",
  "test/store/session-file/watch-last-event.test.ts",
  "test/store/session-file/watch-without-events.test.ts",
];
/** They start several brokers, install or run real clients, or take the largest journals: `npm run test:full` has them. */
export const longOnes = [
  "test/find/many-sessions.test.ts",
  "test/hosts/pi-install.test.ts",
  "test/hosts/pi-warning.test.ts",
  "test/open/copy-all-killed.crash.test.ts",
  "test/reliability/many-events.test.ts",
  "test/store/jetstream/cluster.race.test.ts",
];

/** A long file that starts last keeps everybody waiting. In this order, before all others. */
const longest = [
  "audit/report.browser",
  "package/tools",
  "docs/docs",
  "hosts/pi-runs",
  "cli/memory",
  "package/package",
  "testing/linearizability.race",
  "store/session-file/zoo",
  "store/session-file/long-lines",
  "store/postgres/postgres",
  "reliability/power-cut",
  "reliability/storms.crash",
  "reliability/system-calls",
  "host/mcp",
  "architecture/adding-an-action",
  "reading/known-cases",
  "docs/reader",
].map((name) => `/test/${name}.test.ts`);

/** A process that shares its sources ends when a file is next that does not: those come last. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId, project }: TestSpecification): number => {
      if (project.name === "apart") return longest.length + 1;
      const index = longest.findIndex((name) => moduleId.endsWith(name));
      return index === -1 ? longest.length : index;
    };
    return (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other));
  }
}

export default defineConfig(({ mode }) => {
  /** `npm run test:full` gives every property more runs, and every file a process of its own. */
  const isFull = mode === "full";
  const exclude = ["**/node_modules/**", ...(isFull ? [] : longOnes)];
  const shared = {
    setupFiles: ["test/setup.ts"],
    env: { SESSION_JOURNAL_FULL: isFull ? "1" : "" },
    // No test asserts a time: this ends one that hangs. What takes longer on a slow machine says so itself.
    testTimeout: 120_000,
    hookTimeout: 240_000,
  };
  return {
    test: {
      pool: "forks",
      sequence: { sequencer: LongestFirst },
      // One more than there are processors: many tests wait, for a broker, a client, a disk or a lock. Each takes in the sources anew.
      maxWorkers: availableParallelism() + 1,
      projects: [
        {
          test: {
            ...shared,
            name: "together",
            globalSetup: ["test/temporary-folder.ts"],
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
