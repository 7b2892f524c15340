/** What a process of `spawnWriter` does: opens the stream that its argument names and appends marks. */
import { storeAt } from "../../../src/open/addresses.ts";
import { writeMarks } from "../../../src/testing/log-conformance.ts";

const [where, writer, count] = process.argv.slice(2) as [string, string, string];
const store = await storeAt(where);
try {
  await writeMarks(store, writer, Number(count));
} finally {
  await store.close();
}
