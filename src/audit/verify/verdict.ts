/** What verification says of a commit, in a line of a file or in a record, is what the ledger says of it. */
import type { CommitData } from "../../event/commit.ts";
import { hashBeforeRedaction } from "../../line/chain.ts";
import type { Verdict } from "../../line/verdict.ts";
import { damage, type Finding, type FindingPlace, note } from "./finding.ts";

export function findingsOf(
  { finding, damage: isDamage }: Verdict,
  data: CommitData,
  { offset, number }: FindingPlace,
): Finding[] {
  if (finding === undefined) return [];
  const severity = isDamage ? "damage" : "note";
  return [{ kind: finding, severity, offset, line: number, detail: detailOf(finding, data) }];
}

function detailOf(finding: NonNullable<Verdict["finding"]>, { id, version, events }: CommitData): string {
  switch (finding) {
    case "hash":
      return `commit ${id}: its hash does not match its data`;
    case "duplicate":
      return `commit ${id}: its id or a command was accepted before`;
    case "fork":
      return `commit ${id} was decided on version ${version - events.length}, which others had passed: it does not count`;
    case "gap":
    case "inherited":
      return `commit ${id} follows one that is not here`;
  }
}

/** Said once, with whatever else is said of the commit. */
export function sealedAt(place: FindingPlace): Finding {
  return note("sealed", place, "only the holder of the seal's key can check the commits");
}

/** An accepted commit out of which texts were taken. */
export function redactionIn({ events }: Verdict, data: CommitData, place: FindingPlace): Finding[] {
  const before = hashBeforeRedaction(data);
  if (before === undefined || events.length === 0) return [];
  const [first, last] = [data.version - data.events.length + 1, data.version];
  const versions = first === last ? `version ${last}` : `versions ${first} to ${last}`;
  const detail = `commit ${data.id}, ${versions}: texts were taken out of it, its hash was ${before} before, and it proves nothing about itself any more`;
  return [note("redacted", place, detail)];
}

export function unknownEvents({ events }: Verdict, place: FindingPlace): Finding[] {
  return events.flatMap(({ event, version }) => {
    if (event.type !== "unknown") return [];
    const detail = `version ${version} is a ${JSON.stringify(event.name)} that this release cannot read: update session-journal`;
    return [damage("unknown_event", place, detail)];
  });
}
