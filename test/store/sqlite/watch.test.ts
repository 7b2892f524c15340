import { expect, test } from "vitest";
import { Database } from "../../../src/store/sqlite/database.ts";
import { findDriver } from "../../../src/store/sqlite/drivers.ts";
import type { SqliteDatabase } from "../../../src/store/sqlite/schema.ts";
import { watchDatabase } from "../../../src/store/sqlite/watch.ts";

const { connect } = await findDriver();

test("a look at a database that another process holds just then does not end the process, and the next one tells", async () => {
  const database = connect(":memory:");
  let looks = 0;
  const busy: SqliteDatabase = {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare: () => ({
      run: () => undefined,
      all: () => [],
      get: () => {
        looks += 1;
        if (looks < 4) throw Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
        return { data_version: looks < 6 ? 1 : 2 };
      },
    }),
  };
  let wakes = 0;
  let done: () => void = () => undefined;
  const twice = new Promise<void>((resolve) => {
    done = resolve;
  });
  const unwatch = watchDatabase(new Database("a database", busy, 0, true), () => {
    wakes += 1;
    if (wakes === 2) done();
  });
  await twice;
  await unwatch();
  database.close();
  expect(looks).toBeGreaterThanOrEqual(6);
});
