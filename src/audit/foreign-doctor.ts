/** This file says what there is to say about the session of another client: whose it is, what was read of it, what to make of it. */
import type { RecordedEvent } from "../event/event.ts";
import { elsewhere, type ForeignSession } from "../event/foreign.ts";
import type { Diagnosis, Writer } from "./doctor.ts";
import { adviceOnStep, doubtfulForeignSteps } from "./doubtful.ts";
import type { Verification } from "./verify/finding.ts";

export function diagnoseForeign(
  events: readonly RecordedEvent[],
  { ok, findings }: Verification,
  foreign: ForeignSession,
): Diagnosis {
  const { client, calls, markers } = foreign;
  const doubtful = doubtfulForeignSteps(client, { events, calls, markers });
  const advice = [
    ...(foreign.noChecklist === undefined ? [] : [foreign.noChecklist]),
    ...adviceOnFindings(findings),
    ...adviceOnCalls(foreign),
    ...adviceOnTypes(foreign),
    ...doubtful.map(adviceOnStep),
  ];
  return {
    ok,
    foreign,
    doubtful,
    writers: writersOf(events, foreign.title),
    findings,
    advice: advice.length > 0 ? [...new Set(advice)] : ["nothing"],
  };
}

function writersOf(events: readonly RecordedEvent[], title: string): Writer[] {
  const writers = new Map<string, Writer>();
  for (const { actor, version } of events) {
    const runtime = actor === elsewhere ? "somebody else" : title;
    const { events: before = 0, first = version } = writers.get(actor) ?? {};
    writers.set(actor, { runtime, events: before + 1, first, last: version, actors: [actor] });
  }
  return [...writers.values()];
}

function adviceOnFindings(findings: Verification["findings"]): string[] {
  return findings.flatMap(({ kind }) => {
    if (kind === "corrupt") return ["corrupt: a line was damaged on disk or by hand; what stands around it was read"];
    if (kind === "torn") return ["torn: the client is writing, or was stopped; the line counts when it has ended"];
    return kind === "inherited" ? ["inherited: what was copied from another session is told as part of this one"] : [];
  });
}

function adviceOnCalls({ unanswered }: ForeignSession): string[] {
  if (unanswered.length === 0) return [];
  const calls = unanswered.map(({ tool, line }) => `${tool} in line ${line}`).join(", ");
  return [`plan calls without a result changed nothing: ${calls}`];
}

function adviceOnTypes({ unknownTypes, title, checkedAgainst }: ForeignSession): string[] {
  const types = Object.entries(unknownTypes).map(([type, count]) => `${type} ${count}`);
  if (types.length === 0) return [];
  const versions = `lines of ${title} ${checkedAgainst.join(", ")} were checked`;
  return [`lines of types that this version does not know were passed over (${types.join(", ")}): ${versions}`];
}
