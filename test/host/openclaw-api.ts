/** What OpenClaw hands to a plugin, as far as ours uses it: several handlers for a hook, and a tool made for each run. */
import type {
  OpenClawApi,
  OpenClawContext,
  OpenClawPrompt,
  OpenClawPromptParts,
  OpenClawTool,
} from "../../src/entry/openclaw.ts";
import plugin from "../../src/entry/openclaw.ts";

type Handler = (event: object, context: OpenClawContext) => Promise<unknown>;

export class OpenClaw {
  readonly #handlers = new Map<string, Handler>();
  readonly #tools = new Map<string, (context: OpenClawContext) => OpenClawTool | null>();

  /** Loads the plugin, with the state of OpenClaw in `stateDir`. */
  constructor(stateDir: string, pluginConfig?: Readonly<Record<string, unknown>>) {
    const api: OpenClawApi = {
      ...(pluginConfig === undefined ? {} : { pluginConfig }),
      runtime: { state: { resolveStateDir: () => stateDir } },
      resolvePath: (path) => path.replace(/^~/, stateDir),
      registerTool: (create, { name }) => void this.#tools.set(name, create),
      on: (hook: string, handler: unknown) => void this.#handlers.set(hook, handler as Handler),
    };
    plugin.register(api);
  }

  get hooks(): readonly string[] {
    return [...this.#handlers.keys()];
  }

  get toolNames(): readonly string[] {
    return [...this.#tools.keys()];
  }

  /** As the host does: what a handler throws is logged, and here seen. */
  async tell(hook: string, event: object, context: OpenClawContext): Promise<unknown> {
    return this.#handlers.get(hook)?.(event, context);
  }

  async prompt(context: OpenClawContext, event: Partial<OpenClawPrompt> = {}): Promise<OpenClawPromptParts> {
    const parts = await this.tell("before_prompt_build", { prompt: "Go on.", messages: [], ...event }, context);
    return (parts ?? {}) as OpenClawPromptParts;
  }

  /** The tool of a run; null where the plugin has none for it. */
  tool(name: string, context: OpenClawContext): OpenClawTool | null {
    return this.#tools.get(name)?.(context) ?? null;
  }
}
