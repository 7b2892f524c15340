import type { LastCell } from "./aligned.ts";
import type { Output } from "./output.ts";
import type { Span } from "./span.ts";

/** Prints what was found, and says whether that is anything. */
export async function printed<Item>(
  found: AsyncIterable<Item>,
  spansOf: (item: Item) => Span[],
  output: Output,
  lastCell: LastCell,
) {
  let isAny = false;
  await output.pages(found, (page, table) => {
    isAny ||= page.length > 0;
    table(page.map(spansOf), lastCell);
  });
  return isAny;
}
