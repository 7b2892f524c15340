/**
 * This entry point makes spans and metrics of what journals do.
 *
 * @module session-journal/opentelemetry
 */
export { type InstrumentationOptions, instrumentJournal } from "../telemetry/opentelemetry.ts";
