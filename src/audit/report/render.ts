/**
 * An audit report: one HTML file that needs nothing else. What it shows comes from models and hosts and is not trusted:
 * the page carries it as JSON, its script puts it on the page as text, and its policy lets nothing else run or load.
 */
import { defaultLimits, type Limits } from "../../action/limits.ts";
import type { RecordedEvent } from "../../event/event.ts";
import type { Verification } from "../verify/finding.ts";
import { pageScript, pageScriptHash, pageStyle, pageStyleHash } from "./asset.ts";
import { type PackedHistory, packHistory } from "./pack.ts";

export interface ReportOptions {
  /** The whole history, from the initial state on. */
  readonly events: Iterable<RecordedEvent>;
  /** What `verify` found. Absent: the report says that nothing was verified. */
  readonly verification?: Verification;
  /** Names the report; the session's id when absent. */
  readonly title?: string;
  /** The session's id. */
  readonly session?: string;
  readonly limits?: Limits;
  /** ISO time. */
  readonly generatedAt: string;
}

/** What the page reads from its data block. */
export interface ReportData {
  readonly title: string;
  readonly session?: string;
  readonly generatedAt: string;
  readonly limits: Limits;
  readonly verification?: Verification;
  readonly history: PackedHistory;
}

export function renderReport({ events, verification, title, session, limits, generatedAt }: ReportOptions): string {
  const data: ReportData = {
    title: title ?? session ?? "Session",
    generatedAt,
    limits: { ...defaultLimits, ...limits },
    history: packHistory(events),
    ...(session === undefined ? {} : { session }),
    ...(verification === undefined ? {} : { verification }),
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${asText(data.title)} · scratchpad audit</title>
<style>${pageStyle}</style>
</head>
<body>
<noscript>This report shows its history with the script that it carries. Open it in a browser that runs scripts; it loads nothing from the network.</noscript>
<script type="application/json" id="data">${asScriptData(data)}</script>
<script>${pageScript}</script>
</body>
</html>
`;
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

function asText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** JSON that can neither end its script element nor open a comment in it, and that no line-based tool breaks. */
function asScriptData(data: ReportData): string {
  return JSON.stringify(data).replace(
    unsafe,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const unsafe = /[<>&\u007f-\u009f\u2028\u2029\ufeff]/g;
