/** This lens reads Gemini CLI: `~/.gemini/tmp/<hash or slug>/chats/session-*.json`, since 0.40 `.jsonl`. */

import { type Fields, fields, isFields } from "../event/fields.ts";
import type { ForeignFacts } from "../event/foreign.ts";
import { given } from "../options.ts";
import { EditedFiles } from "./edited-files.ts";
import { list, text, time } from "./fields.ts";
import { callIn, GeminiCalls } from "./gemini-calls.ts";
import { GeminiHistory } from "./gemini-history.ts";
import {
  type GeminiHead,
  hasKnownSnapshots,
  isGeminiLine,
  isWork,
  namesFollowed,
  scanGemini,
  writtenIn,
} from "./gemini-lines.ts";
import { GeminiLineScan } from "./gemini-scan.ts";
import { FactsKeeper } from "./keeper.ts";
import { LeftSpans, type Span } from "./left-spans.ts";
import type { Lens, LensLine, LensOptions, LensPiece, LensReader } from "./lens.ts";
import { lineFeed } from "./line-heads.ts";
import { keyOf } from "./main-line.ts";
import { RecentIds } from "./recent-ids.ts";
import { RecentPlaces } from "./recent-places.ts";
import { type Confirmed, type LinePlace, Telling } from "./telling.ts";

export const gemini: Lens = {
  client: "gemini-cli",
  title: "Gemini CLI",
  checkedAgainst: ["0.19 (whole-file JSON)", "0.40", "0.61.0"],
  detects: isGeminiLine,
  begin: (options) => new GeminiReader(options),
};

const metaKeys = ["sessionId", "projectHash", "startTime", "lastUpdated", "summary", "directories", "memoryScratchpad"];
const known: ReadonlySet<string> = new Set([
  ...["metadata", "$set", "$rewindTo", "user", "gemini", "info", "error", "warning"],
]);
/** A call in another status has no result yet. */
const finalStatuses: ReadonlySet<string> = new Set(["success", "error", "cancelled"]);

class GeminiReader implements LensReader {
  readonly #options: LensOptions;
  readonly #telling: Telling;
  readonly #files: EditedFiles;
  readonly #calls: GeminiCalls;
  readonly #keeper = new FactsKeeper(known);
  readonly #left: LeftSpans;
  readonly #found: Span[] = [];
  readonly #scan = new GeminiLineScan();
  /** Each message stands here first, by the number of its id. */
  readonly #places = new RecentPlaces();
  readonly #answered = new RecentIds();
  readonly #history: GeminiHistory;
  readonly #pending = new Map<string, { readonly tool: string; readonly place: LinePlace }>();
  readonly #agents = new Set<string>();
  /** Whose session it is, as its metadata says so far: the client takes the last that a file says for all of it. */
  #newestActor = "gemini-cli";
  #kind: string | undefined;
  /** This reading tells it as theirs. It is "" until the first message settles it. */
  #actor: string;
  /** The message whose work was counted last: each is written again as its calls are answered. */
  #working = 0;
  /** Most messages are written again at once. */
  #spoken = 0;
  /** So many calls stand before that message. */
  #callsBefore = 0;
  #isBegun = false;
  /** From the line that begins here all was learned. */
  #learned = -1;

  constructor(options: LensOptions, left: readonly Span[] = [], actor = "", history = new GeminiHistory()) {
    this.#options = options;
    this.#actor = actor;
    this.#history = history;
    this.#left = new LeftSpans(left);
    this.#telling = new Telling(options.emit);
    this.#files = new EditedFiles(this.#telling, options.files);
    this.#calls = new GeminiCalls(this.#telling, this.#files);
  }

