/** Events in words, for a reader. */
import { type Space, spaceOf } from "../../action/actions.ts";
import type { ImportOrigin, RecordedEvent, ScratchpadEvent } from "../../event/event.ts";
import { offeredText } from "../lost.ts";

export interface Description {
  /** What happened, in few words. */
  readonly title: string;
  /** The text that says most about it, whole; "" where there is none. */
  readonly text: string;
  readonly space?: Space;
}

export function describe(event: ScratchpadEvent): Description {
  switch (event.type) {
    case "notes.set":
      return { title: "notes set", text: event.text, space: "notes" };
    case "notes.appended":
      return { title: "notes appended", text: event.text, space: "notes" };
    case "notes.edited":
      return { title: `notes edited: ${event.operation.replace("_", " and ")}`, text: editText(event), space: "notes" };
    case "plan.set":
      return { title: "plan set", text: event.text, space: "plan" };
    case "ref.added":
      return { title: "ref added", text: event.ref, space: "refs" };
    case "ref.removed":
      return { title: "ref removed", text: event.ref, space: "refs" };
    case "refs.set":
      return { title: "refs set", text: event.refs.join(", "), space: "refs" };
    case "entry.written":
      return { title: `entry ${event.key} written`, text: event.text, space: "entries" };
    case "entry.deleted":
      return { title: `entry ${event.key} deleted`, text: "", space: "entries" };
    case "lease.claimed":
      return {
        title: `lease on ${event.key} claimed by ${event.holder}`,
        text: `until ${event.until}`,
        space: "entries",
      };
    case "lease.released":
      return { title: `lease on ${event.key} released by ${event.holder}`, text: "", space: "entries" };
    case "section.written":
      return { title: `section ${event.name} written`, text: event.text, space: "sections" };
    case "section.cleared":
      return { title: `section ${event.name} cleared`, text: "", space: "sections" };
    case "legacy.set":
      return { title: event.ignored ? "legacy value ignored" : "legacy value set", text: event.text, space: "notes" };
    case "turn.began":
      return { title: "turn began", text: event.id ?? "" };
    case "action.refused":
      return refusal(event);
    case "state.restored":
      return { title: `restored to version ${event.to}`, text: "" };
    case "session.forked":
      return { title: "forked", text: `from session ${event.from.session} at version ${event.from.version}` };
    case "session.imported":
      return { title: `imported from ${event.from.client}`, text: importText(event.from) };
    case "unknown":
      return { title: `unknown event ${event.name}`, text: JSON.stringify(event.payload) };
  }
}

function importText({ version, session, bytes, sha256 }: ImportOrigin): string {
  const writer = version === undefined ? "" : `, written by version ${version}`;
  return `session ${session}${writer}, ${bytes} bytes, SHA-256 ${sha256}`;
}

function editText({ find, replace, text }: Extract<ScratchpadEvent, { type: "notes.edited" }>): string {
  return find === undefined ? (text ?? "") : replace === undefined ? find : `${find} → ${replace}`;
}

function refusal({ action, code, offered }: Extract<ScratchpadEvent, { type: "action.refused" }>): Description {
  const title = `${action} refused: ${code.replace("_", " ")}`;
  const space = spaceOf(action);
  const text = offeredText(offered);
  return space === null ? { title, text } : { title, text, space };
}

/** Everything about an event that a search may look for, in lower case. */
export function searchText({
  event,
  actor,
  command,
  commit,
  entryId,
  origin,
  at,
  version,
  turn,
}: RecordedEvent): string {
  const { title } = describe(event);
  const fields = [`v${version}`, `t${turn}`, actor, origin, at, command, commit, entryId, event.type, title];
  return [...fields, ...strings(event)].join("\n").toLowerCase();
}

function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) =>
    Array.isArray(value) ? strings(field) : [key, ...strings(field)],
  );
}
