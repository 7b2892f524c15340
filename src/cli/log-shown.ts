/** This file is `log --shown`: it prints what the model was shown, and what it did next. */
import { describe } from "../audit/report/describe.ts";
import { type ShownToModel, shownIn } from "../audit/shown.ts";
import type { EventOf, RecordedEvent, ScratchpadEvent } from "../event/event.ts";
import { shownEvent } from "../journal/shown.ts";
import { faces, renderBlock } from "../prompt/block.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import { type HistoryFilter, isByAndWithin } from "./history-filter.ts";
import type { Output } from "./output.ts";
import type { Span } from "./span.ts";
import { whoAndWhen } from "./words.ts";

type Row = ShownToModel & {
  /** The block as it was, where the history still makes one of the recorded digest. */
  readonly block?: string;
};

interface ShownOptions {
  readonly asJson: boolean;
  /** With true, the blocks are printed too. */
  readonly withBlocks: boolean;
  readonly filter: HistoryFilter;
}

export async function printShown(
  history: AsyncIterable<RecordedEvent>,
  { asJson, withBlocks, filter }: ShownOptions,
  output: Output,
): Promise<void> {
  const { rows, titles } = await readShown(history);
  const chosen = rows.filter((row) => isByAndWithin(row, filter));
  if (asJson) for (const row of chosen) output.json(withBlocks ? row : withoutBlock(row));
  else if (chosen.length === 0) output.line({ text: "nothing that was shown is recorded", style: "dim" });
  else if (withBlocks) for (const row of chosen) printWithBlock(row, titles, output);
  else output.table(chosen.map((row) => spansOf(row, titles)));
}

function printWithBlock(row: Row, titles: ReadonlyMap<number, string>, output: Output): void {
  output.table([spansOf(row, titles)]);
  if (row.block !== undefined) output.text(row.block, "  ");
  else if (row.kind === "prompt") output.line({ text: "  (no block of this history)", style: "yellow" });
  output.line();
}

function withoutBlock({ block: _, ...row }: Row): Row {
  return row;
}

/** The texts of the history are not kept, so that a long one fits into memory. */
async function readShown(
  history: AsyncIterable<RecordedEvent>,
): Promise<{ readonly rows: readonly Row[]; readonly titles: ReadonlyMap<number, string> }> {
  const kept: RecordedEvent[] = [];
  const titles = new Map<number, string>();
  const blocks = new Map<number, string>();
  let state = initialState;
  /** This version made the state. */
  let since = 0;
  for await (const recorded of history) {
    const { version, event } = recorded;
    const isPrompt = event.type === "prompt.shown";
    const block = isPrompt && event.shows >= since ? blockOf(state, event) : undefined;
    if (block !== undefined) blocks.set(version, block);
    if (isPrompt || event.type === "nudge.shown") kept.push(recorded);
    else {
      kept.push({ ...recorded, event: { type: event.type } as ScratchpadEvent });
      titles.set(version, describe(event).title);
    }
    const after = evolve(state, event);
    if (after !== state) since = version;
    state = after;
  }
  return { rows: shownIn(kept).map((shown) => withBlock(shown, blocks.get(shown.version))), titles };
}

function withBlock(shown: ShownToModel, block: string | undefined): Row {
  return block === undefined ? shown : { ...shown, block };
}

/** Whatever face it was: its digest tells. */
function blockOf(state: ScratchpadState, { digest }: EventOf<"prompt.shown">): string | undefined {
  return faces
    .map((face) => renderBlock(state, face))
    .find((block) => {
      const event = shownEvent({ block, place: "message" }, 0);
      return event.type === "prompt.shown" && event.digest === digest;
    });
}

function spansOf(shown: Row, titles: ReadonlyMap<number, string>): Span[] {
  const what = shown.kind === "prompt" ? blockText(shown) : shown.kind;
  const then = shown.next.map((next) => `v${next} ${titles.get(next)}`).join(", ");
  return [
    ...whoAndWhen(shown),
    what,
    then === "" ? { text: "then nothing", style: "dim" } : `then ${then}`,
    { text: shown.text ?? "", style: "dim" },
  ];
}

function blockText({ shows = 0, chars = 0, place = "" }: Pick<Row, "shows" | "chars" | "place">): string {
  return chars === 0 ? "nothing to show" : `v${shows}, ${chars} chars (${place})`;
}
