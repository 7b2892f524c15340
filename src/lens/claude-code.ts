/** This lens reads Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, and the files of its subagents. */
import { fields, isFields } from "../event/fields.ts";
import type { ForeignFacts } from "../event/foreign.ts";
import { isTreeLine, nodeIn } from "./claude-fields.ts";
import type { SettledKind } from "./claude-heads.ts";
import { type ScannedLine, scanLine, scanOther } from "./claude-lines.ts";
import { ClaudePlaces } from "./claude-places.ts";
import { ClaudeLineScan } from "./claude-scan.ts";
import { ClaudeStory } from "./claude-story.ts";
import { list, parsed, text } from "./fields.ts";
import type { Lens, LensLine, LensOptions, LensPiece, LensReader } from "./lens.ts";
import { lineFeed, lineIn, passLine } from "./line-heads.ts";
import { keyOf, MainLine, resultKind } from "./main-line.ts";

export const claudeCode: Lens = {
  client: "claude-code",
  title: "Claude Code",
  checkedAgainst: ["1.0.98", "1.0.108", "1.0.111", "2.1.39", "2.1.119", "2.1.199", "2.1.330", "2.1.332"],
  detects: isTreeLine,
  begin: (options) => new ClaudeReader(options),
};

const shortBytes = 8 * 1024;
const typeOf: Readonly<Record<SettledKind, string>> = {
  result: "user",
  assistant: "assistant",
  attachment: "attachment",
  progress: "progress",
};

class ClaudeReader implements LensReader {
  readonly #options: LensOptions;
  readonly #places: ClaudePlaces;
  readonly #scan: ClaudeLineScan;
  readonly #story: ClaudeStory;
  /** The line that begins here was looked at, and not settled. */
  #unsettled = -1;

  constructor(options: LensOptions, main = new MainLine()) {
    this.#options = options;
    this.#scan = new ClaudeLineScan(options.files);
    this.#places = new ClaudePlaces(main, options.agent);
    this.#story = new ClaudeStory(options, () => options.agent ?? this.#places.fileOf);
  }

  get isOvertaken(): boolean {
    return this.#places.isRewound;
  }

