/**
 * An audit report: one HTML file that needs nothing else. What it shows comes from models and hosts and is not trusted:
 * the page carries it as JSON, its script puts it on the page as text, and its policy lets nothing else run or load.
 */

import { defaultLimits, type Limits } from "../../action/limits.ts";
import type { RecordedEvent, Version } from "../../event/event.ts";
import type { ForeignSession, TurnPrompt } from "../../event/foreign.ts";
import { type HostMarker, isBehind } from "../../event/marker.ts";
import { given } from "../../options.ts";
import { type DoubtfulStep, doubtfulForeignSteps, doubtfulOwnSteps } from "../doubtful.ts";
import type { Verification } from "../verify/finding.ts";
import { pageScript, pageScriptHash, pageStyle, pageStyleHash } from "./asset.ts";
import { type PackedHistory, packHistory } from "./pack.ts";

/** These are the options of {@link renderReport}. */
export interface ReportOptions {
  /** This is the whole history, from the initial state on. */
  readonly events: Iterable<RecordedEvent>;
  /** This is what `verify` found. If it is absent, the report says that nothing was verified. */
  readonly verification?: Verification;
  /** This is the heading of the report. The default is the session's id. */
  readonly title?: string;
  /** This is the session's id. */
  readonly session?: string;
  readonly limits?: Limits;
  /** This is how many turns the session has. If it is absent, the turns with events count. */
  readonly turns?: number;
  /** This is what the host did to its conversation, as `journal.hostMarkers()` gives it. */
  readonly markers?: readonly HostMarker[];
  /** This is what the user asked in each turn, as `journal.prompts()` gives it: the titles of the turns. */
  readonly prompts?: readonly TurnPrompt[];
  /** For the session of another client, this is the result of `journal.foreign()`. */
  readonly foreign?: ForeignSession;
  /** This is what the page searches for when it is opened, such as `source:tool`. */
  readonly search?: string;
  /** Sentences that say what of the history is not in `events`; they stand at the head of the page. */
  readonly omitted?: readonly string[];
  /** So many events are left out, and the first of `events` stands for them. The default is 0. */
  readonly leftOut?: number;
  /** This is an ISO time. */
  readonly generatedAt: string;
}

/** A session of another client, as the page tells of it. */
export type ReportClient = Pick<
  ForeignSession,
  "title" | "versions" | "models" | "session" | "cwd" | "parentSession" | "agents" | "turns" | "noChecklist" | "sha256"
>;

/** The host did this behind the event of that version. */
export interface ReportMark extends Pick<HostMarker, "marker" | "at" | "detail"> {
  readonly version: Version;
}

/** This is what the page reads from its data block. */
export interface ReportData {
  readonly title: string;
  readonly session?: string;
  readonly generatedAt: string;
  readonly limits: Limits;
  readonly verification?: Verification;
  readonly client?: ReportClient;
  readonly turns?: number;
  readonly marks: readonly ReportMark[];
  readonly prompts: readonly TurnPrompt[];
  /** What the user asked first, where prompts are shown and the beginning is. */
  readonly asked?: string;
  /** This is searched for at first. */
  readonly search?: string;
  /** Steps of the plan whose record does not bear out what it says. */
  readonly doubtful: readonly DoubtfulStep[];
  readonly omitted?: readonly string[];
  /** The first event of the whole history stands for so many that are not shown. */
  readonly leftOut?: number;
  /** So many events are told later; the first event of the history stands for them until then. */
  readonly awaited?: number;
  readonly history: PackedHistory;
}

/** What stands before the events that were told first, in parts and in order; `isLast`: now it is all of them. */
export interface EarlierEvents {
  readonly history: PackedHistory;
  readonly isLast: boolean;
}

/**
 * Makes the audit report of a history: the text of one HTML file that loads nothing.
 *
 * @param options The history, and what else the report shows.
 * @throws TypeError if the history has no valid times.
 * @example
 * const html = renderReport({ events, verification, generatedAt: new Date().toISOString() });
 */
export function renderReport(options: ReportOptions): string {
  const data = reportData(options);
  return pageHtml(
    policy,
    `${data.title} · scratchpad audit`,
    `<noscript>This report shows its history with the script that it carries. Open it in a browser that runs scripts; it loads nothing from the network.</noscript>
<script type="application/json" id="data">${asScriptData(data)}</script>`,
  );
}

