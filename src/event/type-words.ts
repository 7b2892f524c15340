/** This file holds the parts of the table of event types that are longer than a line. */
import type { EventOf, ImportOrigin, Json, Space } from "./event.ts";
import { fields } from "./fields.ts";
import type { Taken } from "./type.ts";

/** The result names the text that was replaced, and its replacement. */
export function editText({ find, replace, text }: EventOf<"notes.edited">): string {
  return find === undefined ? (text ?? "") : replace === undefined ? find : `${find} → ${replace}`;
}

/** The result has the parameters of the action that an edit came from. */
export function askedEdit(event: EventOf<"notes.edited">) {
  const { operation, find = "", replace = "", all = false, text = "" } = event;
  switch (operation) {
    case "find_replace":
      return all ? ({ operation, find, replace, replace_all: all } as const) : ({ operation, find, replace } as const);
    case "prepend":
    case "append":
      return { operation, content: text } as const;
    case "delete":
      return event.find === undefined ? ({ operation, content: text } as const) : ({ operation, find } as const);
  }
}

/** What a client or a person rejected is named by its tool, and by the beginning of the reason. */
export function refusalTitle({ action, code, offered }: EventOf<"action.refused">): string {
  if (code !== "rejected") return `${action} refused: ${code.replace("_", " ")}`;
  const { tool, message } = fields(offered);
  const lines = typeof message === "string" ? message.split("\n", 9) : [];
  // A line that ends with a colon only announces the reason.
  const said = lines.filter((line) => line.trim() !== "");
  const why = said.find((line) => !line.endsWith(":")) ?? said[0] ?? "";
  const start = [...why.slice(0, 160)].slice(0, 80).join("");
  const because = why === "" ? "" : `: ${start}${start.length < why.length ? "…" : ""}`;
  return `${typeof tool === "string" ? tool : action} rejected${because}`;
}

export function importText({ version, session, bytes, sha256 }: ImportOrigin): string {
  const writer = version === undefined ? "" : `, written by version ${version}`;
  return `session ${session}${writer}, ${bytes} bytes, SHA-256 ${sha256}`;
}

/** The text names each version once. */
export function redactionText({ versions, reason }: EventOf<"text.redacted">): string {
  const named = [...new Set(versions)].map((version) => `v${version}`).join(", ");
  return [named, ...(reason === undefined ? [] : [reason])].filter((text) => text !== "").join(": ");
}

/** The text was written as a whole. What did not fit, or did not count, was taken away. */
export function takenText(
  space: Space,
  event: { readonly text: string; readonly dropped?: string; readonly ignored?: true },
): readonly Taken[] {
  const ignored: Taken[] = event.ignored ? [{ reason: "ignored", space, text: event.text }] : [];
  return event.dropped === undefined ? ignored : [...ignored, { reason: "truncated", space, text: event.dropped }];
}

export function takenRefs({ refs, dropped = [], ignored }: EventOf<"refs.set">): readonly Taken[] {
  const taken = (reason: Taken["reason"], texts: readonly string[]): Taken[] =>
    texts.map((text) => ({ reason, space: "refs", text }));
  return [...taken("ignored", ignored ? refs : []), ...taken("capped", dropped)];
}

/** The result is what a refused action offered, and for which entry or section. */
export function takenOffer(space: Space, offered: Json): readonly Taken[] {
  const { key, name } = fields(offered);
  const named = space === "entries" ? key : space === "sections" ? name : undefined;
  const keyed = typeof named === "string" ? { key: named } : {};
  return [{ reason: "refused", space, ...keyed, text: offeredText(offered) }];
}

/** The one text that an action offered, as it could be offered again; where there are several, the whole offer as JSON. */
export function offeredText(offered: Json): string {
  if (typeof offered === "string") return offered;
  const { content, ref } = fields(offered);
  if (typeof content === "string") return content;
  return typeof ref === "string" ? ref : JSON.stringify(offered);
}
