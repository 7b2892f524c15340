import { expect, test } from "vitest";
import { overStores } from "./streams.ts";

overStores("explaining", (stream) => {
  test("blame says who wrote each line that stands", async () => {
    const journal = await stream.open({ actor: "ann" });
    await journal.notes.set("one\ntwo");
    await journal.apply(
      { action: "edit_notes", operation: "find_replace", find: "two", replace: "2" },
      { actor: "bob" },
    );
    const blamed = await journal.blame("notes");
    expect(blamed.map(({ line, text, actor, version }) => [line, text, actor, version])).toEqual([
      [1, "one", "ann", 1],
      [2, "2", "bob", 2],
    ]);
    expect(await journal.blame("plan")).toEqual([]);
  });

  test("lost shows whole what a budget cut off and what a refusal offered", async () => {
    const journal = await stream.open({ limits: { notes: 4 } });
    await journal.notes.set("kept gone");
    await journal.notes.append("too much");
    expect((await journal.lost()).map(({ reason, text }) => [reason, text])).toEqual([
      ["truncated", " gone"],
      ["refused", "too much"],
    ]);
  });

  test("a space or a head that is none is a programmer's mistake, not an empty answer or damage", async () => {
    const journal = await stream.open();
    await expect(journal.blame("nope" as "notes")).rejects.toThrow(TypeError);
    for (const head of ["abc", { version: -1, hash: "a" }, { version: 1 }]) {
      await expect(journal.verify({ head: head as { version: number; hash: string } })).rejects.toThrow(TypeError);
    }
  });
});
