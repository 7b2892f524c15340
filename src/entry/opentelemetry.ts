/** `session-journal/opentelemetry`: spans and metrics of what journals do. */
export { type InstrumentationOptions, instrumentJournal } from "../telemetry/opentelemetry.ts";
