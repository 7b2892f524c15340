/** The tools of a face, as hosts list and call them. */
import { isJournalError } from "../errors.ts";
import type { ScratchpadConfig } from "../prompt/config.ts";
import type { RunOptions, Tool, ToolJournal } from "../tool/tool.ts";
import { toolsFor } from "../tool/tools.ts";

export interface ToolReply {
  /** For the model to read. */
  readonly text: string;
  /** Without the events, which are for the journal's own readers; absent where the journal failed. */
  readonly output?: Readonly<Record<string, unknown>>;
  /** Refused, or failed. */
  readonly isError: boolean;
}

/** A refusal and a failure of the journal are told to the model, which can do something about them. */
export async function callTool(tool: Tool, input: unknown, options?: RunOptions): Promise<ToolReply> {
  try {
    const result = await tool.run(input, options);
    const { events: _events, ...output } = result as { readonly events?: unknown };
    return { text: tool.text(result), output, isError: "ok" in result && result.ok === false };
  } catch (error) {
    if (!isJournalError(error)) throw error;
    return { text: error.message, isError: true };
  }
}

/** The tools, for hosts that list them before there is a session. Called are those of the session's own journal. */
export function listTools(config: ScratchpadConfig): readonly Tool[] {
  return toolsFor(notOpened(config), config);
}

/** Tells its limits, which is all that a description takes. */
function notOpened({ limits }: ScratchpadConfig): ToolJournal {
  const fail = (): never => {
    throw new TypeError("a listed tool has no journal: call it through that of its session");
  };
  return {
    limits,
    get state(): never {
      return fail();
    },
    get version(): never {
      return fail();
    },
    refresh: fail,
    history: fail,
    apply: fail,
    applyUnder: fail,
  };
}
