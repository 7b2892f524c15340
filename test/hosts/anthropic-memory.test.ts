import { join } from "node:path";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import fc from "fast-check";
import { expect, test } from "vitest";
import { memoryHandlers } from "../../src/entry/anthropic-memory.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { keyOfPath, pathOfKey, relativePath } from "../../src/tool/memory-paths.ts";
import { runExample } from "./example.ts";
import { type Block, serveAnthropic } from "./scripted-anthropic.ts";

const path = "/memories/plan";

test("the real client's tool runner keeps its memory in entries", async () => {
  const results: string[] = [];
  const inputs = [
    { command: "create", path, file_text: "1. Tag\n2. Tell support" },
    { command: "str_replace", path, old_str: "1. Tag", new_str: "1. Tag 2.14.1" },
    { command: "insert", path, insert_line: 1, insert_text: "1b. Sign\n" },
    { command: "rename", old_path: path, new_path: "/memories/release" },
    { command: "view", path },
    { command: "view", path: "/memories/release" },
    { command: "view", path: "/memories" },
  ];
  const server = await serveAnthropic(({ messages }): Block[] => {
    results.push(JSON.stringify(messages.at(-1)));
    const input = inputs[results.length - 1];
    if (input === undefined) return [{ type: "text", text: "Remembered." }];
    return [{ type: "tool_use", id: `toolu_${results.length}`, name: "memory", input }];
  });
  const { stdout, stderr, folder } = await runExample({
    name: "anthropic-memory",
    packages: ["@anthropic-ai/sdk"],
    env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "none" },
  });
  await server.close();
  expect(stdout).toBe("Remembered.\n");
  // The client says there that a model is about to end.
  expect(stderr).toBe("");
  expect(results.slice(1).map((result) => result.includes('"is_error":true'))).toEqual([
    ...[false, false, false, false, true, false, false],
  ]);
  expect(results[6]).toContain("1b. Sign\\n     3\\t2. Tell support");
  expect(results[7]).toContain("/memories/release");
  const journal = await openJournal(join(folder, "session.jsonl"), { readonly: true });
  expect({ ...journal.state.entries }).toEqual({ release: "1. Tag 2.14.1\n1b. Sign\n2. Tell support" });
  expect(journal.version).toBe(5);
  await journal.close();
}, 120_000);

test("what cannot be done is told, and changes nothing", async () => {
  const journal = await openJournal(memoryStore());
  const handlers = memoryHandlers(journal);
  expect(betaMemoryTool(handlers).name).toBe("memory");
  await handlers.create({ path, file_text: "a a" });
  await handlers.create({ path: "/memories/docs/a.md", file_text: "one\ntwo\none" });
  const before = journal.version;
  const doc = "/memories/docs/a.md";
  const long = `/memories/${"é".repeat(20)}`;
  const notThere = (absent: string) => `The path ${absent} does not exist`;
  const refusals: [Promise<string>, string][] = [
    [handlers.view({ path: "/etc/passwd" }), "Path must start with /memories and stay in it, got: /etc/passwd"],
    [handlers.view({ path: "/memories/none" }), `${notThere("/memories/none")}. Please provide a valid path.`],
    [handlers.create({ path, file_text: "" }), `File ${path} already exists`],
    [handlers.create({ path: "/memories/docs", file_text: "" }), "File /memories/docs already exists"],
    [handlers.create({ path: `${path}/b`, file_text: "" }), `Cannot put ${path}/b into ${path}: that is a file`],
    [handlers.create({ path: long, file_text: "" }), `The path ${long} is too long: use shorter names`],
    [
      handlers.str_replace({ path: "/memories/docs", old_str: "a", new_str: "" }),
      `${notThere("/memories/docs")}. Please provide a valid path.`,
    ],
    [
      handlers.str_replace({ path: doc, old_str: "one", new_str: "b" }),
      "No replacement was performed. Multiple occurrences of old_str `one` in lines: 1, 3. Please ensure it is unique",
    ],
    [
      handlers.str_replace({ path, old_str: "", new_str: "b" }),
      `No replacement was performed, old_str \`\` did not appear verbatim in ${path}.`,
    ],
    [
      handlers.insert({ path, insert_line: 2, insert_text: "b" }),
      "Invalid `insert_line` parameter: 2. It should be within the range of lines of the file: [0, 1]",
    ],
    [handlers.insert({ path: "/memories/docs", insert_line: 0, insert_text: "" }), notThere("/memories/docs")],
    [handlers.rename({ old_path: path, new_path: path }), `The destination ${path} already exists`],
    [
      handlers.rename({ old_path: path, new_path: "/memories/docs/" }),
      "The destination /memories/docs/ already exists",
    ],
    [
      handlers.rename({ old_path: "/memories/docs", new_path: "/memories/docs/b" }),
      "Cannot move /memories/docs into itself",
    ],
    [
      handlers.rename({ old_path: "/memories", new_path: "/memories/b" }),
      "Cannot rename the /memories directory itself",
    ],
    [handlers.rename({ old_path: "/memories/none", new_path: path }), notThere("/memories/none")],
    [handlers.delete({ path: "/memories" }), "Cannot delete the /memories directory itself"],
    [handlers.delete({ path: "/memories/toString" }), notThere("/memories/toString")],
  ];
  for (const [outcome, message] of refusals) await expect(outcome).rejects.toThrow(new Error(message));
  expect(journal.version).toBe(before);
  expect(await handlers.delete({ path })).toBe("Successfully deleted /memories/plan");
  await journal.close();
});

