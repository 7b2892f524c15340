/** What a client of the Model Context Protocol can read of a scratchpad: as it is, as it was, and what changed. */
import { wellFormed } from "../action/text.ts";
import { type Point, parsePoint } from "../audit/points.ts";
import { isJournalError } from "../errors.ts";
import type { ScratchpadConfig } from "../prompt/config.ts";
import { wrongParams } from "./mcp-faults.ts";
import type { ProtocolServer, Sdk } from "./mcp-sdk.ts";
import { type McpJournal, shownOnRequest } from "./mcp-views.ts";

/** The resource that holds version, turn and state as JSON. */
export const stateUri = "session-journal://state";
/** This resource holds the block, as Markdown. */
export const blockUri = "session-journal://block";

interface Content {
  readonly mimeType: string;
  readonly text: string;
}

interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

const resources: readonly Resource[] = [
  {
    uri: stateUri,
    name: "state",
    title: "Scratchpad state",
    description: "Version, turn and state of the session's scratchpad, as JSON.",
    mimeType: "application/json",
  },
  {
    uri: blockUri,
    name: "block",
    title: "Scratchpad",
    description: "What the session's scratchpad holds, as a model is shown it.",
    mimeType: "text/markdown",
  },
];

const pointsInWords = "a version (v12), a turn (t4), an ISO time with zone, or head";

const templates = [
  {
    uriTemplate: "session-journal://at/{point}",
    name: "at",
    title: "Scratchpad at a point",
    description: `Version, turn, time and state as of a point: ${pointsInWords}.`,
    mimeType: "application/json",
  },
  {
    uriTemplate: "session-journal://diff/{from}/{to}",
    name: "diff",
    title: "Scratchpad changes",
    description: `What changed between two points, as a unified diff. A point is ${pointsInWords}.`,
    mimeType: "text/x-diff",
  },
];

/** Answers what there is to read. */
export function answerResources(
  sdk: Sdk,
  server: ProtocolServer,
  open: () => Promise<McpJournal>,
  config: ShownConfig,
): void {
  server.setRequestHandler(sdk.ListResourcesRequestSchema, () => ({ resources: [...resources] }));
  server.setRequestHandler(sdk.ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: templates }));
  server.setRequestHandler(sdk.ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const read = readerOf(uri, config);
    if (read === undefined) throw unknownResource(sdk, uri);
    const journal = await open();
    await journal.refresh();
    try {
      return { contents: [{ uri, ...(await read(journal)) }] };
    } catch (error) {
      if (!isJournalError(error, "bad_point")) throw error;
      throw wrongParams(sdk, error.message);
    }
  });
}

type ShownConfig = Pick<ScratchpadConfig, "face" | "record">;

function readerOf(uri: string, config: ShownConfig): ((journal: McpJournal) => Promise<Content>) | undefined {
  if (uri === stateUri) return async ({ version, turn, state }) => json({ version, turn, state });
  if (uri === blockUri) {
    return async (journal) => ({ mimeType: "text/markdown", text: await shownOnRequest(journal, config, "resource") });
  }
  const [, kind, first = "", second = ""] = /^session-journal:\/\/(at|diff)\/([^/]+)(?:\/([^/]+))?$/.exec(uri) ?? [];
  if (kind === "at" && second === "") return async (journal) => json(await journal.at(pointOf(first)));
  if (kind === "diff" && second !== "") {
    return async (journal) => {
      const { text } = await journal.diff(pointOf(first), pointOf(second));
      return { mimeType: "text/x-diff", text: wellFormed(text) };
    };
  }
  return undefined;
}

function json(value: unknown): Content {
  return { mimeType: "application/json", text: JSON.stringify(value) };
}

/** Throws PointError. A part that is no escaped text is taken as it stands. */
function pointOf(part: string): Point {
  try {
    return parsePoint(decodeURIComponent(part));
  } catch (error) {
    if (error instanceof URIError) return parsePoint(part);
    throw error;
  }
}

/** Tells a client that asked for it of every change; answers how to stop. */
export function tellChanges(sdk: Sdk, server: ProtocolServer, open: () => Promise<McpJournal>): () => void {
  const subscribed = new Map<string, () => void>();
  const stop = (uri: string): void => {
    subscribed.get(uri)?.();
    subscribed.delete(uri);
  };
  server.setRequestHandler(sdk.SubscribeRequestSchema, async ({ params: { uri } }) => {
    if (!resources.some((one) => one.uri === uri)) throw unknownResource(sdk, uri);
    const journal = await open();
    stop(uri);
    // A client that has hung up misses nothing.
    const tell = () => void server.sendResourceUpdated({ uri }).catch(() => undefined);
    subscribed.set(uri, journal.onChange(tell));
    return {};
  });
  server.setRequestHandler(sdk.UnsubscribeRequestSchema, ({ params: { uri } }) => {
    stop(uri);
    return {};
  });
  return () => {
    for (const uri of [...subscribed.keys()]) stop(uri);
  };
}

function unknownResource(sdk: Sdk, uri: string) {
  const known = [...resources.map((one) => one.uri), ...templates.map((one) => one.uriTemplate)].join(", ");
  return wrongParams(sdk, `unknown resource ${uri}: there is ${known}`);
}
