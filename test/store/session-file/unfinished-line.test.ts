/** The last line has no end: it may be in flight, or its writer may be dead. */
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { linesOf, useFolder } from "./folder.ts";
import { verifyFile } from "./verify-file.ts";

const folder = useFolder();
const event = { event: { type: "notes.set", text: "mine" }, actor: "agent" } as const;
const ourTorn = '{"type":"custom","customType":"openclaw:scratchpad:events","data":{"at":"2026-11-21T20';
const hostTorn = '{"type":"message","id":"0000beef","parentId":null,"mess';

describe.each([
  ["of a dead writer of ours", ourTorn],
  ["of the host's", hostTorn],
  [
    "that is a whole entry but for its line feed",
    '{"type":"custom","customType":"openclaw:scratchpad:plan","data":"p"}',
  ],
])("a last line without its end, %s", (_, torn) => {
  test("is kept byte for byte, ended by us, and no line of ours is lost in it", async () => {
    const session = folder.session();
    session.user("hello");
    session.append(torn);
    const before = fs.readFileSync(session.file);
    const reader = folder.reader(session.file);
    await reader.append(event);
    const after = fs.readFileSync(session.file);
    expect(after.subarray(0, before.length).equals(before)).toBe(true);
    expect(after[before.length]).toBe(0x0a);
    expect(reader.state.notes).toBe("mine");
    expect((await verifyFile(session.file)).ok).toBe(true);
  });

  test("is neither folded nor touched by reading", async () => {
    const session = folder.session();
    session.append(torn);
    const before = fs.readFileSync(session.file);
    const reader = folder.reader(session.file, { readonly: true });
    await reader.catchUp();
    expect(reader.events).toEqual([]);
    expect(fs.readFileSync(session.file).equals(before)).toBe(true);
  });
});

test("a line that is still being written is waited for", async () => {
  const session = folder.session();
  const line = `${JSON.stringify({ type: "message", id: "0000beef", parentId: null, message: { role: "user" } })}\n`;
  const pieces = line.match(/.{1,12}\n?/gs) ?? [];
  session.append(pieces[0] as string);
  const reader = folder.reader(session.file);
  const appended = reader.append(event);
  for (const piece of pieces.slice(1)) {
    await sleep(5);
    session.append(piece);
  }
  await appended;
  expect(fs.readFileSync(session.file, "utf8")).toContain(line);
  expect(linesOf(session.file).find(({ customType }) => customType?.endsWith(":events"))?.parentId).toBe("0000beef");
});

test("what was in flight and ends later is read then", async () => {
  const session = folder.session();
  session.append('{"type":"custom","customType":"openclaw:scratchpad:plan",');
  const reader = folder.reader(session.file, { readonly: true });
  await reader.catchUp();
  session.append('"data":"theirs","id":"a1","parentId":null}\n');
  await reader.catchUp();
  expect(reader.state.plan).toBe("theirs");
  expect(reader.resets).toBe(0);
});

test("a tail that its writer took back before it ended is forgotten", async () => {
  const session = folder.session();
  const { size } = fs.statSync(session.file);
  session.append('{"type":"custom","customType":"openclaw:scratchpad:plan","data":"taken back",');
  const reader = folder.reader(session.file, { readonly: true });
  await reader.catchUp();
  fs.truncateSync(session.file, size);
  session.value(":plan", "theirs, at last, and longer than what was there before, in bytes");
  await reader.catchUp();
  expect(reader.state.plan).toMatch(/^theirs/);
});

test("a write that the disk cut short leaves a torn line that is ended, and nothing is acknowledged", async () => {
  const session = folder.session();
  session.user("hello");
  const reader = folder.reader(session.file);
  await reader.catchUp();
  const write = vi.spyOn(fs, "writeSync").mockImplementationOnce((descriptor, bytes) => {
    return fs.writevSync(descriptor, [Buffer.from(bytes as unknown as Uint8Array).subarray(0, 100)]);
  });
  try {
    await expect(reader.append(event)).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  } finally {
    write.mockRestore();
  }
  expect(fs.readFileSync(session.file, "utf8").endsWith("\n")).toBe(true);
  session.user("the host goes on");
  await reader.catchUp();
  expect(reader.events).toEqual([]);
  await reader.append(event);
  expect(reader.events).toHaveLength(1);
  expect((await verifyFile(session.file)).ok).toBe(true);
});

test("a write that lost only its mirrors may have written the commit, and says so", async () => {
  const session = folder.session();
  const reader = folder.reader(session.file);
  await reader.catchUp();
  const write = vi.spyOn(fs, "writeSync").mockImplementationOnce((descriptor, bytes) => {
    const whole = Buffer.from(bytes as unknown as Uint8Array);
    return fs.writevSync(descriptor, [whole.subarray(0, whole.indexOf(0x0a) + 20)]);
  });
  try {
    await expect(reader.append(event)).rejects.toMatchObject({ code: "storage", fate: "unknown" });
  } finally {
    write.mockRestore();
  }
  await reader.catchUp();
  expect(reader.state.notes).toBe("mine");
  expect((await verifyFile(session.file)).ok).toBe(true);
});

test.each(["ENOSPC", "EIO"])(
  "a disk that fails with %s is told with what to do, and the next write works",
  async (code) => {
    const session = folder.session();
    const reader = folder.reader(session.file);
    await reader.catchUp();
    const write = vi.spyOn(fs, "writeSync").mockImplementationOnce(() => {
      throw Object.assign(new Error("disk"), { code });
    });
    try {
      await expect(reader.append(event)).rejects.toMatchObject({
        code: "storage",
        fate: "not-written",
        message: expect.stringContaining(code) as string,
      });
    } finally {
      write.mockRestore();
    }
    await reader.append(event);
    expect(reader.events).toHaveLength(1);
  },
);
