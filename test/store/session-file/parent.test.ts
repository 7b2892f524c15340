/** The host takes the last entry for its leaf: what is not on the path from there, its model no longer sees. */
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import type { SessionFileOptions } from "../../../src/store/session-file/session-file-options.ts";
import type { StoreReader } from "../../../src/testing/store-reader.ts";
import type { Session } from "../../fixtures/session.ts";
import { linesOf, pathOf, useFolder } from "./folder.ts";
import { verifyFile } from "./verify-file.ts";

const folder = useFolder();

function note(reader: StoreReader, text: string) {
  return reader.append({ event: { type: "notes.set", text }, actor: "agent" });
}

function ours(file: string) {
  return linesOf(file).filter(({ customType }) => customType?.startsWith("openclaw:scratchpad"));
}

/** Does something each time the writer asks for the time: after it has read, before it writes. */
function slippingIn(once: () => void): SessionFileOptions {
  let done = false;
  return {
    clock: () => {
      if (!done) {
        done = true;
        once();
      }
      return new Date("2026-11-21T22:00:00.000Z");
    },
  };
}

async function expectSound(session: Session, hostLeaf: string): Promise<void> {
  expect(pathOf(session.file)).toContain(hostLeaf);
  expect((await verifyFile(session.file)).findings.filter(({ severity }) => severity === "damage")).toEqual([]);
}

test("under the header alone the first line of ours has no parent", async () => {
  const session = folder.session();
  await note(folder.reader(session.file), "first");
  const [commit, mirror] = ours(session.file);
  expect(commit?.parentId).toBe(null);
  expect(mirror?.parentId).toBe(commit?.id);
});

test("our lines hang on the newest line of the host's, then on each other", async () => {
  const session = folder.session();
  const hostLeaf = session.user("hello");
  const reader = folder.reader(session.file);
  await note(reader, "first");
  await note(reader, "second");
  const chain = ours(session.file);
  expect(chain.map(({ parentId }) => parentId)).toEqual([hostLeaf, ...chain.slice(0, -1).map(({ id }) => id)]);
  await expectSound(session, hostLeaf);
});

test("the host's next line may hang on ours, or on its own newest: ours follows", async () => {
  const session = folder.session();
  session.user("hello");
  const reader = folder.reader(session.file);
  await note(reader, "first");
  const onOurs = session.host("message", { message: { role: "assistant" } }, ours(session.file).at(-1)?.id ?? "");
  await note(reader, "second");
  expect(ours(session.file).at(-2)?.parentId).toBe(onOurs);
  const sibling = session.user("from another branch", onOurs);
  await note(reader, "third");
  expect(ours(session.file).at(-2)?.parentId).toBe(sibling);
  await expectSound(session, sibling);
});

test("a value line of another runtime is a line of the host's", async () => {
  const session = folder.session();
  session.user("hello");
  const value = session.value(":plan", "theirs");
  await note(folder.reader(session.file), "first");
  expect(ours(session.file).find(({ customType }) => customType?.endsWith(":events"))?.parentId).toBe(value);
});

test("a line without an id is nobody's parent", async () => {
  const session = folder.session();
  const hostLeaf = session.user("hello");
  session.append('{"type":"custom","customType":"x"}\n{"broken\n\n[]\n');
  await note(folder.reader(session.file), "first");
  expect(ours(session.file)[0]?.parentId).toBe(hostLeaf);
});

test("of a long message the id is found, however far back", async () => {
  const session = folder.session();
  const hostLeaf = session.user("x".repeat(300_000));
  await note(folder.reader(session.file), "first");
  expect(ours(session.file)[0]?.parentId).toBe(hostLeaf);
});

test("the wrong parent that a dead writer left is not inherited", async () => {
  const session = folder.session();
  session.user("hello");
  const reader = folder.reader(session.file);
  await note(reader, "first");
  const stale = ours(session.file).at(-1) as { id: string };
  const hostLeaf = session.user("go on");
  const orphan = {
    type: "custom",
    customType: "openclaw:scratchpad:mark",
    mirror: "",
    id: "deadbeef",
    parentId: stale.id,
  };
  session.append(`${JSON.stringify({ ...orphan, timestamp: "2026-11-21T21:00:00.000Z" })}\n`);
  await note(folder.reader(session.file), "second");
  const commit = ours(session.file).findLast(({ customType }) => customType?.endsWith(":events"));
  expect(commit?.parentId).toBe(hostLeaf);
  await expectSound(session, hostLeaf);
});

describe("a host line that slips in between our read and our write", () => {
  test("is put on the path by the mirrors that follow, or by a mark where there are none", async () => {
    const session = folder.session();
    session.user("hello");
    let slipped = "";
    const reader = folder.reader(
      session.file,
      slippingIn(() => {
        slipped = session.user("quick");
      }),
    );
    await note(reader, "first");
    const last = linesOf(session.file).at(-1);
    expect(last).toMatchObject({ customType: "openclaw:scratchpad:mark", parentId: slipped });
    expect(last).not.toHaveProperty("data");
    await expectSound(session, slipped);
  });

  test("and changes a value is mended with the right parent, without a mark", async () => {
    const session = folder.session();
    session.user("hello");
    let slipped = "";
    const reader = folder.reader(
      session.file,
      slippingIn(() => {
        slipped = session.value(":plan", "theirs");
      }),
    );
    await note(reader, "first");
    expect(reader.state).toMatchObject({ notes: "first", plan: "theirs" });
    await expectSound(session, slipped);
  });

  test("is put on the path without mirrors too", async () => {
    const session = folder.session();
    session.user("hello");
    let slipped = "";
    const slip = slippingIn(() => {
      slipped = session.user("quick");
    });
    await note(folder.reader(session.file, { ...slip, mirror: false }), "first");
    await expectSound(session, slipped);
  });
});

describe("behind litter that is no entry", () => {
  test.each([
    ["a blank line", "\n"],
    ["a torn line", '{"type":"custom","custo\n'],
    ["a line without an id", '{"type":"x"}\n'],
  ])("%s, a writer sees that the last entry hangs in the wrong place", async (_, litter) => {
    const session = folder.session();
    session.user("hello");
    let slipped = "";
    const slip = slippingIn(() => {
      slipped = session.user("quick");
    });
    const dying = folder.reader(session.file, { ...slip, mirror: false });
    await note(dying, "first");
    const whole = fs.readFileSync(session.file, "utf8").split("\n");
    fs.writeFileSync(session.file, `${whole.slice(0, -2).join("\n")}\n${litter}`);
    expect(pathOf(session.file)).not.toContain(slipped);
    const reader = folder.reader(session.file, { mirror: false });
    await reader.commit(() => ({ id: "c-none", at: "2026-11-21T22:00:00.000Z", events: [] }));
    await expectSound(session, slipped);
  });
});

test("several writers and a host in turn never leave the host's newest line off the path", async () => {
  const session = folder.session();
  const readers = [folder.reader(session.file), folder.reader(session.file, { mirror: false })];
  let hostLeaf = session.user("hello");
  for (let turn = 0; turn < 12; turn++) {
    await note(readers[turn % 2] as StoreReader, `turn ${turn}`);
    expect(pathOf(session.file)).toContain(hostLeaf);
    if (turn % 3 === 0) hostLeaf = session.user(`message ${turn}`);
  }
});
