import { defineConfig } from "vitest/config";

export default defineConfig(({ mode }) => ({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**"],
    setupFiles: ["test/setup.ts"],
    /** `npm run test:full` gives every property more runs. */
    env: { SESSION_JOURNAL_FULL: mode === "full" ? "1" : "" },
    pool: "forks",
    maxWorkers: "100%",
    testTimeout: 120_000,
    hookTimeout: 240_000,
  },
}));
