import type { LineCount } from "../../audit/census.ts";
import type { Diagnosis, Writer } from "../../audit/doctor.ts";
import type { SecretPlace } from "../../audit/redact/places.ts";
import type { Finding } from "../../audit/verify/finding.ts";
import type { ForeignSession } from "../../event/foreign.ts";
import type { OpenWriter } from "../../event/open-writers.ts";
import type { Options } from "../options.ts";
import type { Output } from "../output.ts";
import { repaired } from "../repairing.ts";
import type { Span } from "../span.ts";
import { UsageError } from "../usage.ts";
import type { ExitCode, Verb } from "../verb.ts";
import { counted, shortTime, unlistedIn } from "../words.ts";

export const doctor: Verb = {
  about: "say which runtime wrote what, what is wrong, and what to do about it",
  endsByItself: true,
  takesNewest: true,
  writesWith: "fix",
  options: {
    fix: {
      about: "append what repairs the file: the end of a torn last line, values that older runtimes would read wrongly",
    },
    "dry-run": { about: "with --fix: say what would be appended, and change nothing" },
  },
  notes: [
    "Without --fix, it changes nothing. The exit code is 1 if there is damage.",
    "With --fix, you name the session: the newest one of this folder is not taken.",
  ],
  example: "session-journal doctor session.jsonl",
  async run({ where, options, output, open, env }) {
    if (options.flag("fix")) return printRepaired(await repaired(where, options, env), options, output);
    if (options.flag("dry-run")) throw new UsageError("--dry-run says what --fix would do: add --fix");
    const journal = await open("check");
    const diagnosis = await journal.diagnose();
    if (options.flag("json")) output.json(diagnosis);
    else printDiagnosis(diagnosis, output);
    return diagnosis.ok ? 0 : 1;
  },
};

function printRepaired(appended: readonly string[], options: Options, output: Output): ExitCode {
  const isTried = options.flag("dry-run");
  if (options.flag("json")) output.json({ dryRun: isTried, appended });
  else if (appended.length === 0) output.line("there is nothing to repair by appending");
  else {
    output.line(isTried ? "would append" : "appended");
    for (const what of appended) output.line(`  ${what}`);
  }
  return 0;
}

function printDiagnosis(diagnosis: Diagnosis, output: Output): void {
  const { session, foreign, lines = [], writers, advice } = diagnosis;
  if (foreign !== undefined) printForeign(foreign, output);
  if (session !== undefined) {
    const { id, version, cwd, parentSession } = session;
    output.line({ text: "session", style: "bold" });
    output.line(`  ${id || "without id"}, format ${version}${cwd === undefined ? "" : `, in ${cwd}`}`);
    if (parentSession !== undefined) output.line(`  copied from ${parentSession}`);
    output.line();
    output.line({ text: "lines", style: "bold" });
    if (lines.length > 0) output.table(lines.map(linesRow), "wrapped");
    else output.line("  only the header");
    output.line();
  }
  output.line({ text: "journal written by", style: "bold" });
  if (writers.length > 0) output.table(writers.map(writerRow), "wrapped");
  else output.line("  nobody: there is no scratchpad in this session yet");
  output.line();
  printOpen(diagnosis, output);
  printSecrets(diagnosis, output);
  printFindings(diagnosis, output);
  output.line({ text: "what to do", style: "bold" });
  output.table(
    advice.map((text) => ["", text]),
    "wrapped",
  );
}

function printFindings(diagnosis: Diagnosis, output: Output): void {
  const { findings } = diagnosis;
  output.line({ text: "findings", style: "bold" });
  if (findings.length > 0) output.table(findings.map(findingRow), "wrapped");
  else output.line("  none");
  for (const text of unlistedIn(diagnosis)) output.line(`  ${text}`);
  output.line();
}

function printForeign(foreign: ForeignSession, output: Output): void {
  const { title, session, versions, models, cwd, parentSession, agents, turns, repetitions } = foreign;
  output.line({ text: "session", style: "bold" });
  output.line(
    `  ${[title, ...(versions.length === 0 ? [] : [versions.join(", ")])].join(" ")}, session ${session || "without id"}${cwd === undefined ? "" : `, in ${cwd}`}`,
  );
  if (parentSession !== undefined) output.line(`  of session ${parentSession}`);
  if (models.length > 0) output.line(`  models: ${models.join(", ")}`);
  if (agents.length > 0) output.line(`  subagents: ${agents.join(", ")}`);
  output.line(`  ${counted(turns, "turn")}, ${counted(foreign.lines, "line")}, ${counted(foreign.bytes, "byte")}`);
  if (foreign.sha256 !== undefined) output.line(`  SHA-256 ${foreign.sha256}`);
  const { seen, equal, explained, elsewhere } = repetitions;
  if (seen > 0)
    output.line(
      `  repeated by the client: ${seen} (${equal} equal, ${explained} explained, ${elsewhere} from elsewhere)`,
    );
  output.line(`  reading was checked against ${title} ${foreign.checkedAgainst.join(", ")}`);
  output.line();
}

function linesRow({ by, lines, first, last, kinds }: LineCount): Span[] {
  const span = first === last ? `line ${first}` : `line ${first} to ${last}`;
  const byCount = Object.entries(kinds).sort(([, a], [, b]) => b - a);
  const counts = byCount.map(([kind, count]) => `${kind} ${count}`);
  return [`  ${by}`, String(lines), { text: span, style: "dim" }, counts.join(", ")];
}

function writerRow({ runtime, events, first, last, actors }: Writer): Span[] {
  const span = first === last ? `v${first}` : `v${first} to v${last}`;
  return [`  ${runtime}`, counted(events, "event"), span, { text: actors.join(", "), style: "cyan" }];
}

function printOpen({ open }: Diagnosis, output: Output): void {
  if (open === undefined) return;
  output.line({ text: "open for writing", style: "bold" });
  if (open.writers.length > 0) output.table(open.writers.map(openRow), "wrapped");
  const { touched, isStale = false } = open.lock ?? {};
  if (touched !== undefined) {
    const state: Span = isStale ? { text: "stale", style: "yellow" } : "held";
    output.line("  lock ", state, { text: `, last sign of life ${shortTime(touched)}`, style: "dim" });
  }
  output.line();
}

function openRow({ pid, host, since, program }: OpenWriter): Span[] {
  return [
    `  process ${pid}${program === undefined ? "" : ` (${program})`}`,
    { text: `on ${host}`, style: "cyan" },
    since === undefined ? "" : { text: `alive since ${shortTime(since)}`, style: "dim" },
  ];
}

function printSecrets({ secrets = [] }: Diagnosis, output: Output): void {
  if (secrets.length === 0) return;
  output.line({ text: "may be secrets", style: "bold" });
  output.table(secrets.map(secretRow), "wrapped");
  output.line();
}

function secretRow({ kind, version, space, field, line, column, length }: SecretPlace): Span[] {
  const place = `v${version}, ${space === undefined ? "" : `${space}, `}${field}, line ${line}, column ${column}`;
  return [{ text: `  ${kind}`, style: "yellow" }, place, { text: counted(length, "character"), style: "dim" }];
}

function findingRow(finding: Finding): Span[] {
  const { severity, kind, line, detail } = finding;
  // A finding about the whole has no line.
  const place = line === 0 ? "-" : `line ${line}`;
  return [{ text: `  ${severity}`, style: severity === "damage" ? "red" : "yellow" }, kind, place, detail];
}
