/** Many writers on one file, in any order, and the rule that says which of their commits count, restated. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import type { CommitData, Head } from "../../src/event/commit.ts";
import { genesisHash } from "../../src/line/chain.ts";
import { commitLine, linkCommit } from "../../src/line/encode.ts";
import { encodeContext, names, session } from "./lines.ts";

/** What writers, hosts and accidents do to one file, one after the other. */
export type Step =
  | { readonly does: "look"; readonly writer: number }
  | { readonly does: "commit"; readonly writer: number; readonly events: number; readonly command: number | null }
  | { readonly does: "value"; readonly key: string; readonly id: number | null; readonly marked: boolean }
  | { readonly does: "repeat"; readonly line: number }
  | { readonly does: "spoil"; readonly line: number }
  | { readonly does: "renumber"; readonly line: number; readonly version: number }
  | { readonly does: "say"; readonly role: string }
  | { readonly does: "litter"; readonly text: string };

const writer = fc.nat({ max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant("look" as const), writer }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant("commit" as const),
      writer,
      events: fc.integer({ min: 1, max: 3 }),
      command: fc.option(fc.nat({ max: 5 })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("value" as const),
      key: fc.constantFrom(names.notes, names.plan, names.refs, names.legacy, `${names.namespace}:more`),
      id: fc.option(fc.nat({ max: 4 })),
      marked: fc.boolean(),
    }),
  },
  fc.record({ does: fc.constant("say" as const), role: fc.constantFrom("user", "assistant") }),
  fc.record({ does: fc.constant("repeat" as const), line: fc.nat() }),
  fc.record({ does: fc.constant("spoil" as const), line: fc.nat() }),
  fc.record({ does: fc.constant("renumber" as const), line: fc.nat(), version: fc.nat({ max: 40 }) }),
  fc.record({
    does: fc.constant("litter" as const),
    text: fc.constantFrom("", "{}", "[]", '{"type":"message"}', "\u0000"),
  }),
);
export const anySteps = fc.array(step, { maxLength: 30 });

/** The lines, after the header, that these steps leave. */
export function linesLeftBy(all: readonly Step[]): string[] {
  const lines: string[] = [];
  const genesis: Head = { version: 0, hash: genesisHash(session.id) };
  const views = [genesis, genesis, genesis, genesis];
  const context = encodeContext();
  let commits = 0;
  for (const each of all) {
    switch (each.does) {
      case "look":
        views[each.writer] = headOf(lines);
        break;
      case "commit": {
        commits += 1;
        const { events, command } = each;
        const event = { type: "notes.appended", text: `c-${commits}`, actor: `w-${each.writer}` };
        const written = Array.from({ length: events }, () => event);
        if (command !== null) written[0] = { ...event, ...{ command: `call-${command}` } };
        const data = { v: 1, id: `c-${commits}`, at: session.timestamp, events: written };
        lines.push(commitLine(linkCommit(data, views[each.writer] as Head, "file"), null, context).text);
        break;
      }
      case "value": {
        const id = each.id === null ? {} : { id: `v-${each.id}` };
        const mirror = each.marked ? { mirror: "c-1" } : {};
        const entry = { type: "custom", customType: each.key, data: "x", ...mirror, ...id, parentId: null };
        lines.push(`${JSON.stringify(entry)}\n`);
        break;
      }
      case "repeat":
        if (lines.length > 0) lines.push(lines[each.line % lines.length] as string);
        break;
      case "spoil":
        if (lines.length > 0) lines.push((lines[each.line % lines.length] as string).replace("notes.app", "notes.bpp"));
        break;
      case "renumber": {
        const data = commitsIn(lines)[each.line % Math.max(1, commitsIn(lines).length)];
        if (data === undefined) break;
        const head = { version: each.version, hash: data.prev };
        lines.push(
          commitLine(linkCommit({ ...data, id: `${data.id}-${lines.length}` }, head, "file"), null, context).text,
        );
        break;
      }
      case "say": {
        const message = { role: each.role, content: `"${names.namespace} and "user"` };
        lines.push(`${JSON.stringify({ type: "message", id: `m-${lines.length}`, parentId: null, message })}\n`);
        break;
      }
      case "litter":
        lines.push(`${each.text}\n`);
    }
  }
  return lines;
}

/** THE RULE ONCE MORE, from its description alone: what counts, in order, and the head that it leads to. */
export function acceptedIn(lines: readonly string[]): { readonly history: string[]; readonly head: Head } {
  const ids = new Set<string>();
  const commands = new Set<unknown>();
  const valueIds = new Set<unknown>();
  const history: string[] = [];
  let version = 0;
  let hash = digest(session.id);
  for (const line of lines) {
    const entry = parsed(line);
    if (entry?.["type"] !== "custom") continue;
    if (entry["customType"] === names.events) {
      const data = entry["data"] as CommitData;
      const { hash: found, ...hashed } = data;
      if (digest(sorted(hashed)) !== found) continue;
      if (ids.has(data.id) || data.events.some(({ command }) => command !== undefined && commands.has(command)))
        continue;
      if (data.version - data.events.length < version) continue;
      ids.add(data.id);
      for (const { command } of data.events) if (command !== undefined) commands.add(command);
      version = data.version - data.events.length;
      for (const _ of data.events) history.push(`${++version} ${data.id}`);
      hash = found;
    } else if ([names.notes, names.plan, names.refs, names.legacy].includes(String(entry["customType"]))) {
      if (entry["mirror"] !== undefined) continue;
      if (entry["id"] !== undefined && valueIds.has(entry["id"])) continue;
      valueIds.add(entry["id"]);
      history.push(`${++version} ${String(entry["customType"])}`);
    }
  }
  return { history, head: { version, hash } };
}

function headOf(lines: readonly string[]): Head {
  return acceptedIn(lines).head;
}

function commitsIn(lines: readonly string[]): CommitData[] {
  return lines.flatMap((line) => {
    const entry = parsed(line);
    return entry?.["customType"] === names.events ? [entry["data"] as CommitData] : [];
  });
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, item]) => `${JSON.stringify(key)}:${sorted(item)}`).join(",")}}`;
}
