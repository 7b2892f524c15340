/** What a lens has told so far: it tells a change only where something changes, and holds what the client repeats against it. */
import type { Json, ScratchpadEvent } from "../event/event.ts";
import { elsewhere, type ForeignFinding, type Repetitions } from "../event/foreign.ts";
import type { HostMarkerKind } from "../event/marker.ts";
import { isTooDeep, nestingMax } from "../line/json.ts";
import { parsed } from "./fields.ts";
import type { LensEntry, LensLine } from "./lens.ts";
import { SectionNames } from "./tracked-files.ts";

/** So many levels stand around what a call asked for, in the commit of a copy. */
const levelsAround = 8;
const tooDeep = "[nested too deep to be told]";

/** Clients change a list item by item, and each change tells all of it: a file of a few megabytes could tell gigabytes. The unit is UTF-16 code units. */
const planUnitsMax = 262_144;
const planTooLong = `the checklist has more than ${planUnitsMax} characters: it is not told until it is shorter`;

export const notUtf8 = "the line is no UTF-8: the sign \ufffd stands in the place of what cannot be read";

/** A person may rewind a file to any of the texts that a branch gave it: so many of the newest are kept. */
const leftMax = 16;

/** A line stands here. */
export type LinePlace = Pick<LensLine, "offset" | "number">;

/** A change was confirmed by this. */
export interface Confirmed {
  readonly actor: string;
  /** This is an ISO time. */
  readonly at: string;
  /** This is the client's own id for it. */
  readonly entryId?: string | undefined;
  readonly place: LinePlace;
  /** By default the turn that is open. It is that of the newest event, if that is a later one. */
  readonly turn?: number | undefined;
  /** So many calls of tools stand before the call that was confirmed. If this is absent, those that were seen so far count. */
  readonly calls?: number | undefined;
}

/** What was offered with a call that failed or was refused. */
export interface Offer {
  readonly tool: string;
  /** This is the text, if the call has one. */
  readonly content?: string | undefined;
  /** This is the name of the section, if it is about one. */
  readonly name?: string | undefined;
  /** The call asked for this, if it has no text. What is nested too deep for a commit is not told. */
  readonly input?: Json | undefined;
  /** This is the reason, in the words of the client or of the person. */
  readonly message: string;
}

export class Telling {
  turn = 0;
  /** Calls of any tool so far. */
  calls = 0;
  /** It is as the client has it, though it may be too long to be told. */
  plan = "";
  #toldPlan = "";
  #toldTurn = 0;
  readonly sections = new Map<string, string>();
  readonly names = new SectionNames();
  /** What sections of files held since a branch changed them that was left, as far as it is known, and of which nothing was repeated since. The newest is the last. */
  readonly #left = new Map<string, (string | undefined)[]>();
  /** The tool of the newest call for a checklist that was refused. */
  refusedChecklist: string | undefined;
  readonly #emit: (entry: LensEntry) => void;
  readonly #counts = { seen: 0, equal: 0, explained: 0, elsewhere: 0 };

  constructor(emit: (entry: LensEntry) => void) {
    this.#emit = emit;
  }

