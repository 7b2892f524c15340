// For a profile: what `import("session-journal")` asks of a process that has loaded nothing of it.
import { library } from "./dist.mjs";
import { profiling } from "./profiling.mjs";

const endProfile = await profiling();
await library();
await endProfile();