  get isOvertaken(): boolean {
    return (this.#isBegun && this.#actor !== this.#newestActor) || !this.#left.knows(this.#found);
  }

  again(emit: LensOptions["emit"]): LensReader {
    const history = new GeminiHistory(this.#history.sought);
    return new GeminiReader({ ...this.#options, emit }, [...this.#found], this.#newestActor, history);
  }

  get session(): string {
    return this.#keeper.session;
  }

  facts(): ForeignFacts {
    const facts = this.#keeper.facts(this.#telling.repetitions, this.#pending);
    const cwd = this.#keeper.cwd ?? this.#files.cwd;
    const noChecklist = this.#calls.isChecklistUsed
      ? {}
      : { noChecklist: this.#calls.noChecklist(this.#keeper.newestModel) };
    return { ...facts, ...given({ cwd }), agents: [...this.#agents], ...noChecklist };
  }

  pass(piece: LensPiece): void {
    // Before the first message the client sets what the session is about.
    if (this.#isEvery || !this.#isBegun || !this.#scan.over(piece)) return;
    for (;;) {
      this.#passSettled(piece);
      const end = piece.bytes.indexOf(lineFeed, piece.at);
      if (end === -1 || this.#learned === piece.offset || !this.#scan.learn(piece.at, end)) return;
      this.#learned = piece.offset;
    }
  }

  /** Takes lines as far as they are settled. What is known of those behind them would be lost by going back to one. */
  #passSettled(piece: LensPiece): void {
    const scan = this.#scan;
    for (scan.settle(piece.at, this.#isKnown()); scan.lines > 0; scan.settle(piece.at, this.#isKnown())) {
      const { bytes, at, offset, number } = piece;
      let timed = 0;
      for (let index = 0; index < scan.count; index++) {
        if (scan.isOfMessage(index, this.#keeper.newestModel)) {
          this.#spoke(scan.keyAt(index), scan.worksAt(index), offset + scan.beginAt(index) - at);
          continue;
        }
        this.#noteTime(timed, index);
        timed = index + 1;
        this.#take(bytes, index, offset - at, number);
      }
      this.#noteTime(timed, scan.count);
      piece.at = scan.next;
      piece.offset = offset + scan.next - at;
      piece.number = number + scan.lines;
    }
  }

  /** A message was seen and whose session it is, so that what sets the context of the session is over. */
  readonly #isKnown = () => this.#isBegun && this.#keeper.session !== "";

  /** The settled line of that index says more than that somebody spoke. The piece begins at `base`, and its next line is the one of this `number`. */
  #take(piece: Buffer, index: number, base: number, number: number): void {
    const scan = this.#scan;
    const begin = scan.beginAt(index);
    const bytes = piece.subarray(begin, scan.endAt(index));
    const line = { bytes, offset: base + begin, number: number + scan.before(index) };
    if (scan.isParsed(index)) {
      if (!hasKnownSnapshots(bytes, this.#history.snapshots)) this.#parse(line);
    } else if (!scan.changesFiles(index)) this.take(line);
    else if (namesFollowed(bytes, this.#options.files)) this.#parse(line);
    else if (scan.isOfModel(index, this.#keeper.newestModel)) {
      this.#noteTime(index, index + 1);
      this.#spoke(scan.keyAt(index), scan.worksAt(index), line.offset);
    } else this.take(line);
  }

  /** The newest time of the settled lines from `from` to `to` is that of the session. */
  #noteTime(from: number, to: number): void {
    for (let index = to - 1; index >= from; index--) {
      const at = time(this.#scan.timeOf(index));
      if (at === undefined) continue;
      this.#keeper.at = at;
      return;
    }
  }

  /** What is sought may stand in any line that sets the history. */
  get #isEvery(): boolean {
    return this.#options.every === true || this.#history.sought.size > 0;
  }

  take(line: LensLine): void {
    if (!this.#isEvery) {
      const found = scanGemini(line.bytes, this.#options.files, this.#isKnown());
      if (found === "pass") return;
      if (found !== "parse") {
        this.#head(found, line);
        return;
      }
    }
    this.#parse(line);
  }

  #parse(line: LensLine): void {
    const value = this.#telling.read(line);
    if (isFields(value)) this.#act(value, line);
    else if (value !== undefined) this.#keeper.count("a value that is no object");
  }

  #act(value: Fields, line: LensLine): void {
    const id = text(value["id"]);
    const target = text(value["$rewindTo"]);
    if (target !== undefined) this.#rewind(target, line);
    else if (id !== undefined) this.#message(id, value, line);
    else if (isFields(value["$set"])) this.#set(value["$set"], line);
    else if (metaKeys.some((name) => name in value)) this.#meta(value);
    else this.#keeper.count(text(value["type"]) ?? "no type");
  }

  #meta(value: Fields): void {
    this.#keeper.session = text(value["sessionId"]) ?? this.#keeper.session;
    this.#keeper.cwd ??= text(list(value["directories"])[0]);
    this.#files.cwd ??= this.#keeper.cwd;
    this.#kind = text(value["kind"]) ?? this.#kind;
    this.#newestActor = this.#kind === "subagent" ? this.#keeper.session || "subagent" : "gemini-cli";
  }

  /** The history that it sets has lost its calls and has other times: only a compression is read out of it. */
  #set(value: Fields, line: LensLine): void {
    this.#meta(value);
    for (const message of this.#history.set(list(value["messages"]).map(fields), line.offset))
      this.#telling.mark("compaction", "", line, time(message["timestamp"]), text(message["id"]) ?? "");
  }

  #message(id: string, value: Fields, line: LensLine): void {
    const type = text(value["type"]) ?? "no type";
    const key = keyOf(id);
    const isFirst = type === "user" && !this.#places.has(key);
    const calls = list(value["toolCalls"]).map(fields);
    const works = calls.some(isWork);
    this.#keeper.count(type);
    const said = isFirst ? writtenIn(value) : undefined;
    this.#head({ key, type, works, at: time(value["timestamp"]), model: text(value["model"]) }, line);
    // What a subagent is told besides its task comes from the client.
    if (said !== undefined && !(this.#actor !== "gemini-cli" && this.#telling.turn > 0)) {
      this.#telling.beginTurn();
      this.#keeper.asked(this.#telling.turn, said);
    }
    let before = this.#callsBefore;
    for (const [index, call] of calls.entries()) {
      this.#call(text(call["id"]) ?? `${id}.${index}`, call, line, before);
      if (isWork(call)) before += 1;
    }
    // Work before a plan call is not that behind it. Without such a call nobody asks how much it was.
    if (!calls.every(isWork)) this.#telling.calls = Math.max(this.#telling.calls, before);
  }

  #head({ key, works, at, model }: GeminiHead, line: LensLine): void {
    this.#isBegun = true;
    this.#actor ||= this.#newestActor;
    this.#keeper.at = time(at) ?? this.#keeper.at;
    this.#spoke(key, works, line.offset);
    if (model !== undefined && this.#keeper.model(model)) this.#telling.mark("model", model, line, time(at));
  }

  /** `message` is the number of its id. */
  #spoke(message: number, works: boolean, offset: number): void {
    if (message !== this.#spoken) {
      this.#places.add(message, offset);
      this.#callsBefore = this.#telling.calls;
    }
    this.#spoken = message;
    if (!works || message === this.#working) return;
    this.#working = message;
    this.#telling.calls += 1;
  }

  #call(id: string, value: Fields, line: LensLine, calls: number): void {
    const call = callIn(value);
    const { offset, number } = line;
    this.#history.called(id, offset);
    if (call.tool === "invoke_agent") this.#began(call.display);
    if (!this.#calls.isPlanCall(call) || this.#answered.has(id)) return;
    if (this.#left.has(offset)) {
      this.#calls.left(call);
      return;
    }
    if (!finalStatuses.has(call.status)) {
      this.#pending.set(id, { tool: call.tool, place: { offset, number } });
      return;
    }
    this.#pending.delete(id);
    this.#answered.add(id);
    const at = time(value["timestamp"]) ?? this.#keeper.at;
    const by: Confirmed = { actor: this.#actor, at, entryId: id, place: { offset, number }, calls };
    this.#calls.answer(call, by);
  }

  /** The parent's file names its subagents only in what it shows of their progress. */
  #began(display: unknown): void {
    for (const activity of list(fields(display)["recentActivity"]).map(fields)) {
      const id = /^([\w-]{1,64})#/.exec(text(activity["id"]) ?? "")?.[1];
      if (id !== undefined) this.#agents.add(id);
    }
  }

  /** The message that it names is left behind, too; one that is not there leaves everything behind, as the client does. */
  #rewind(target: string, line: LensLine): void {
    const own = this.#places.get(keyOf(target));
    if (own === undefined && this.#places.hasForgotten) {
      this.#telling.note(line, `the conversation was rewound to ${target}, which stands too far back to be found`);
      return;
    }
    this.#found.push([own ?? this.#history.placeOf(target) ?? 0, line.offset]);
    this.#telling.mark("branch", `rewound to before ${target}`, line, this.#keeper.at, target);
  }
}
