/** This file says who wrote a session, what is wrong with its journal, what that means and what to do. */
import type { EventOrigin, RecordedEvent } from "../event/event.ts";
import type { ForeignSession } from "../event/foreign.ts";
import type { HostMarker } from "../event/marker.ts";
import type { OpenWriters } from "../event/open-writers.ts";
import type { Header } from "../line/decode.ts";
import { lineNames } from "../line/format.ts";
import { given } from "../options.ts";
import { Census, type LineCount } from "./census.ts";
import { adviceOnStep, type DoubtfulStep, doubtfulOwnSteps } from "./doubtful.ts";
import { Newest } from "./newest.ts";
import { adviceOnHostSecrets, HostSecretCount, type HostSecrets } from "./redact/host-secrets.ts";
import { adviceOnSecrets, type SecretPlace, secretPlaces } from "./redact/places.ts";
import type { Finding, UnlistedFindings, Verification, VerifiedLine } from "./verify/finding.ts";

/** A writer stands for every event of one kind of runtime. */
export interface Writer {
  /** This names the kind of runtime, such as "a runtime with three keys". */
  readonly runtime: string;
  /** It wrote so many events. */
  readonly events: number;
  /** `first` and `last` are versions. */
  readonly first: number;
  readonly last: number;
  /** These actors wrote them. */
  readonly actors: readonly string[];
}

/** This is the result of `journal.diagnose`. */
export interface Diagnosis {
  /** It is true if there is no damage. */
  readonly ok: boolean;
  /** This is present for the session of another client. */
  readonly foreign?: ForeignSession;
  /** Steps of its plan whose record does not bear out what it says. */
  readonly doubtful?: readonly DoubtfulStep[];
  /** This is present for a session file. */
  readonly session?: Header;
  readonly lines?: readonly LineCount[];
  readonly writers: readonly Writer[];
  /** This is who has the session open for writing, and its lock; absent where neither is there. */
  readonly open?: OpenWriters;
  /** This is what looks like a secret, with its place. */
  readonly secrets?: readonly SecretPlace[];
  /** This is where secrets stand in the host's lines of a session file. */
  readonly hostSecrets?: HostSecrets;
  readonly findings: readonly Finding[];
  /** This is absent if all findings are listed. */
  readonly unlisted?: readonly UnlistedFindings[];
  /** This is what was found, what it means and what to do: a line each. */
  readonly advice: readonly string[];
}

/** It gathers what a diagnosis is made of while the history passes. */
export class Symptoms {
  readonly authors = new Authors();
  readonly secrets: SecretPlace[] = [];
  readonly hostSecrets = new HostSecretCount();
  readonly #plans = new Newest<RecordedEvent>(plansMax, planUnitsMax);
  /** It has compactions, and the rewinds that may have left some of them behind. */
  readonly #markers = new Newest<HostMarker>(markersMax, Number.POSITIVE_INFINITY);
  readonly census: Census | undefined;
  /** These processes have the session open for writing, as far as that can be known. */
  readonly open: OpenWriters | undefined;

  /** `namespace` is the prefix of the scratchpad's lines in a session file. */
  constructor(namespace?: string, open?: OpenWriters) {
    this.open = open;
    this.census = namespace === undefined ? undefined : new Census(lineNames(namespace));
  }

  async readEvents(events: AsyncIterable<RecordedEvent> | Iterable<RecordedEvent>): Promise<void> {
    for await (const recorded of events) {
      this.authors.take(recorded);
      this.#takePlan(recorded);
      for (const place of secretPlaces([recorded])) this.secrets.push(place);
    }
  }

  async readMarkers(markers: AsyncIterable<HostMarker> | Iterable<HostMarker>): Promise<void> {
    for await (const marker of markers)
      if (marker.marker === "compaction" || marker.back !== undefined) this.#markers.add(marker, 0);
  }

  /** Only the newest changes of a long plan's history are looked at. */
  doubtful(): DoubtfulStep[] {
    return doubtfulOwnSteps({ events: this.#plans.items, markers: this.#markers.items });
  }

  #takePlan(recorded: RecordedEvent): void {
    const { event } = recorded;
    if ("state" in event) {
      const text = event.state.plan;
      this.#plans.add({ ...recorded, event: { type: "plan.set", text } }, text.length);
    } else if (event.type === "plan.set") this.#plans.add(recorded, event.text.length);
  }

  async readLines(parts: AsyncIterable<readonly VerifiedLine[]> | Iterable<readonly VerifiedLine[]>): Promise<void> {
    for await (const lines of parts)
      for (const line of lines) {
        const kind = this.census?.take(line);
        if (kind === "host") this.hostSecrets.take(line);
      }
  }
}

const plansMax = 5000;
const planUnitsMax = 4 << 20;
const markersMax = 10_000;

export function diagnosisOf(symptoms: Symptoms, { ok, findings, unlisted }: Verification): Diagnosis {
  const { authors, secrets, census, open } = symptoms;
  const hostSecrets = symptoms.hostSecrets.found;
  const doubtful = symptoms.doubtful();
  const lines = census?.counts();
  const session = census?.header;
  const advice = [
    ...findings.map((finding) => adviceOn(finding) + (finding.kind === "hash" ? adviceOnSeal(findings, authors) : "")),
    ...adviceOnWriters(authors),
    ...adviceOnOpen(open),
    ...adviceOnSecrets(secrets),
    ...(hostSecrets === undefined ? [] : [adviceOnHostSecrets(hostSecrets)]),
    ...doubtful.map(adviceOnStep),
    ...(session === undefined ? [] : adviceOnHeader(session)),
    ...(lines ?? []).flatMap(adviceOnLines),
  ];
  return given({
    ok,
    session,
    doubtful: doubtful.length > 0 ? doubtful : undefined,
    lines,
    writers: authors.writers(),
    ...openIn(open),
    secrets: secrets.length > 0 ? secrets : undefined,
    hostSecrets,
    findings,
    unlisted,
    advice: advice.length > 0 ? [...new Set(advice)] : ["nothing"],
  });
}

const runtimes: { readonly [Origin in EventOrigin]: string } = {
  journal: "session-journal",
  host: "a runtime with three keys",
  legacy: "a runtime with the single key",
};

/** It learns from the events who wrote them, and whether another runtime goes on behind us. */
class Authors {
  /** Another runtime wrote after us. */
  goesOnElsewhere = false;
  hasIgnored = false;
  readonly #writers = new Map<EventOrigin, Omit<Writer, "actors"> & { readonly actors: Set<string> }>();

