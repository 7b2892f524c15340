/**
 * A lens reads what others wrote: from the session file of another client it makes the same kind of history as a journal of our own has. It
 * is a log that cannot append: lines in, entries out. It is pure; whoever calls it does the reading.
 */
import type { RecordedEvent } from "../event/event.ts";
import type { ForeignFacts, ForeignFinding } from "../event/foreign.ts";
import type { HostMarker } from "../event/marker.ts";
import type { TrackedFiles } from "./tracked-files.ts";

/** This is a whole line of the file, without its line feed. `bytes` is valid only during the call. */
export interface LensLine {
  readonly bytes: Buffer;
  /** The offset is counted in bytes from the start of the file. */
  readonly offset: number;
  /** Lines are counted from 1. */
  readonly number: number;
}

/** This is a piece of the file, with the place of the next line in it. `bytes` is valid only during the call. */
export interface LensPiece {
  readonly bytes: Buffer;
  /** The next line begins here, counted in bytes from the start of the piece. */
  at: number;
  /** The next line begins here, counted in bytes from the start of the file. */
  offset: number;
  /** This is the number of the next line. */
  number: number;
}

/** An event without its version: that is counted by whoever takes it. */
export interface LensEvent extends Omit<RecordedEvent, "version" | "commit"> {
  readonly offset: number;
}

/** A lens emits these, in the order of the file. */
export type LensEntry =
  /** `calls` says how many calls of any tool stand before it: a step that was completed without one is doubtful. */
  | { readonly kind: "event"; readonly recorded: LensEvent; readonly calls: number }
  /** `turn` is the number of the turn that began. */
  | { readonly kind: "turn"; readonly turn: number }
  | { readonly kind: "marker"; readonly marker: HostMarker }
  | { readonly kind: "finding"; readonly finding: ForeignFinding };

export interface LensReader {
  take(line: LensLine): void;
  /** Takes the next lines of a piece as long as their bytes settle them, without making anything of each. The next line is for `take`. */
  pass?(piece: LensPiece): void;
  /** The lines taken so far lead to other entries than those that were told: a rewind left some of them behind. */
  readonly isOvertaken: boolean;
  /** A reader that is to be given every line from the first on, and knows what this one found out about them. */
  again(emit: LensOptions["emit"]): LensReader;
  /** This is the id of the session, or "" as long as no line has said it. */
  readonly session: string;
  /** These are made anew each time, and list what a long session has in thousands. */
  facts(): ForeignFacts;
}

export interface LensOptions {
  readonly emit: (entry: LensEntry) => void;
  /** Edits of these files are followed. */
  readonly files: TrackedFiles;
  /** The id of a subagent whose lines stand in the file of its parent: only they are read. */
  readonly agent?: string;
  /** Parse every line, also those that cannot matter: a line that cannot be parsed is damage. */
  readonly every?: boolean;
}

export interface Lens {
  /** This is the client as an actor: "claude-code". */
  readonly client: string;
  /** This is the name of the client for people: "Claude Code". */
  readonly title: string;
  /** The client's versions whose files it was checked against. */
  readonly checkedAgainst: readonly string[];
  /** The result says whether one of the first lines can only be this client's. */
  detects(line: unknown): boolean;
  begin(options: LensOptions): LensReader;
}