test.each([
  "/memories/../x",
  "/memories/%2e%2E/x",
  "/memories//x",
  "/memories/a/./b",
  "/memoriesx",
  "/memories/a\nb",
  "/memories/a\\b",
  "/memories/\ud83d",
])("%j leads nowhere", async (wrong) => {
  const handlers = memoryHandlers(await openJournal(memoryStore()));
  await expect(handlers.create({ path: wrong, file_text: "" })).rejects.toThrow("Path must start with /memories");
});

test("files have any names and lie in folders, and each command answers as the documentation of the tool says", async () => {
  const journal = await openJournal(memoryStore());
  const handlers = memoryHandlers(journal);
  const notes = "/memories/docs/notes.md";
  expect(await handlers.create({ path: notes, file_text: "one\ntwo\nthree\nfour\nfive\nsix\n" })).toBe(
    `File created successfully at: ${notes}`,
  );
  for (const [name, file_text] of [
    ["docs/deep/er/x.txt", "x".repeat(1536)],
    ["docs/.hidden", "h"],
    ["node_modules/p", "p"],
    ["plan", "1. Tag"],
    ["Überblick 🚀.md", "ü"],
  ] as const)
    await handlers.create({ path: `/memories/${name}`, file_text });
  expect(Object.keys(journal.state.entries)).toContain("docs_-2Fnotes_-2Emd");
  const header = (path: string) =>
    `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`;
  expect(await handlers.view({ path: "/memories" })).toBe(
    [
      header("/memories"),
      "1.5K\t/memories",
      "1.5K\t/memories/docs/",
      "1.5K\t/memories/docs/deep/",
      "28B\t/memories/docs/notes.md",
      "6B\t/memories/plan",
      "2B\t/memories/Überblick 🚀.md",
    ].join("\n"),
  );
  expect(await handlers.view({ path: "/memories/docs/deep" })).toBe(
    [
      header("/memories/docs/deep"),
      "1.5K\t/memories/docs/deep",
      "1.5K\t/memories/docs/deep/er/",
      "1.5K\t/memories/docs/deep/er/x.txt",
    ].join("\n"),
  );
  expect(await handlers.view({ path: notes, view_range: [2, 3] })).toBe(
    `Here's the content of ${notes} with line numbers:\n     2\ttwo\n     3\tthree`,
  );
  expect(await handlers.str_replace({ path: notes, old_str: "four", new_str: "4\n4b" })).toBe(
    "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n" +
      "     2\ttwo\n     3\tthree\n     4\t4\n     5\t4b\n     6\tfive\n     7\tsix",
  );
  expect(await handlers.insert({ path: notes, insert_line: 1, insert_text: "1b\n" })).toBe(
    `The file ${notes} has been edited.`,
  );
  const before = journal.version;
  expect(await handlers.rename({ old_path: "/memories/docs", new_path: "/memories/archive/2026" })).toBe(
    "Successfully renamed /memories/docs to /memories/archive/2026",
  );
  expect(journal.state.entries["archive_-2F2026_-2Fnotes_-2Emd"]).toBe("one\n1b\ntwo\nthree\n4\n4b\nfive\nsix\n");
  await expect(handlers.view({ path: "/memories/docs" })).rejects.toThrow("does not exist");
  expect(await handlers.delete({ path: "/memories/archive/" })).toBe("Successfully deleted /memories/archive/");
  const commits = new Set<string | undefined>();
  for await (const { commit } of journal.history({ from: before })) commits.add(commit);
  expect(commits.size).toBe(2);
  expect(Object.keys(journal.state.entries)).toHaveLength(3);
  await journal.close();
});

