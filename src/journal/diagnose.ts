/** The diagnosis of a journal wherever it lives. */
import { type Diagnosis, diagnose } from "../audit/doctor.ts";
import type { Verification } from "../audit/verify/finding.ts";
import type { RecordedEvent } from "../event/event.ts";
import type { JournalStore } from "../stream/stream-store.ts";

export async function diagnoseStore(store: JournalStore, verification: Verification): Promise<Diagnosis> {
  const foreign = await store.foreign({ whole: true });
  if (foreign !== undefined) {
    const { diagnoseForeign } = await import("../audit/foreign-doctor.ts");
    const events: RecordedEvent[] = [];
    for await (const recorded of store.read(0)) events.push(recorded);
    return diagnoseForeign(events, verification, foreign);
  }
  const { file } = store;
  const lines = file && { file: store.where, namespace: file.namespace, lines: file.lines() };
  return diagnose({ events: store.read(0), verification, file: lines });
}
