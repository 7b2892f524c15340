/** Model servers on the loopback address, one for each protocol that a client speaks; what they answer is told beforehand. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What the model says next: a text, or calls of tools. */
export interface Answer {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: object }[];
  /** The window is said to be as good as full, so that the client compacts. */
  readonly full?: true;
}

export interface Asked {
  readonly url: string;
  /** The body as it was sent. */
  readonly body: string;
  readonly tools: readonly string[];
}

export type Script = (asked: Asked) => Answer;

export interface ModelServer {
  readonly url: string;
  close(): Promise<void>;
}

async function serve(answer: (request: Asked, response: ServerResponse, id: number) => void): Promise<ModelServer> {
  let requests = 0;
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    requests += 1;
    answer({ url: request.url ?? "", body, tools: toolsIn(body) }, response, requests);
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

interface Declared {
  readonly name?: string;
  readonly function?: { readonly name: string };
  readonly functionDeclarations?: readonly { readonly name: string }[];
}

function toolsIn(body: string): string[] {
  if (!body.startsWith("{")) return [];
  const { tools = [] } = JSON.parse(body) as { tools?: readonly Declared[] };
  return tools.flatMap(
    (tool) => tool.functionDeclarations?.map(({ name }) => name) ?? tool.function?.name ?? tool.name ?? [],
  );
}

function asJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** A call as Codex takes it. Tools for subagents are searched for first, and stand in a namespace then. */
function codexCall({ name, args }: { readonly name: string; readonly args: object }, { body }: Asked): object {
  switch (name) {
    case "apply_patch":
    case "exec":
      return { type: "custom_tool_call", name, input: Object.values(args)[0] };
    case "tool_search":
      return { type: "tool_search_call", execution: "client", arguments: args };
    case "spawn_agent":
      return { type: "function_call", namespace, name, arguments: JSON.stringify(args) };
    case "wait_agent": {
      const agent = /\\"agent_id\\":\s*\\"([^"\\]+)/.exec(body)?.[1];
      const targets = agent === undefined ? { timeout_ms: 10_000 } : { targets: [agent] };
      return { type: "function_call", namespace, name, arguments: JSON.stringify(targets) };
    }
    default:
      return { type: "function_call", name, arguments: JSON.stringify(args) };
  }
}

const namespace = "multi_agent_v1";

/** Codex: the Responses API. */
export function serveResponses(script: Script): Promise<ModelServer> {
  return serve((asked, response, id) => {
    if (!asked.url.includes("/responses")) return asJson(response, 404, {});
    const { text: said, calls: [call] = [], full } = script(asked);
    const own = { id: `item_${id}`, status: "completed" };
    const content = [{ type: "output_text", text: said ?? "", annotations: [] }];
    const item =
      call === undefined
        ? { ...own, type: "message", role: "assistant", content }
        : { ...own, call_id: `call_${id}`, ...codexCall(call, asked) };
    const input = full === true ? 250_000 : 1000;
    const usage = {
      ...{ input_tokens: input, output_tokens: 5, total_tokens: input + 5 },
      ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
    };
    const send = (type: string, data: object) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    send("response.created", { response: { id: `resp_${id}` } });
    send("response.output_item.done", { output_index: 0, item });
    send("response.completed", { response: { id: `resp_${id}`, status: "completed", output: [item], usage } });
    response.end();
  });
}

/** OpenCode: chat completions. */
export function serveCompletions(script: Script): Promise<ModelServer> {
  return serve((asked, response, id) => {
    if (!asked.url.includes("/chat/completions")) return asJson(response, 404, {});
    const { text: said, calls = [], full } = script(asked);
    const made = calls.map(({ name, args }, index) => {
      return {
        index,
        id: `call_${id}_${index}`,
        type: "function",
        function: { name, arguments: JSON.stringify(args) },
      };
    });
    const delta =
      made.length > 0 ? { role: "assistant", tool_calls: made } : { role: "assistant", content: said ?? "" };
    const input = full === true ? 99_000 : 1000;
    const send = (data: object) =>
      response.write(
        `data: ${JSON.stringify({ id: `chat_${id}`, object: "chat.completion.chunk", created: 1, model: "model-a", ...data })}\n\n`,
      );
    response.writeHead(200, { "content-type": "text/event-stream" });
    send({ choices: [{ index: 0, delta, finish_reason: null }] });
    send({ choices: [{ index: 0, delta: {}, finish_reason: made.length > 0 ? "tool_calls" : "stop" }] });
    send({ choices: [], usage: { prompt_tokens: input, completion_tokens: 5, total_tokens: input + 5 } });
    response.end("data: [DONE]\n\n");
  });
}

const routing = JSON.stringify({
  ...{ reasoning: "-", next_speaker: "user", complexity_reasoning: "-", complexity_score: 10, model_choice: "pro" },
});

/** Gemini CLI. */
export function serveGemini(script: Script): Promise<ModelServer> {
  return serve((asked, response, id) => {
    if (asked.url.includes("countTokens")) return asJson(response, 200, { totalTokens: 1000 });
    if (!asked.url.includes("enerateContent")) return asJson(response, 404, {});
    const isRouting = /"responseMimeType":"application\/json"|"responseJsonSchema"/.test(asked.body);
    const { text: said, calls = [], full } = isRouting ? { text: routing } : script(asked);
    const parts = calls.length > 0 ? calls.map((functionCall) => ({ functionCall })) : [{ text: said ?? "" }];
    const input = full === true ? 990_000 : 1000;
    const answer = {
      responseId: `response_${id}`,
      modelVersion: "gemini-2.5-pro",
      candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: input, candidatesTokenCount: 5, totalTokenCount: input + 5 },
    };
    if (!asked.url.includes("stream")) return asJson(response, 200, answer);
    response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${JSON.stringify(answer)}\n\n`);
  });
}
