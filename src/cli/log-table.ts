/** This file prints the history as a table for other programs: CSV for spreadsheets, Markdown for tickets. */
import type { Limits } from "../action/limits.ts";
import { describe } from "../audit/report/describe.ts";
import { markerTitles } from "../event/marker.ts";
import { typeNameOf } from "../event/parse.ts";
import { isMarker, type LogRow, useAround } from "./log-rows.ts";

export const tableFormats = ["csv", "markdown"] as const;
export type TableFormat = (typeof tableFormats)[number];

const columns = [
  ...["version", "at", "turn", "actor", "type", "space", "what", "text", "before", "after", "limit"],
  ...["command", "commit", "entry", "source"],
];

/** These lines name the columns. They stand before the first row. */
export function tableHead(format: TableFormat): string[] {
  switch (format) {
    case "csv":
      return [columns.map(csvCell).join(",")];
    case "markdown":
      return [columns, columns.map(() => "---")].map(markdownRow);
  }
}

/** The result is a row as one line. Without `limits`, the cells of the budget are empty. */
export function tableLine(row: LogRow, limits: Limits | undefined, format: TableFormat): string {
  const cells = cellsOf(row, limits);
  return format === "csv" ? cells.map(csvCell).join(",") : markdownRow(cells.map(markdownCell));
}

function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function cellsOf(row: LogRow, limits: Limits | undefined): string[] {
  if (isMarker(row)) {
    const { marker, at = "", detail, entryId = "" } = row;
    return ["", at, "", "host", marker, "", markerTitles[marker], detail, "", "", "", "", "", entryId, ""];
  }
  const { version, at, turn, actor, event, command = "", commit = "", entryId = "", source = "" } = row.recorded;
  const { title, text, space = "" } = describe(event);
  const use = limits === undefined ? undefined : useAround(row, limits);
  const numbers = use === undefined ? ["", "", ""] : [use.before, use.after, use.limit].map(String);
  const named = [command, commit, entryId, source];
  return [String(version), at, String(turn), actor, typeNameOf(event), space, title, text, ...numbers, ...named];
}

/**
 * The cell is quoted as RFC 4180 asks. A cell that a spreadsheet would take for a formula begins with an apostrophe, which makes it text
 * there (https://owasp.org/www-community/attacks/CSV_Injection): what agents write must not calculate.
 */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The result is the text as a cell of one row: nothing of it is markup. */
function markdownCell(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/[\\`*_[\]|~!#]/g, "\\$&")
    .replaceAll(/\r?\n/g, "<br>");
}