test("two that edit one file at once lose nothing of each other", async () => {
  const store = memoryStore();
  const [one, other] = [await openJournal(store), await openJournal(store)];
  await memoryHandlers(one).create({ path, file_text: "" });
  const edits = [one, other].flatMap((journal, index) =>
    Array.from({ length: 5 }, (_, edit) =>
      memoryHandlers(journal).insert({ path, insert_line: 0, insert_text: `${index}-${edit}` }),
    ),
  );
  await Promise.all(edits);
  await one.refresh();
  expect(one.state.entries["plan"]?.trim().split("\n").sort()).toHaveLength(10);
  for (const journal of [one, other]) await journal.close();
});

test("a model that asks for many at once is told of no version", async () => {
  const journal = await openJournal(memoryStore());
  const handlers = memoryHandlers(journal);
  const names = Array.from({ length: 30 }, (_, index) => `/memories/${index}`);
  const answers = await Promise.all(names.map((name) => handlers.create({ path: name, file_text: name })));
  expect(answers).toEqual(names.map((name) => `File created successfully at: ${name}`));
  expect(journal.version).toBe(30);
  await journal.close();
});

test("a model that leaves a parameter out or sends another type is told which", async () => {
  const journal = await openJournal(memoryStore());
  const tool = betaMemoryTool(memoryHandlers(journal));
  await tool.run({ command: "create", path, file_text: "one\ntwo" });
  const long = `/memories/${"x".repeat(2_000)}`;
  const refusals: [object, string][] = [
    [{ command: "view" }, "view rejected: path must be a string"],
    [{ command: "view", path: long }, "view rejected: path is 2010 chars long: use shorter names in /memories"],
    [{ command: "view", path, view_range: 5 }, "Invalid `view_range` parameter"],
    [{ command: "view", path, view_range: ["1", "2"] }, "Invalid `view_range` parameter"],
    [{ command: "create", path: {}, file_text: "" }, "create rejected: path must be a string"],
    [{ command: "create", path: "/memories/other" }, "create rejected: file_text must be a string"],
    [{ command: "str_replace", path, new_str: "" }, "str_replace rejected: old_str must be a string"],
    [{ command: "str_replace", path, old_str: "two" }, "str_replace rejected: new_str must be a string"],
    [{ command: "insert", path, insert_line: 1 }, "insert rejected: insert_text must be a string"],
    [{ command: "insert", path, insert_text: "x" }, "Invalid `insert_line` parameter: undefined"],
    [{ command: "delete", path: null }, "delete rejected: path must be a string"],
    [{ command: "rename", old_path: path }, "rename rejected: new_path must be a string"],
  ];
  for (const [command, message] of refusals)
    await expect((async () => tool.run(command as Parameters<typeof tool.run>[0]))()).rejects.toThrow(message);
  expect(journal.version).toBe(1);
  const all = { command: "view", path, view_range: null } as unknown as Parameters<typeof tool.run>[0];
  expect(await tool.run(all)).toContain("two");
  await journal.close();
});

test("every path is a key of its own, and every key a path of its own", () => {
  const piece = fc.constantFrom("_", "-", "_-", "2F", "_-2F", "_-5F", "a", "/", ".", " ", "é", "🚀", "%", "__proto__");
  const path = fc
    .array(fc.oneof(piece, fc.string({ unit: "grapheme", maxLength: 3 })), { maxLength: 8 })
    .map((all) => all.join(""));
  fc.assert(
    fc.property(path, (relative) => {
      fc.pre(relative !== "" && relativePath(`/memories/${relative}`) === relative && relative.isWellFormed());
      const key = keyOfPath(relative);
      if (key === undefined) return;
      expect(key).toMatch(/^[A-Za-z0-9_-]{1,128}$/);
      expect(key).not.toBe("__proto__");
      expect(pathOfKey(key)).toBe(relative);
    }),
  );
  const letter = fc.constantFrom("_", "-", "_-", "2", "F", "E", "5", "a", "z");
  fc.assert(
    fc.property(fc.array(letter, { minLength: 1, maxLength: 20 }), (letters) => {
      const key = letters.join("");
      const shown = pathOfKey(key);
      // Another key of that path is one that no path is written as.
      if (shown !== key) expect(keyOfPath(shown)).toBe(key);
    }),
  );
});
