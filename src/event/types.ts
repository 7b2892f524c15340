/**
 * This is the one table of event types. For each type it says how it is read, which action makes it, and what answers, `log`, `lost`, the
 * report and the nudges say of it. `evolve` alone says what it adds up to.
 */
import type { EventOf, ScratchpadEvent, ScratchpadEventType, Space } from "./event.ts";
import { parseImage } from "./image.ts";
import * as read from "./read.ts";
import type { EventType } from "./type.ts";
import {
  askedEdit,
  editText,
  importText,
  offeredText,
  redactionText,
  refusalTitle,
  takenOffer,
  takenRefs,
  takenText,
} from "./type-words.ts";

const text = read.required(read.readText);
const version = read.required(read.readVersion);
const state = read.required(parseImage);
const dropped = read.optional(read.readText);
const ignored = read.optional(read.readTrue);

const noText = (): string => "";

export const eventTypes = {
  "notes.set": {
    fields: { text, dropped, ignored },
    space: "notes",
    action: "set_notes",
    asked: ({ text, dropped = "" }) => ({ content: text + dropped }),
    title: () => "notes set",
    text: (event) => event.text,
    taken: (event) => takenText("notes", event),
    isUse: true,
  },
  "notes.appended": {
    fields: { text },
    space: "notes",
    action: "append_notes",
    asked: (event) => ({ content: event.text }),
    title: () => "notes appended",
    text: (event) => event.text,
    isUse: true,
  },
  "notes.edited": {
    fields: {
      operation: read.required(read.readOperation),
      find: read.optional(read.readText),
      replace: read.optional(read.readText),
      all: read.optional(read.readFlag),
      text: read.optional(read.readText),
    },
    space: "notes",
    action: "edit_notes",
    asked: askedEdit,
    title: ({ operation }) => `notes edited: ${operation.replace("_", " and ")}`,
    text: editText,
    said: () => "notes edited",
    isUse: true,
  },
  "plan.set": {
    fields: { text, dropped, ignored },
    space: "plan",
    action: "set_plan",
    asked: ({ text, dropped = "" }) => ({ content: text + dropped }),
    title: () => "plan set",
    text: (event) => event.text,
    taken: (event) => takenText("plan", event),
    isUse: true,
  },
  "ref.added": {
    fields: { ref: text, evicted: read.optional(read.readText) },
    space: "refs",
    action: "refs.add",
    asked: ({ ref }) => ({ ref }),
    title: () => "ref added",
    text: ({ ref }) => ref,
    said: ({ evicted }, quote) => `ref added${evicted === undefined ? "" : `, oldest dropped (${quote(evicted)})`}`,
    taken: ({ evicted }) => (evicted === undefined ? [] : [{ reason: "evicted", space: "refs", text: evicted }]),
    isUse: true,
  },
  "ref.removed": {
    fields: { ref: text },
    space: "refs",
    action: "refs.remove",
    asked: ({ ref }) => ({ ref }),
    title: () => "ref removed",
    text: ({ ref }) => ref,
    isUse: true,
  },
  "refs.set": {
    fields: { refs: read.required(read.readTexts), dropped: read.optional(read.readTexts), ignored },
    space: "refs",
    action: "refs.set",
    asked: ({ refs, dropped = [] }) => ({ items: [...refs, ...dropped] }),
    title: () => "refs set",
    text: ({ refs }) => refs.join(", "),
    taken: takenRefs,
    isUse: true,
  },
  "entry.written": {
    fields: { key: text, text },
    space: "entries",
    action: "entries.write",
    asked: ({ key, text: content }) => ({ key, content }),
    title: ({ key }) => `entry ${key} written`,
    text: (event) => event.text,
    said: ({ key }, quote) => `entry ${quote(key)} written`,
    isUse: true,
  },
  "entry.deleted": {
    fields: { key: text },
    space: "entries",
    action: "entries.delete",
    asked: ({ key }) => ({ key }),
    title: ({ key }) => `entry ${key} deleted`,
    text: noText,
    said: ({ key }, quote) => `entry ${quote(key)} deleted`,
    isUse: true,
  },
  "lease.claimed": {
    fields: { key: text, holder: text, until: text },
    space: "entries",
    action: "entries.claim",
    asked: ({ key, until }, at) => ({ key, ttlSeconds: (Date.parse(until) - Date.parse(at)) / 1000 }),
    title: ({ key, holder }) => `lease on ${key} claimed by ${holder}`,
    text: ({ until }) => `until ${until}`,
    said: ({ key, until }, quote) => `entry ${quote(key)} claimed until ${until}`,
    isUse: true,
  },
  "lease.released": {
    fields: { key: text, holder: text },
    space: "entries",
    action: "entries.release",
    asked: ({ key }) => ({ key }),
    title: ({ key, holder }) => `lease on ${key} released by ${holder}`,
    text: noText,
    said: ({ key }, quote) => `entry ${quote(key)} released`,
    isUse: true,
  },
  "section.written": {
    fields: { name: text, text, at: text, ttlMinutes: read.optional(read.readDuration) },
    space: "sections",
    action: "sections.write",
    asked: ({ name, text: content, ttlMinutes }) =>
      ttlMinutes === undefined ? { name, content } : { name, content, ttlMinutes },
    title: ({ name }) => `section ${name} written`,
    text: (event) => event.text,
    said: ({ name }, quote) => `section ${quote(name)} written`,
    isUse: false,
  },
  "section.cleared": {
    fields: { name: text },
    space: "sections",
    action: "sections.clear",
    asked: ({ name }) => ({ name }),
    title: ({ name }) => `section ${name} cleared`,
    text: noText,
    said: ({ name }, quote) => `section ${quote(name)} cleared`,
    isUse: false,
  },
  /** The value of another runtime, or a change of notes that was written as one: no action can be read back from it. */
  "legacy.set": {
    fields: { text, dropped, ignored },
    space: "notes",
    action: null,
    title: (event) => (event.ignored ? "legacy value ignored" : "legacy value set"),
    text: (event) => event.text,
    said: () => "notes set",
    taken: (event) => takenText("notes", event),
    isUse: true,
  },
  "turn.began": {
    fields: { id: read.optional(read.readText) },
    space: null,
    action: null,
    title: () => "turn began",
    text: ({ id = "" }) => id,
    isUse: false,
  },
  /** Its action and its space are those of what was refused: see `spaceOfEvent`. */
  "action.refused": {
    fields: { action: text, code: read.required(read.readRefusalCode), offered: read.required(read.readJson) },
    space: null,
    action: null,
    title: refusalTitle,
    text: ({ offered }) => offeredText(offered),
    taken: (event) => takenOffer(spaceOfEvent(event) ?? "notes", event.offered),
    isUse: false,
  },
  "state.restored": {
    fields: { to: version, state },
    space: null,
    action: "restore",
    asked: ({ to }) => ({ to }),
    title: ({ to }) => `restored to version ${to}`,
    text: noText,
    said: ({ to }) => `restored v${to}`,
    isUse: false,
  },
  "session.forked": {
    fields: { from: read.required(read.readOrigin), state },
    space: null,
    action: null,
    title: () => "forked",
    text: ({ from }) => `from session ${from.session} at version ${from.version}`,
    said: ({ from }, quote) => `forked from ${quote(from.session)} at v${from.version}`,
    isUse: false,
  },
  "session.imported": {
    fields: { from: read.required(read.readImportOrigin) },
    space: null,
    action: null,
    title: ({ from }) => `imported from ${from.client}`,
    text: ({ from }) => importText(from),
    said: ({ from }, quote) => `imported from ${quote(from.client)}, session ${quote(from.session)}`,
    isUse: false,
  },
  "text.redacted": {
    fields: {
      versions: read.required(read.readVersions),
      space: read.optional(read.readSpace),
      digests: read.required(read.readTexts),
      reason: read.optional(read.readText),
    },
    space: null,
    action: null,
    title: ({ digests, space }) =>
      `${digests.length} ${digests.length === 1 ? "text" : "texts"}${space === undefined ? "" : ` of ${space}`} redacted`,
    text: redactionText,
    isUse: false,
  },
  "prompt.shown": {
    fields: { shows: version, digest: text, chars: version, place: text },
    space: null,
    action: null,
    title: ({ shows, chars, place }) => `shown: v${shows}, ${chars} chars (${place})`,
    text: ({ digest }) => digest,
    isUse: false,
  },
  "nudge.shown": {
    fields: { kind: text, text },
    space: null,
    action: null,
    title: ({ kind }) => `hint shown: ${kind}`,
    text: (event) => event.text,
    isUse: false,
  },
  unknown: {
    fields: null,
    space: null,
    action: null,
    title: ({ name }) => `unknown event ${name}`,
    text: ({ payload }) => JSON.stringify(payload),
    said: ({ name }, quote) => `recorded as ${quote(name)}, which this version of session-journal cannot read`,
    isUse: false,
  },
} as const satisfies { readonly [Type in ScratchpadEventType]: EventType<EventOf<Type>> };