  again(emit: LensOptions["emit"]): LensReader {
    return new ClaudeReader({ ...this.#options, emit }, this.#places.main);
  }

  get session(): string {
    return this.#places.isNobodys ? "" : this.#story.session;
  }

  facts(): ForeignFacts {
    return { ...this.#story.facts(this.#places.roots), session: this.session };
  }

  pass(piece: LensPiece): void {
    if (!this.#mayPass() || !this.#scan.over(piece)) return;
    const { bytes } = piece;
    for (;;) {
      this.#passSettled(piece, bytes.length);
      const end = bytes.indexOf(lineFeed, piece.at);
      if (end === -1) return;
      this.#unsettled = piece.offset;
      if (!this.#scan.learn(piece.at, end)) return;
    }
  }

  take(line: LensLine): void {
    if (this.#options.every === true) return void this.#takeParsed(line);
    if (line.offset === this.#unsettled || !this.#isPassed(line)) this.#lookCloser(line);
  }

  /** This reads a line that was not settled. Looking closely at a short one costs as much as parsing it. */
  #lookCloser(line: LensLine): void {
    const found = line.bytes.length < shortBytes ? scanOther(line.bytes) : scanLine(line.bytes, this.#options.files);
    if (found === "parse") this.#takeParsed(line);
    else this.#takeScanned(found, line);
  }

  #mayPass(): boolean {
    const { every, agent } = this.#options;
    return every !== true && agent === undefined && this.#story.keeper.session !== "";
  }

  /** True: the line is taken, for its bytes tell what it is. */
  #isPassed(line: LensLine): boolean {
    if (!this.#mayPass() || !this.#scan.overLine(line)) return false;
    const { length } = line.bytes;
    const piece = { ...line, at: 0 };
    for (this.#passSettled(piece, length + 1); piece.at === 0; this.#passSettled(piece, length + 1))
      if (!this.#scan.learn(0, length)) return false;
    return true;
  }

  /** Takes lines that end before `end`, as far as they are settled. What is known of those behind them would be lost by going back to one. */
  #passSettled(piece: LensPiece, end: number): void {
    for (let count = this.#scan.settle(piece.at, end); count > 0; count = this.#scan.settle(piece.at, end)) {
      for (let index = 0; index < count; index++) {
        this.#scan.take(index, piece.at);
        if (!this.#scan.isOther && !this.#isTaken(piece, this.#scan.end))
          this.#lookCloser(lineIn(piece, this.#scan.end));
        passLine(piece, this.#scan.end);
      }
    }
  }

  /** True: the settled line that ends at `end` is taken. */
  #isTaken(piece: LensPiece, end: number): boolean {
    const scan = this.#scan;
    if (scan.kind === "assistant" && scan.model !== this.#story.model) return false;
    const isAwaited = scan.kind === "result" && this.#story.isWaiting;
    if (scan.matters || isAwaited) return this.#takeSettled(lineIn(piece, end));
    const place = this.#places.settled(scan);
    if (place === undefined) return true;
    this.#story.telling.calls += scan.calls;
    if (!place.isRewind && !place.isEarly) return true;
    const line = lineIn(piece, end);
    if (place.isRewind) this.#story.markRewind(fields(parsed(line.bytes)), line);
    if (place.isEarly && scan.kind === "result") this.#story.early.keep(line, scan.parent, this.#story.telling.turn);
    return true;
  }

  /** The place of the line is known, but not what it says. */
  #takeSettled(line: LensLine): boolean {
    const scan = this.#scan;
    const value = parsed(line.bytes);
    if (!isFields(value)) return false;
    this.#story.telling.checkBytes(line);
    const place = this.#places.settled(scan);
    if (place === undefined) return true;
    if (place.isRewind) this.#story.markRewind(value, line);
    const blocks = list(fields(value["message"])["content"]);
    if (scan.kind === "assistant") this.#story.countWork(blocks);
    const isEarly = place.isEarly && scan.kind === "result" && !this.#story.isAnswer(blocks);
    this.#story.act(value, typeOf[scan.kind], place.isOn, line);
    if (isEarly) this.#story.early.keep(line, scan.parent, this.#story.telling.turn);
    return true;
  }

  #takeScanned({ type, node, matters, model, results = [], calls = 0 }: ScannedLine, line: LensLine): void {
    this.#story.keeper.count(type);
    let value: unknown;
    const read = () => {
      value ??= parsed(line.bytes);
      return value;
    };
    const place = node === undefined ? undefined : this.#places.place(node, () => fields(read()));
    if (node !== undefined && place === undefined) return;
    if (place?.isRewind === true) this.#story.markRewind(fields(read()), line);
    this.#story.telling.calls += calls;
    const isFirstAnswer = model !== undefined && this.#story.sawModel(model, line);
    const isAwaited = results.some((call) => this.#story.isAwaited(call));
    // What is offered is long, and says something only where there is no checklist.
    if (type === "api-request-shape" && this.#story.checklist.isUsed) return;
    if (matters || isAwaited || isFirstAnswer || this.#story.keeper.session === "") {
      const whole = read();
      if (isFields(whole)) {
        this.#story.telling.checkBytes(line);
        this.#story.act(whole, type, place?.isOn ?? true, line);
      } else this.#story.telling.damage(line, "the line is no JSON");
    } else if (place?.isEarly === true && results.length > 0)
      this.#story.early.keep(line, keyOf(node?.parent), this.#story.telling.turn);
  }

  #takeParsed(line: LensLine): void {
    const value = this.#story.telling.read(line);
    if (value === undefined) return;
    const type = isFields(value) ? (text(value["type"]) ?? "no type") : "a value that is no object";
    this.#story.keeper.count(type);
    if (!isFields(value)) return;
    if (this.#options.agent !== undefined && this.#story.keeper.session === "") this.#story.keeper.learn(value);
    const node = nodeIn(value);
    const place = node === undefined ? undefined : this.#places.place(node, () => value);
    if (node !== undefined && place === undefined) return;
    if (place?.isRewind === true) this.#story.markRewind(value, line);
    const blocks = list(fields(value["message"])["content"]);
    if (type === "assistant") {
      this.#story.countWork(blocks);
      this.#story.sawModel(text(fields(value["message"])["model"]) ?? "", line);
    }
    const isAwaited = this.#story.isAnswer(blocks);
    this.#story.act(value, type, place?.isOn ?? true, line);
    if (place?.isEarly === true && node?.kind === resultKind && !isAwaited) {
      this.#story.early.keep(line, keyOf(node.parent), this.#story.telling.turn);
    }
  }
}
