/** Texts under keys that stay out of the context until they are read. */

import { type ActionName, parametersOf } from "../action/actions.ts";
import { nearest } from "../action/nearest.ts";
import { readKey } from "../action/parameters.ts";
import type { Fields } from "../event/fields.ts";
import type { ObjectSchema } from "../event/json-schema.ts";
import { given } from "../options.ts";
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";
import { underToolName, withWarnings } from "./answer-schema.ts";
import {
  fieldsOf,
  parameter,
  requireToolParts,
  runOptions,
  type Tool,
  type ToolJournal,
  type ToolOptions,
} from "./tool.ts";

/** These are the options of {@link padTools}. */
export interface PadOptions extends ToolOptions {
  /** This is who writes: leases are held under this name. */
  readonly actor?: string;
  /**
   * With true, `scratchpad_claim` and `scratchpad_release` are offered too, for several agents on one pad. The default is
   * false.
   */
  readonly leases?: boolean;
}

/** `message` is what the model reads: for a read the text itself, for a list the keys, sorted, a line each. */
export interface PadAnswer {
  readonly ok: boolean;
  readonly message: string;
  /** This says why it was refused. */
  readonly code?: string;
  /** They warn of a difference from the request, such as an entry without its file. The field is absent if nothing does. */
  readonly warnings?: readonly string[];
}

/**
 * Makes the tools `scratchpad_write`, `scratchpad_read` and `scratchpad_list`, and with `leases` two more.
 *
 * @param journal The journal that the tools write to, or a pad of `openPad`.
 * @param options Whether entries can be claimed, and who writes.
 * @throws TypeError for an option that does not exist.
 * @example
 * const [write, read, list] = padTools(journal);
 */
export function padTools(journal: ToolJournal, options: PadOptions = {}): Tool<PadAnswer>[] {
  requireToolParts(journal, options, "leases");
  const { leases = false } = options;
  const changing = (name: PadToolName, action: ActionName, accepted?: (input: Fields) => string) =>
    tool(name, false, async (input, call) => {
      const fields = fieldsOf(input);
      const { ok, message, code, warnings } = await journal.applyUnknown(
        { ...fields, action },
        runOptions(options, call),
      );
      const warned = warnings.length === 0 ? {} : { warnings };
      if (ok) return { ok, message: accepted === undefined ? message : accepted(fields), ...warned };
      return { ok, message: underToolName(message, action, name), ...given({ code }) };
    });
  const write = changing("scratchpad_write", "entries.write", written);
  const read = tool("scratchpad_read", true, async (input) => readEntry(await current(journal), fieldsOf(input).key));
  const list = tool("scratchpad_list", true, async () => listed(await current(journal)));
  if (!leases) return [write, read, list];
  const claim = changing("scratchpad_claim", "entries.claim");
  const release = changing("scratchpad_release", "entries.release");
  return [write, read, list, claim, release];
}

async function current(journal: ToolJournal): Promise<ScratchpadState> {
  await journal.refresh();
  return journal.state;
}

/** Characters, not code units: an emoji is one. */
function written({ key, content }: Fields): string {
  return `wrote ${[...String(content)].length} chars to scratchpad[${key}]`;
}

function readEntry({ entries }: ScratchpadState, asked: unknown): PadAnswer {
  const reading = readKey(asked, "key");
  if ("problem" in reading) return { ok: false, message: reading.problem.message, code: reading.problem.code };
  const key = reading.value;
  const text = own(entries, key);
  if (text !== undefined) return { ok: true, message: text };
  return {
    ok: false,
    message: `scratchpad[${key}] not found${nearKeys(key, Object.keys(entries))}`,
    code: "not_found",
  };
}

function nearKeys(key: string, keys: readonly string[]): string {
  const [wanted, best] = [key.toLowerCase(), nearest(key, keys)];
  if (best === undefined) return "; nothing is stored yet";
  const kin = keys.filter((other) => other.toLowerCase().includes(wanted) || wanted.includes(other.toLowerCase()));
  return `; near it: ${[...new Set([best, ...kin.sort()])].slice(0, 5).join(", ")}`;
}

function listed({ entries }: ScratchpadState): PadAnswer {
  return { ok: true, message: Object.keys(entries).sort().join("\n") || "(empty)" };
}

function tool(name: PadToolName, readsOnly: boolean, run: Tool<PadAnswer>["run"]): Tool<PadAnswer> {
  const { description, properties, required } = definitions[name];
  const inputSchema = { type: "object", properties, required, additionalProperties: false } as const;
  return { name, aliases: [], description, inputSchema, outputSchema, readsOnly, run, text: textOf };
}

function textOf({ message, warnings = [] }: PadAnswer): string {
  return withWarnings(message, warnings);
}

const outputSchema: ObjectSchema = {
  type: "object",
  properties: {
    ok: { type: "boolean" },
    message: { type: "string" },
    code: { type: "string" },
    warnings: { type: "array", items: { type: "string" } },
  },
  required: ["ok", "message"],
};

type PadToolName = `scratchpad_${"write" | "read" | "list" | "claim" | "release"}`;

const key = parameter(parametersOf["entries.write"].key, "Alphanumeric, dashes, underscores only. No slashes, dots.");

const definitions: {
  readonly [Name in PadToolName]: Pick<ObjectSchema, "properties" | "required"> & { readonly description: string };
} = {
  scratchpad_write: {
    description:
      "Store a value in the scratchpad under the given key. Use this for: plans, discovered facts, decisions that should survive the context window. Write once, read on demand.",
    properties: {
      key,
      content: parameter(parametersOf["entries.write"].content, "Any string; overwrites existing value for this key."),
    },
    required: ["key", "content"],
  },
  scratchpad_read: {
    description: "Retrieve a value from the scratchpad. Returns the stored content, or an error if not found.",
    properties: { key: { ...key, description: "The key used when writing." } },
    required: ["key"],
  },
  scratchpad_list: {
    description:
      "List keys currently in the scratchpad. Returns a newline-separated list of keys. Use this at the start of a session to discover what prior agents (or you, in a past turn) have stored.",
    properties: {},
    required: [],
  },
  scratchpad_claim: {
    description: "Keep a key to yourself for a while: until the claim ends, other agents cannot write it.",
    properties: { key, ttlSeconds: parameter(parametersOf["entries.claim"].ttlSeconds, "Default 300.") },
    required: ["key"],
  },
  scratchpad_release: {
    description: "Give up your claim on a key.",
    properties: { key },
    required: ["key"],
  },
};
