/** The tools of a face, as hosts list and call them. */
import { nearest } from "../action/nearest.ts";
import { isJournalError } from "../errors.ts";
import { reusedCommandCode, textUnitsMax } from "../journal/options.ts";
import { withoutHalf } from "../options.ts";
import type { ScratchpadConfig } from "../prompt/config.ts";
import type { RunOptions, Tool, ToolJournal } from "../tool/tool.ts";
import { toolsFor } from "../tool/tools.ts";

export interface ToolReply {
  /** The model reads this text. */
  readonly text: string;
  /**
   * The answer is without the events, which are for the journal's own readers, and without use and budget if they are of no space. It is
   * absent if the journal failed, or was not asked.
   */
  readonly output?: Readonly<Record<string, unknown>>;
  /** It is true if the call was refused or failed. */
  readonly isError: boolean;
}

/** A refusal and a failure of the journal are told to the model, which can do something about them. */
export async function callTool(tool: Tool, input: unknown, options: RunOptions = {}): Promise<ToolReply> {
  const problem = unknownParameter(tool, input);
  if (problem !== undefined) return { text: problem, isError: true };
  try {
    const result = await runOnce(tool, input, options);
    return { text: tool.text(result), output: outputOf(result), isError: "ok" in result && result.ok === false };
  } catch (error) {
    if (!isJournalError(error)) throw error;
    return { text: error.message, isError: true };
  }
}

/**
 * Some providers number the calls of each answer anew, or give them no id. If another action had the id, it does not say that this one was
 * done. A refusal would not help, because the model did not choose the id.
 */
async function runOnce(tool: Tool, input: unknown, { command = "", ...options }: RunOptions): Promise<object> {
  if (command === "") return tool.run(input, options);
  try {
    return await tool.run(input, { ...options, command: shortened(command) });
  } catch (error) {
    if ((error as { readonly code?: unknown } | null)?.code !== reusedCommandCode) throw error;
    return tool.run(input, options);
  }
}

/** Some providers put into the id what they want back with the answer, which may be long. */
function shortened(command: string): string {
  const half = textUnitsMax / 2;
  return command.length <= textUnitsMax ? command : command.slice(0, half) + command.slice(-half);
}

function outputOf(result: object): Readonly<Record<string, unknown>> {
  const { events: _events, ...output } = result as Readonly<Record<string, unknown>>;
  if (output["space"] !== null) return output;
  const { space: _space, used: _used, limit: _limit, ...rest } = output;
  return rest;
}

/** A misspelt parameter must not pass for one that was left out. */
function unknownParameter({ name, inputSchema }: Tool, input: unknown): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const known = Object.keys(inputSchema.properties);
  const stranger = Object.keys(input).find((key) => !known.includes(key));
  if (stranger === undefined) return undefined;
  const meant = nearest(stranger, known);
  const what = `rejected: unknown parameter ${withoutHalf(stranger.slice(0, 100))}`;
  return meant === undefined ? `${what}: ${name} takes none` : `${what}: did you mean ${meant}?`;
}

/** Throws a TypeError where there is none of that name. */
export function named(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((one) => one.name === name || one.aliases.includes(name));
  if (tool === undefined) throw new TypeError(`there is no tool ${name}`);
  return tool;
}

/** The tools, for hosts that list them before there is a session. Called are those of the session's own journal. */
export function listTools(config: ScratchpadConfig): readonly Tool[] {
  return toolsFor(notOpened(config), config);
}

/** Tells its limits, which is all that a description takes. */
export function notOpened({ limits }: Pick<ScratchpadConfig, "limits">): ToolJournal {
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
    applyUnknown: fail,
    applyUnder: fail,
  };
}
