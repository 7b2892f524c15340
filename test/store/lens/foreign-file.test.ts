import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { foreignFile } from "../../../src/store/lens/foreign-file.ts";
import { temporaryFolder } from "../../cli/cli.ts";

const time = "2026-01-01T00:00:00.000Z";

function fileWith(content: string): string {
  const file = join(temporaryFolder(), "session");
  writeFileSync(file, content);
  return file;
}

function found(content: string): string | undefined {
  const foreign = foreignFile(fileWith(content));
  return foreign && `${foreign.lens.client}, ${foreign.form}`;
}

test("metadata that is longer than what is looked at first, and has an empty list of messages, begins lines", () => {
  for (const count of [10, 200, 2000]) {
    const directories = Array.from({ length: count }, (_, index) => `/home/dev/a-folder-with-a-long-name/${index}`);
    const metadata = { sessionId: "1", projectHash: "1", startTime: time, messages: [], directories };
    const message = { id: "1", timestamp: time, type: "gemini", content: "" };
    expect(found(`${JSON.stringify(metadata)}\n${JSON.stringify(message)}\n`)).toBe("gemini-cli, lines");
  }
});

test.each([10, 7_900, 8_192, 20_000, 65_536, 400_000])(
  "whose session it is shows behind %i bytes of prompts, lists and blank lines, too",
  (length) => {
    // A key of a document that stands in a text is no key.
    const prompt = `"messages":[{}] ${"x".repeat(length)}`;
    const meta = { timestamp: time, type: "session_meta", payload: { id: "1", base_instructions: { text: prompt } } };
    const context = { timestamp: time, type: "turn_context", payload: { cwd: "/" } };
    const lines = [meta, context].map((line) => `${JSON.stringify(line)}\n`).join("");
    expect(found(lines)).toBe("codex, lines");
    expect(found(`${"\n".repeat(length)}${lines.replace("x".repeat(length), "")}`)).toBe("codex, lines");
    const message = { id: "1", timestamp: time, type: "gemini", content: "" };
    const document = { sessionId: "1", projectHash: "1", messages: [message] };
    expect(found(JSON.stringify({ odd: prompt, ...document }))).toBe("gemini-cli, document");
    expect(found(JSON.stringify({ odd: prompt, ...document }, null, 2))).toBe("gemini-cli, document");
    expect(found(JSON.stringify({ odd: prompt }))).toBeUndefined();
  },
);
