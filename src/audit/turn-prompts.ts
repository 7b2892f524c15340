/** What the user of a host asked, turn by turn, as the host's own lines in the session file say it. */
import type { RecordedEvent } from "../event/event.ts";
import type { TurnPrompt } from "../event/foreign.ts";
import { classifyRaw } from "../line/classify.ts";
import { beginsTurn, lineNames, type SessionLine } from "../line/format.ts";
import type { VerifiedLine } from "./verify/finding.ts";

const promptMax = 200;

/** The last one before the first event of each turn; turns in which nothing was written are left out. */
export async function turnPrompts(
  lines: AsyncIterable<VerifiedLine>,
  namespace: string,
  events: readonly RecordedEvent[],
): Promise<TurnPrompt[]> {
  const names = lineNames(namespace);
  const prompts: TurnPrompt[] = [];
  let next = 0;
  let text = "";
  const tell = (before: number): void => {
    for (; next < events.length && (events[next]?.offset ?? 0) < before; next++) {
      const turn = events[next]?.turn ?? 0;
      if (turn === prompts.at(-1)?.turn || text === "" || turn === events[next - 1]?.turn) continue;
      prompts.push({ turn, text });
    }
  };
  for await (const line of lines) {
    const content = classifyRaw(line, names);
    if (!beginsTurn(content)) continue;
    tell(line.offset);
    text = promptOf(content);
  }
  tell(Number.POSITIVE_INFINITY);
  return prompts;
}

/** In one line. */
function promptOf(line: SessionLine): string {
  if (line.kind !== "host" || line.fields === undefined) return "";
  const { content } = (line.fields["message"] ?? {}) as { readonly content?: unknown };
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [{ type: "text", text: content }];
  const texts = blocks.flatMap((block) => {
    if (typeof block !== "object" || block === null || !("text" in block)) return [];
    return typeof block.text === "string" ? [block.text] : [];
  });
  return texts
    .join(" ")
    .slice(0, promptMax * 4)
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, promptMax);
}