  get repetitions(): Repetitions {
    return { ...this.#counts };
  }

  beginTurn(): void {
    this.turn += 1;
    this.#emit({ kind: "turn", turn: this.turn });
  }

  setPlan(text: string, by: Confirmed): void {
    if (text === this.plan) return;
    const wasTooLong = this.plan.length > planUnitsMax;
    this.plan = text;
    if (text.length > planUnitsMax) {
      if (!wasTooLong) this.note(by.place, planTooLong);
    } else if (text !== this.#toldPlan) {
      this.#toldPlan = text;
      this.#tell({ type: "plan.set", text }, by);
    }
  }

  writeSection(name: string, text: string, by: Confirmed): void {
    this.#left.delete(name);
    if (this.sections.get(name) === text) return;
    this.sections.set(name, text);
    this.#tell({ type: "section.written", name, text, at: by.at }, by);
  }

  clearSection(name: string, by: Confirmed): void {
    this.#left.delete(name);
    if (this.sections.delete(name)) this.#tell({ type: "section.cleared", name }, by);
  }

  appendNotes(text: string, by: Confirmed): void {
    if (text !== "") this.#tell({ type: "notes.appended", text }, by);
  }

  refuse(
    action: "set_plan" | "sections.write" | "append_notes",
    { tool, content, name, input, message }: Offer,
    by: Confirmed,
  ): void {
    if (action === "set_plan") this.refusedChecklist = tool;
    const offered = {
      tool,
      ...(name === undefined ? {} : { name }),
      ...(content === undefined ? {} : { content }),
      ...(input === undefined ? {} : { input: asCommitted(input) }),
      message,
    };
    this.#tell({ type: "action.refused", action, code: "rejected", offered }, by);
  }

  /**
   * The client repeats its checklist. `because`: where it differs, the file says why, and `by` is who changed it; where it
   * does not differ, it was told just now because of that.
   */
  checkPlan(text: string, by: Confirmed, because = false): void {
    const isEqual = text === this.plan;
    this.#count(isEqual, because);
    if (!isEqual && !because) this.note(by.place, "the checklist was changed from outside, as the client repeats it");
    this.setPlan(text, because ? by : { ...by, actor: elsewhere });
  }

  /** A call that changed this file to `text` stands on a branch of the conversation that was left. The client need not take back the file. */
  leftSection(name: string, text: string | undefined): void {
    this.#left.set(name, [...(this.#left.get(name) ?? []), text].slice(-leftMax));
  }

  /** The result is what the file holds for a call on a branch that was left. */
  heldOnBranch(name: string): string | undefined {
    return this.#left.has(name) ? this.#left.get(name)?.at(-1) : this.sections.get(name);
  }

  /** The client repeats a file before it changes it; undefined where there was none. A first sight is nothing repeated. */
  checkSection(name: string, text: string | undefined, by: Confirmed): void {
    const known = this.sections.get(name);
    const left = this.#left.get(name);
    const isOfBranch =
      this.#left.delete(name) &&
      text !== known &&
      left !== undefined &&
      (left.includes(text) || left.includes(undefined));
    const author = isOfBranch ? by : { ...by, actor: elsewhere };
    if (known === undefined) {
      if (text !== undefined && text !== "") this.writeSection(name, text, author);
      return;
    }
    this.#count(known === text, isOfBranch);
    if (known === text) return;
    if (!isOfBranch) this.note(by.place, `${name} was changed from outside between two edits of the agent's`);
    if (text === undefined) this.clearSection(name, author);
    else this.writeSection(name, text, author);
  }

  /** The client's list is as it was told, though it is written differently. */
  agree(): void {
    this.#count(true, false);
  }

  #count(isEqual: boolean, isExplained: boolean): void {
    this.#counts.seen += 1;
    this.#counts[isExplained ? "explained" : isEqual ? "equal" : "elsewhere"] += 1;
  }

  mark(marker: HostMarkerKind, detail: string, { offset, number }: LinePlace, at?: string, entryId?: string): void {
    const more = { ...(at === undefined ? {} : { at }), ...(entryId === undefined ? {} : { entryId }) };
    this.#emit({ kind: "marker", marker: { marker, ...more, offset, line: number, detail } });
  }

  note(place: LinePlace, detail: string): void {
    this.#find("foreign", "note", place, detail);
  }

  /** A call that the client confirmed, though the list that it set is none: it changes nothing. */
  noList(place: LinePlace): void {
    this.note(place, "a plan call could not be read: what it set is no list");
  }

  inherited(place: LinePlace, detail: string): void {
    this.#find("inherited", "note", place, detail);
  }

  /** The result is what the line says. It is undefined if the line is no JSON, which is damage. */
  read(line: LensLine): unknown {
    const printed = line.bytes.toString("utf8");
    const value = parsed(printed);
    if (value === undefined) this.damage(line, "the line is no JSON");
    else this.checkBytes(line, printed);
    return value;
  }

  /** Bytes that are no UTF-8 are damage: other signs stand in their place in what the line says. */
  checkBytes(line: LensLine, printed = line.bytes.toString("utf8")): void {
    if (printed.includes("\ufffd") && !Buffer.from(printed).equals(line.bytes)) this.damage(line, notUtf8);
  }

  damage(place: LinePlace, detail: string): void {
    this.#find("corrupt", "damage", place, detail);
  }

  #find(kind: ForeignFinding["kind"], severity: ForeignFinding["severity"], place: LinePlace, detail: string): void {
    const { offset, number } = place;
    this.#emit({ kind: "finding", finding: { kind, severity, offset, line: number, detail } });
  }

  #tell(event: ScratchpadEvent, by: Confirmed): void {
    const { actor, at, entryId, place, turn = this.turn, calls = this.calls } = by;
    const id = entryId === undefined ? {} : { entryId };
    // What was lost in a turn may be known only in a later one: a turn that has ended stays as it was told.
    this.#toldTurn = Math.max(this.#toldTurn, turn);
    const recorded = {
      origin: "host",
      event: Object.freeze(event),
      at,
      turn: this.#toldTurn,
      actor,
      ...id,
      offset: place.offset,
    } as const;
    this.#emit({ kind: "event", recorded, calls });
  }
}

/** What was asked for is told as a commit has it, so that a copy has the same: JSON prints some numbers as others. */
function asCommitted(input: Json): Json {
  if (isTooDeep(input, nestingMax - levelsAround)) return tooDeep;
  return JSON.parse(JSON.stringify(input)) as Json;
}
