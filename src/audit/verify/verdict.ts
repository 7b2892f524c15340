/** What verification says of a commit, in a line of a file or in a record, is what the ledger says of it. */
import type { CommitData } from "../../event/commit.ts";
import { hashBeforeRedaction } from "../../line/chain.ts";
import type { Verdict } from "../../line/verdict.ts";
import type { Finding } from "./finding.ts";

export type ListedPlace = Pick<Finding, "offset" | "line">;

export function findingsOf({ finding, damage }: Verdict, data: CommitData, place: ListedPlace): Finding[] {
  if (finding === undefined) return [];
  return [{ kind: finding, severity: damage ? "damage" : "note", ...place, detail: detailOf(finding, data) }];
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
export function sealedAt(place: ListedPlace): Finding {
  return {
    kind: "sealed",
    severity: "note",
    ...place,
    detail: "only the holder of the seal's key can check the commits",
  };
}

/** An accepted commit out of which texts were taken. */
export function redactionIn({ events }: Verdict, data: CommitData, place: ListedPlace): Finding[] {
  const before = hashBeforeRedaction(data);
  if (before === undefined || events.length === 0) return [];
  const [first, last] = [data.version - data.events.length + 1, data.version];
  const versions = first === last ? `version ${last}` : `versions ${first} to ${last}`;
  const detail = `commit ${data.id}, ${versions}: texts were taken out of it, its hash was ${before} before, and it proves nothing about itself any more`;
  return [{ kind: "redacted", severity: "note", ...place, detail }];
}

export function unknownEvents({ events }: Verdict, place: ListedPlace): Finding[] {
  return events.flatMap(({ event, version }) => {
    if (event.type !== "unknown") return [];
    const detail = `version ${version} is a ${JSON.stringify(event.name)} that this release cannot read: update session-journal`;
    return [{ kind: "unknown_event", severity: "damage", ...place, detail }];
  });
}
