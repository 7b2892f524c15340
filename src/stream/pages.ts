/** Items by the dozen: what is handed on one by one costs more than what it is. */
export async function* pagesOf<Item>(items: AsyncIterable<Item>, itemsMax: number): AsyncGenerator<Item[]> {
  let page: Item[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < itemsMax) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
