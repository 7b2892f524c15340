/** Lenses over lines in memory, and lines as the clients write them. The lines are made here, not found. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { ForeignFacts, ForeignFinding } from "../../src/event/foreign.ts";
import type { HostMarker } from "../../src/event/marker.ts";
import { DocumentFrames } from "../../src/lens/document-frames.ts";
import type { Lens, LensEntry, LensEvent, LensOptions, LensReader } from "../../src/lens/lens.ts";
import { lensOf } from "../../src/lens/lenses.ts";
import { lineHeads } from "../../src/lens/line-heads.ts";
import { TrackedFiles } from "../../src/lens/tracked-files.ts";
import { type FramedLine, LineFrames } from "../../src/store/lens/line-frames.ts";

export const fixtures = path.resolve("fixtures/sessions");

/** Paths from `fixtures`, those of subagents among them. */
export const foreignFixtures: readonly string[] = ["claude-code", "codex", "droid", "gemini-cli", "opencode"].flatMap(
  (client) =>
    readdirSync(path.join(fixtures, client), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl") || (name.endsWith(".json") && path.basename(name) === name))
      .map((name) => path.join(client, name))
      .sort(),
);

const loginSteps = [
  "Reproduce the login bug",
  "Fix the comparison in login.js",
  "Rename the login module",
  "Add a regression test",
];

/** The plan of the recorded sessions about a login bug, as `summary` shows it. A step whose box is "" is not there. */
export function loginPlan(...boxes: readonly string[]): string {
  return boxes.flatMap((box, index) => (box === "" ? [] : [`- [${box}] ${loginSteps[index]}`])).join(" | ");
}

/** Every name, size, time and inode in a folder: reading must leave them as they are. */
export function lookOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => {
    const { size, mtimeNs, ino } = statSync(path.join(folder, name), { bigint: true });
    return `${name} ${size} ${mtimeNs} ${ino}`;
  });
}

export interface Told {
  readonly events: readonly (LensEvent & { readonly calls: number })[];
  readonly markers: readonly HostMarker[];
  readonly findings: readonly ForeignFinding[];
  readonly turns: number;
  readonly facts: ForeignFacts;
  /** How often the lines had to be read. */
  readonly readings: number;
}

/** Lines that are no texts are printed as JSON, but for bytes. */
export function tell(lens: Lens, lines: readonly (string | object)[], options: Partial<LensOptions> = {}): Told {
  const printed = lines.map(bytesOf);
  let entries: LensEntry[] = [];
  const emit = (entry: LensEntry): void => {
    entries.push(entry);
  };
  let reader: LensReader = lens.begin({ files: new TrackedFiles(), ...options, emit });
  let readings = 0;
  for (let more = true; more; readings++) {
    let offset = 0;
    for (const [index, line] of printed.entries()) {
      const bytes = Buffer.from(line);
      if (line.length > 0) reader.take({ bytes, offset, number: index + 1 });
      // What a lens was given holds for the call only.
      bytes.fill(0x20);
      offset += bytes.length + 1;
    }
    more = reader.isOvertaken && readings < 5;
    if (more) {
      entries = [];
      reader = reader.again(emit);
    }
  }
  return toldBy(entries, reader, readings);
}

function bytesOf(line: string | object): Buffer {
  if (Buffer.isBuffer(line)) return line;
  return Buffer.from(typeof line === "string" ? line : JSON.stringify(line));
}

function toldBy(entries: readonly LensEntry[], reader: LensReader, readings: number): Told {
  return {
    events: entries.flatMap((entry) => (entry.kind === "event" ? [{ ...entry.recorded, calls: entry.calls }] : [])),
    markers: entries.flatMap((entry) => (entry.kind === "marker" ? [entry.marker] : [])),
    findings: entries.flatMap((entry) => (entry.kind === "finding" ? [entry.finding] : [])),
    turns: entries.filter(({ kind }) => kind === "turn").length,
    facts: reader.facts(),
    readings,
  };
}

/** The same, as a file is read: in pieces of so many bytes, whose lines the lens may pass. `isInRoom`: where the lens has room for them. */
export function tellPieces(
  lens: Lens,
  lines: readonly (string | object)[],
  pieceLength: number,
  { isInRoom = false } = {},
): Told {
  const bytes = Buffer.concat(lines.flatMap((line) => [bytesOf(line), Buffer.from("\n")]));
  let entries: LensEntry[] = [];
  const emit = (entry: LensEntry): void => {
    entries.push(entry);
  };
  let reader: LensReader = lens.begin({ files: new TrackedFiles(), emit });
  let readings = 1;
  for (; ; readings++) {
    const frames = new LineFrames();
    const current = reader;
    const take = (line: FramedLine) => line.bytes !== undefined && line.bytes.length > 0 && current.take(line);
    // One buffer for all pieces, as a file is read: what a lens was given holds for the call only.
    const piece =
      (isInRoom ? lineHeads(1024 * 1024)?.room : undefined)?.subarray(0, pieceLength) ?? Buffer.alloc(pieceLength);
    for (let from = 0; from < bytes.length; from += pieceLength) {
      const length = bytes.copy(piece, 0, from, from + pieceLength);
      frames.push(piece.subarray(0, length), take, current.pass?.bind(current));
    }
    if (!reader.isOvertaken || readings === 5) break;
    entries = [];
    reader = reader.again(emit);
  }
  return toldBy(entries, reader, readings);
}

/** Of one JSON document with a list of messages. `pieceLength`: how much is pushed at once. */
export function linesOfDocument(document: string, pieceLength = 1000): string[] {
  const frames = new DocumentFrames(64 * 1024 * 1024);
  const lines: string[] = [];
  const bytes = Buffer.from(document);
  for (let from = 0; from < bytes.length; from += pieceLength) {
    const piece = Buffer.from(bytes.subarray(from, from + pieceLength));
    frames.push(piece, (line) => lines.push(line.bytes?.toString() ?? ""));
    // What the frames were given holds for the call only.
    piece.fill(0x20);
  }
  return lines;
}

export function linesOf(fixture: string): string[] {
  const text = readFileSync(path.join(fixtures, fixture), "utf8");
  return fixture.endsWith(".json") ? linesOfDocument(text) : text.split("\n").slice(0, -1);
}

export function tellFixture(fixture: string, options?: Partial<LensOptions>): Told {
  const lines = linesOf(fixture);
  const lens = lensOf(lines);
  if (lens === undefined) throw new Error(`${fixture} is no session of a known client`);
  return tell(lens, lines, options);
}

/** What happened, a line an event: `t1 claude-code plan.set - [ ] a`. */
export function summary({ events }: Told): string[] {
  return events.map(({ event, turn, actor }) => {
    const name = "name" in event ? ` ${event.name}` : "";
    const text = "text" in event ? ` ${(event.text ?? "").replaceAll("\n", " | ")}` : "";
    return `t${turn} ${actor} ${event.type}${name}${text}`;
  });
}
