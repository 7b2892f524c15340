/** This file says what is wrong with the params of a request, so that whoever reads it understands. */
import type { ProtocolTransport, Sdk } from "./mcp-sdk.ts";

/** The SDK takes wrong params for an error of its own, and tells the list of a validator over many lines. */
export function tellWrongParams({ ErrorCode }: Sdk, transport: ProtocolTransport): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const wrong =
      "error" in message && message.error.code === ErrorCode.InternalError && issueIn(message.error.message);
    if (!wrong) return send(message, options);
    return send({ ...message, error: { code: ErrorCode.InvalidParams, message: `Invalid params: ${wrong}` } }, options);
  };
}

/** The SDK's own error begins its message with its code, and a client's SDK puts the same before it once more. */
export function wrongParams({ ErrorCode }: Sdk, message: string): Error {
  return Object.assign(new Error(message), { code: ErrorCode.InvalidParams });
}

/** The result is the first issue of a validator's list in one line. It is undefined if the text is no such list. */
function issueIn(text: string): string | undefined {
  const [issue] = listIn(text);
  if (!Array.isArray(issue?.path) || typeof issue.message !== "string") return undefined;
  return `${issue.path.join(".")}: ${issue.message.replace("Invalid input: ", "")}`;
}

function listIn(text: string): readonly ({ readonly path?: unknown; readonly message?: unknown } | null)[] {
  if (!text.startsWith("[")) return [];
  try {
    return JSON.parse(text);
  } catch {
    return [];
  }
}
