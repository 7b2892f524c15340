import { expect, test } from "vitest";
import { type PiApi, type PiContext, type PiMessage, type PiTool, scratchpadExtension } from "../../src/entry/pi.ts";

type Handler = (event: object, context: PiContext) => Promise<{ readonly messages?: readonly PiMessage[] } | undefined>;
type Entry = ReturnType<PiContext["sessionManager"]["getEntries"]>[number] & {
  readonly parentId: string | null;
  readonly message?: PiMessage;
};

/** A session of pi's in memory, as far as the extension uses it. */
class Pi {
  readonly #handlers = new Map<string, Handler>();
  readonly #entries: Entry[] = [];
  readonly #context: PiContext;
  #tool: PiTool | undefined;
  #leaf: string | null = null;

  constructor(extension: ReturnType<typeof scratchpadExtension>) {
    const api: PiApi = {
      on: (event: string, handler: unknown) => void this.#handlers.set(event, handler as Handler),
      registerTool: (tool) => {
        this.#tool = tool;
      },
      registerCommand: () => undefined,
      appendEntry: (customType, data) => this.#append({ type: "custom", customType, data }),
    };
    extension(api);
    const sessionManager = {
      getSessionId: () => "0198c0de",
      getSessionFile: () => undefined,
      getLeafId: () => this.#leaf,
      getEntries: () => this.#entries,
      getBranch: () => this.#branch(),
    };
    this.#context = { sessionManager, hasUI: false, ui: {} as PiContext["ui"], getContextUsage: () => undefined };
  }

  say(role: "user" | "assistant", content: string): string {
    return this.#append({ type: "message", message: { role, content, timestamp: Date.now() } });
  }

  /** What the newest message is when it goes to the model. */
  async sent(): Promise<PiMessage["content"]> {
    const messages = this.#branch().flatMap(({ message }) => message ?? []);
    const told = await this.tell("context", { messages });
    return told?.messages?.at(-1)?.content;
  }

  async note(content: string): Promise<void> {
    const input = { action: "append_notes", content };
    await this.#tool?.execute(`call-${this.#entries.length}`, input, undefined, undefined, this.#context);
  }

  async rewind(entryId: string): Promise<void> {
    this.#leaf = entryId;
    await this.tell("session_tree", {});
  }

  tell(event: string, content: object): ReturnType<Handler> {
    return this.#handlers.get(event)?.(content, this.#context) ?? Promise.resolve(undefined);
  }

  #append(entry: object): string {
    const id = `${this.#entries.length}`.padStart(8, "0");
    const timestamp = new Date().toISOString();
    this.#entries.push({ type: "", ...entry, id, parentId: this.#leaf, timestamp });
    this.#leaf = id;
    return id;
  }

  #branch(): Entry[] {
    const branch: Entry[] = [];
    let id = this.#leaf;
    while (id !== null) {
      const entry = this.#entries[Number(id)] as Entry;
      branch.unshift(entry);
      id = entry.parentId;
    }
    return branch;
  }
}

test("after a rewind that takes the scratchpad along, the model is shown each note once", async () => {
  const pi = new Pi(scratchpadExtension({ store: { fold: "branch" } }));
  const first = pi.say("user", "Look into it.");
  await pi.sent();
  pi.say("assistant", "I do.");
  await pi.note("left behind");
  await pi.note("left behind, too");
  await pi.rewind(first);
  for (const note of ["one", "two", "three"]) {
    pi.say("user", "Go on.");
    await pi.sent();
    pi.say("assistant", "I do.");
    await pi.note(note);
  }
  pi.say("user", "What do you know?");

  expect(await pi.sent()).toBe("[Session Scratchpad]\none\ntwo\nthree\n[End Scratchpad]\n\nWhat do you know?");
  await pi.tell("session_shutdown", {});
});
