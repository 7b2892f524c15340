import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, test } from "vitest";
import { testStore } from "../../../src/testing/log-conformance.ts";
import { type Program, program } from "../process/spawn.ts";
import { useFolder } from "./folder.ts";

const folder = useFolder();
let writer: Program;

beforeAll(async () => {
  writer = await program("write-marks.ts");
});
afterAll(() => writer.remove());

testStore({
  test,
  logOf: (store) => store.log,
  createStore: () => folder.store(folder.path(`${randomUUID()}.jsonl`)),
  openAgain: (store) => folder.store(store.where),
  spawnWriter: async (store, name, count) => void (await writer.run(store.where, name, String(count))),
});
