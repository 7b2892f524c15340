/** A model server of Anthropic's shape on the loopback interface, whose answers are told beforehand. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What is used of the body of a request for a message. */
export interface MessageRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly system?: unknown;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: object };

/** The request is refused, as one that does not fit the window is. */
export interface Overflow {
  readonly overflow: true;
}

export interface ScriptedModel {
  answer(request: MessageRequest): readonly Block[] | Overflow;
  /** How full its window claims to be. */
  inputTokens?(): number;
}

/** Answers where it listens, and how to close it. Counts of tokens are made up. */
export async function serveAnthropic(script: ScriptedModel | ScriptedModel["answer"]) {
  const model = typeof script === "function" ? { answer: script } : script;
  const server = createServer((request, response) => void serve(request, response, model));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { answer, inputTokens = () => 10 }: ScriptedModel,
): Promise<void> {
  let text = "";
  for await (const chunk of request) text += chunk;
  const { method, url = "" } = request;
  if (method !== "POST" || !url.startsWith("/v1/messages")) return json(response, 404, {});
  if (url.includes("count_tokens")) return json(response, 200, { input_tokens: 10 });
  const body: MessageRequest = JSON.parse(text);
  const answered = answer(body);
  if ("overflow" in answered) return json(response, 400, tooLong);
  const message = messageOf(body, answered, inputTokens());
  if (body.stream) stream(response, message);
  else json(response, 200, message);
}

const tooLong = {
  type: "error",
  error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
};

let messages = 0;

function messageOf({ model }: MessageRequest, content: readonly Block[], inputTokens: number) {
  messages += 1;
  return {
    id: `msg_${messages}`,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: 5 },
  };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function stream(response: ServerResponse, message: ReturnType<typeof messageOf>): void {
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  send("message_start", { message: { ...message, content: [], stop_reason: null } });
  for (const [index, block] of message.content.entries()) {
    const isText = block.type === "text";
    send("content_block_start", { index, content_block: isText ? { ...block, text: "" } : { ...block, input: {} } });
    const delta = isText
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
    send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  }
  send("message_delta", { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: message.usage });
  send("message_stop", {});
  response.end();
}