/** The page that shows what its server tells it: sessions as they grow, each as its report would show it. */
export function renderView(title: string): string {
  return pageHtml(
    viewPolicy,
    title,
    "<noscript>This page shows sessions with the script that it carries. Open it in a browser that runs scripts.</noscript>",
  );
}

function pageHtml(policy: string, title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${asText(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
${content}
<script>${pageScript}</script>
</body>
</html>
`;
}

/** The events of this history can be gone through several times. */
type HeldHistory = ReportOptions & { readonly events: readonly RecordedEvent[] };

/** The page reads this to show one session. */
function reportData(options: ReportOptions): ReportData {
  const events = [...options.events];
  return { ...aboutOf({ ...options, events }), history: packHistory(events) };
}

/** A page may begin with this: it lacks what takes another pass over the history. `awaited` is that of {@link ReportData}. */
export function beginningOf(options: HeldHistory, awaited?: number): ReportData {
  return { ...aboutSession(options), doubtful: [], ...given({ awaited }), history: packHistory(options.events) };
}

/** The page gets this besides the events. */
export function aboutOf(options: HeldHistory): Omit<ReportData, "history"> {
  return { ...aboutSession(options), doubtful: doubtfulIn(options) };
}

function doubtfulIn({ events, markers: own, foreign }: HeldHistory): readonly DoubtfulStep[] {
  const markers = own ?? foreign?.markers ?? [];
  return foreign === undefined
    ? doubtfulOwnSteps({ events, markers })
    : doubtfulForeignSteps(foreign.client, { events, markers, calls: foreign.calls });
}

function aboutSession(options: HeldHistory): Omit<ReportData, "history" | "doubtful"> {
  const { events, verification, title, session, limits, foreign, turns, search, generatedAt, omitted = [] } = options;
  const { leftOut = 0 } = options;
  const markers = options.markers ?? foreign?.markers ?? [];
  return {
    title: title ?? session ?? "Session",
    generatedAt,
    limits: { ...defaultLimits, ...limits },
    marks: marksAmong(events, markers),
    prompts: options.prompts ?? [],
    ...given({ asked: askedIn(options) }),
    ...(omitted.length === 0 ? {} : { omitted }),
    ...(foreign === undefined ? {} : { client: clientOf(foreign) }),
    ...given({ turns, search, session, verification, leftOut: leftOut === 0 ? undefined : leftOut }),
  };
}

function askedIn({ prompts, foreign, omitted = [], leftOut = 0 }: HeldHistory): string | undefined {
  if (prompts === undefined || omitted.length > 0 || leftOut > 0) return undefined;
  return (foreign?.firstMessage || prompts[0]?.text)?.slice(0, askedUnits);
}

/** A heading has no room for more. */
const askedUnits = 400;

function clientOf(foreign: ForeignSession): ReportClient {
  const { title, versions, models, session, cwd, parentSession, agents, turns, noChecklist, sha256 } = foreign;
  return {
    ...{ title, versions, models, session, agents, turns },
    ...given({ cwd, parentSession, noChecklist, sha256 }),
  };
}

/** The marks are placed by their position in the file; both inputs are in the order of the file. */
function marksAmong(events: readonly RecordedEvent[], markers: readonly HostMarker[]): ReportMark[] {
  let position = 0;
  return markers.map((mark) => {
    for (let next = events[position]; next !== undefined && isBehind(mark, next); next = events[position])
      position += 1;
    const { marker, at, detail } = mark;
    return { marker, detail, version: events[position - 1]?.version ?? 0, ...given({ at }) };
  });
}

const policy = [
  "default-src 'none'",
  `script-src '${pageScriptHash}'`,
  `style-src '${pageStyleHash}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** A view asks its own server; a report, which is a file, has nobody to ask. */
export const viewPolicy = `${policy}; connect-src 'self'`;

function asText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** JSON that can neither end its script element nor open a comment in it, and that no line-based tool breaks. */
function asScriptData(data: ReportData): string {
  // Signs are frequent, and no others are looked for where there are none.
  const json = JSON.stringify(data).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026");
  return json.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const unsafe = /[\u007f-\u009f\u2028\u2029\ufeff]/g;
