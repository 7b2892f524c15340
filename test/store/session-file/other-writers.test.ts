/** Writers of one file go one after the other, and write nothing that could only be refused. */
import fs from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Journal } from "../../../src/journal/public.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { OtherWriters } from "../../../src/store/session-file/lock.ts";
import { linesOf, useFolder } from "./folder.ts";

const others = ["111", "222", "333", "444", "555"];

function idOf(mark: string): string {
  return `00000000-0000-4000-8${mark}-000000000000`;
}

describe("who has just written", () => {
  let nowMs = 0;
  let writers: OtherWriters;

  beforeEach(() => {
    nowMs = 100;
    writers = new OtherWriters("aaa", () => nowMs);
    writers.met(idOf("111"));
    writers.wrote();
  });

  test("waits for nobody who writes alone", () => {
    writers.met(idOf("aaa"));
    writers.wrote();
    expect(writers.areMet).toBe(false);
    expect(writers.goFirst(async () => undefined)).toBeUndefined();
  });

  test("waits for nobody because of what was there when it came, or long ago", () => {
    writers = new OtherWriters("aaa", () => nowMs);
    for (const mark of others) writers.met(idOf(mark));
    writers.wrote();
    expect(writers.goFirst(async () => undefined)).toBeUndefined();
    writers.met(idOf("111"));
    nowMs += 2000;
    writers.wrote();
    expect(writers.goFirst(async () => undefined)).toBeUndefined();
  });

  test("lets most of the others go first, whoever they are", async () => {
    for (const mark of others) writers.met(idOf(mark));
    writers.wrote();
    let came = 0;
    await writers.goFirst(async () => {
      came += 1;
      writers.met(idOf("111"));
    });
    expect(came).toBe(4);
  });

  test("does not count its own commits that it reads", async () => {
    writers.met(idOf("111"));
    writers.wrote();
    const read = [idOf("aaa"), idOf("aaa"), idOf("111")];
    await writers.goFirst(async () => writers.met(read.shift()));
    expect(read).toEqual([]);
  });

  test("goes on once nobody comes", async () => {
    for (const mark of others) writers.met(idOf(mark));
    writers.wrote();
    let looks = 0;
    await writers.goFirst(async () => {
      looks += 1;
      nowMs += 1.5;
    });
    expect(looks).toBe(3);
  });

  test("goes on though a test has stopped the clock", async () => {
    writers.met(idOf("111"));
    writers.wrote();
    let looks = 0;
    await writers.goFirst(async () => void looks++);
    expect(looks).toBeGreaterThan(1);
    expect(looks).toBeLessThan(10);
  });

  test("waits for nobody when it comes back later, or when the others have gone", () => {
    writers.met(idOf("111"));
    writers.wrote();
    nowMs += 5;
    expect(writers.goFirst(async () => undefined)).toBeUndefined();
    writers.wrote();
    expect(writers.goFirst(async () => undefined)).toBeUndefined();
  });
});

describe("in a file", () => {
  const folder = useFolder();
  let journals: Journal[] = [];

  afterEach(async () => {
    for (const journal of journals) await journal.close();
    journals = [];
  });

  /** Two journals that know of each other. `measure` runs while a commit of the first one is decided. */
  async function pair(measure: (text: string) => number): Promise<readonly [Journal, Journal, string]> {
    const { file } = folder.session();
    const options = { durability: "os", lock: { mode: "off" } } as const;
    const [one, other] = [await openJournal(file, { ...options, measure }), await openJournal(file, options)];
    journals = [one, other];
    for (const text of ["first", "second", "third"]) {
      await other.notes.set(`${text} of the other`);
      await one.notes.set(text);
    }
    return [one, other, file];
  }

  test("a commit that was overtaken while it was decided is not written before it is decided again", async () => {
    const host = { type: "message", id: "0badcafe", parentId: null, message: { role: "assistant", content: [] } };
    let file = "";
    const [one, , where] = await pair((text) => {
      if (file !== "") fs.appendFileSync(file, `${JSON.stringify(host)}\n`);
      file = "";
      return text.length;
    });
    file = where;
    await one.notes.set("overtaken");
    const [commit, mirror, ...more] = linesOf(where).slice(linesOf(where).findIndex(({ id }) => id === host.id) + 1);
    expect(commit?.parentId).toBe(host.id);
    expect(mirror?.data).toBe("overtaken");
    // No further line has to hang the branch on what the host wrote.
    expect(more).toEqual([]);
  });

  test("a line that a host begins behind a torn one is not cut", async () => {
    const host = JSON.stringify({ type: "message", id: "0badcafe", parentId: null, message: { role: "assistant" } });
    let begin: (() => void) | undefined;
    const { file } = folder.session();
    const measure = (text: string) => {
      begin?.();
      return text.length;
    };
    const one = await openJournal(file, { durability: "os", measure });
    journals = [one];
    fs.appendFileSync(file, '{"type":"mess');
    const startMs = performance.now();
    begin = () => {
      // It is decided again once the torn line has been quiet.
      if (performance.now() - startMs < 15) return;
      begin = undefined;
      fs.appendFileSync(file, `\n${host.slice(0, 20)}`);
      setTimeout(() => fs.appendFileSync(file, `${host.slice(20)}\n`), 5);
    };
    await one.notes.set("behind it");
    expect(begin).toBeUndefined();
    expect(fs.readFileSync(file, "utf8").split("\n")).toContain(host);
    expect(one.state.notes).toBe("behind it");
  });

  test("a commit is written though somebody else writes all the time", async () => {
    let file = "";
    const [one, , where] = await pair((text) => {
      if (file !== "") fs.appendFileSync(file, `${JSON.stringify({ type: "custom", customType: "x" })}\n`);
      return text.length;
    });
    file = where;
    await one.notes.set("at last");
    file = "";
    expect(one.state.notes).toBe("at last");
  });

  test("the entry ids of a handle bear its mark", async () => {
    const [, , file] = await pair((text) => text.length);
    const [, first, , third] = linesOf(file).filter(({ customType }) => customType?.endsWith(":events"));
    expect(third?.id?.slice(19, 23)).toBe(first?.id?.slice(19, 23));
  });
});