  has(origin: EventOrigin): boolean {
    return this.#writers.has(origin);
  }

  take({ origin, version, actor, event }: RecordedEvent): void {
    const { events = 0, first = version, actors = new Set<string>() } = this.#writers.get(origin) ?? {};
    this.#writers.set(origin, {
      ...{ runtime: runtimes[origin], events: events + 1, first, last: version },
      actors: actors.add(actor),
    });
    if (origin === "journal") return;
    this.goesOnElsewhere ||= this.has("journal");
    this.hasIgnored ||= "ignored" in event && event.ignored === true;
  }

  writers(): Writer[] {
    return (Object.keys(runtimes) as EventOrigin[]).flatMap((origin) => {
      const writer = this.#writers.get(origin);
      return writer === undefined ? [] : [{ ...writer, actors: [...writer.actors] }];
    });
  }
}

function adviceOn({ kind, severity }: Finding): string {
  switch (kind) {
    case "torn":
      return "torn: a crash or a write in flight; nothing acknowledged is gone, and the next write repairs it";
    case "inherited":
      return "inherited: what came before is elsewhere, in the parent session whose lines the host copied, or in the snapshot of a stream whose owner has old records dropped; nothing to do";
    case "duplicate":
      return "duplicate: a commit was written twice and counted once, as hosts do that flush again; nothing to do";
    case "fork":
      return severity === "note"
        ? "fork: a slower writer lost a race and wrote again; nothing to do"
        : "fork: a commit does not count because of the damage before it; read it with its line number, and apply again what is missing";
    case "foreign":
      return "foreign: lines of the host that it cannot use itself, or that hang on a line that is gone; harmless here, but its model may see less of the conversation";
    case "sealed":
      return "sealed: the commits are hashed with a key, and without it nothing can be checked or written; open the journal with option seal, or with --seal-file on the command line";
    case "redacted":
      return "redacted: texts were taken out of a commit, so it proves nothing about itself any more; what was not redacted proves what it did; nothing to do";
    case "corrupt":
      return "corrupt: a line was damaged on disk or by hand; take it from a backup, the rest of the history is readable";
    case "hash":
      return "hash: a commit was changed after it was written and does not count; take the file from a backup, or apply again what is missing";
    case "gap":
      return "gap: lines are missing before a commit; take the file from a backup, or go on knowing that they are gone";
    case "mirror":
      return "mirror: a value for older runtimes was changed; the next write of session-journal repairs the newest, the events are not touched";
    case "unknown_event":
      return "unknown_event: a newer version of session-journal wrote here; install it to write";
    case "tree":
      return "tree: entries do not hang together, so a host may show less of the conversation; open it with the host and check";
    case "snapshot":
      return "snapshot: what resuming begins with was changed or forged, the events were not; take a new one (session-journal snapshot), and find out who can write there";
    case "head":
      return "head: the file is not the one whose head was kept; compare it with a backup";
  }
}

/** Where any commit counts, the key is right; a single one that does not is damaged. */
function adviceOnSeal(findings: readonly Finding[], authors: Authors): string {
  const wrong = findings.filter(({ kind }) => kind === "hash").length;
  const mayBeOfOtherSeal = wrong > 1 && !authors.has("journal");
  return mayBeOfOtherSeal
    ? "; as no commit is right, a seal that was given may be another journal's, or none is needed"
    : "";
}

function openIn(open: OpenWriters | undefined): Pick<Diagnosis, "open"> {
  return open === undefined || (open.writers.length === 0 && open.lock === undefined) ? {} : { open };
}

function adviceOnOpen({ lock }: OpenWriters = { writers: [] }): string[] {
  if (lock?.isStale !== true) return [];
  return [
    "the lock is stale: its holder was killed or sleeps; the next writer takes it over and goes on, so there is nothing to do",
  ];
}

function adviceOnWriters({ goesOnElsewhere, hasIgnored }: Authors): string[] {
  return [
    ...(goesOnElsewhere
      ? [
          "another runtime goes on writing whole values: what they replaced is listed by lost, and comes back with restore",
        ]
      : []),
    ...(hasIgnored
      ? [
          "a value of another runtime changed nothing, for it is of the wrong type or under the single key after notes had keys of their own: lost shows it",
        ]
      : []),
  ];
}

function adviceOnHeader({ version }: Header): string[] {
  if (version === 0)
    return ["the first line is no session header: a client wipes or refuses such a file, so take it from a backup"];
  if (version >= 3) return [];
  return [
    `the file is of version ${version}: a newer client rewrites it when it opens it and gives its entries other ids; versions and commits stay`,
  ];
}

const commitsOfOthers = /^an extension, (.+):events$/;

function adviceOnLines({ by }: LineCount): string[] {
  const namespace = commitsOfOthers.exec(by)?.[1];
  if (namespace === undefined) return [];
  return [`there may be another journal under the namespace ${namespace}: look at it with --namespace ${namespace}`];
}