type Rows = typeof eventTypes;
type RowWithAction = Extract<Rows[ScratchpadEventType], { readonly action: string }>;

/** What was asked, as it is read back from each type of event that an action makes: the name and the parameters. */
export type Asked = {
  [Type in keyof Rows]: Rows[Type] extends RowWithAction
    ? { readonly action: Rows[Type]["action"] } & ReturnType<Rows[Type]["asked"]>
    : never;
}[keyof Rows];

type SpacesOfActions = { readonly [Row in RowWithAction as Row["action"]]: Row["space"] };
let spaces: SpacesOfActions | undefined;

/** The record leads from each action to the space of the event that it makes. Null stands for all spaces. It is made when it is asked for first. */
export function spacesOfActions(): SpacesOfActions {
  spaces ??= Object.fromEntries(
    Object.values(eventTypes).flatMap(({ action, space }) => (action === null ? [] : [[action, space]])),
  ) as SpacesOfActions;
  return spaces;
}

/** The result is the row of the event's type. */
export function typeOf<Event extends ScratchpadEvent>(event: Event): EventType<Event> {
  return eventTypes[event.type] as unknown as EventType<Event>;
}

/** The result is the space that an event is about. A refusal is about the space of its action. */
export function spaceOfEvent(event: ScratchpadEvent): Space | null {
  if (event.type !== "action.refused") return typeOf(event).space;
  const ofActions: { readonly [action: string]: Space | null } = spacesOfActions();
  return Object.hasOwn(ofActions, event.action) ? (ofActions[event.action] ?? null) : null;
}
