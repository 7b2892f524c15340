import fc from "fast-check";

fc.configureGlobal({ numRuns: process.env.SESSION_JOURNAL_FULL ? 2_000 : 100 });
