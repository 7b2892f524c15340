import { defineConfig } from "vitest/config";

const files = ["test/**/*.test.ts"];
/** They put another module in the place of one of Node's, which only works before anything has loaded it. */
const withOtherModules = [
  "test/store/session-file/failing-disk.test.ts",
  "test/store/session-file/sync.test.ts",
  "test/store/session-file/watch-last-event.test.ts",
  "test/store/session-file/watch-without-events.test.ts",
];
const exclude = ["**/node_modules/**"];

export default defineConfig(({ mode }) => ({
  test: {
    setupFiles: ["test/setup.ts"],
    /** `npm run test:full` gives every property more runs, and every file a process of its own. */
    env: { SESSION_JOURNAL_FULL: mode === "full" ? "1" : "" },
    pool: "forks",
    maxWorkers: "100%",
    testTimeout: 120_000,
    hookTimeout: 240_000,
    projects: [
      {
        extends: true,
        test: {
          name: "together",
          include: files,
          exclude: [...exclude, ...withOtherModules],
          isolate: mode === "full",
        },
      },
      { extends: true, test: { name: "apart", include: withOtherModules, isolate: true } },
    ],
  },
}));
