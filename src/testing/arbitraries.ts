/** Values for property tests: whatever may be asked, may have happened, or may lie in a file of another runtime. */
import { type ActionName, actionNames } from "../action/actions.ts";
import type { Limits } from "../action/limits.ts";
import type {
  EventOf,
  Json,
  RecordedRefusalCode,
  ScratchpadEvent,
  ScratchpadEventType,
  Space,
} from "../event/event.ts";
import { freezeState } from "../state/image.ts";
import type { ScratchpadState } from "../state/state.ts";
import { anyText } from "./any-text.ts";
import { fc } from "./fast-check.ts";

/** What has broken a journal before: pairs and their halves, line breakers, delimiters, names that objects have. */
const hostilePieces = [
  "",
  "a",
  "\n",
  "\r\n",
  " ",
  "😀",
  "👩‍💻",
  "\ud83d",
  "\ude00",
  "\u0000",
  "\u001b[31m",
  "\u0085",
  "\u2028",
  "\u2029",
  "\ufeff",
  "é",
  "日本",
  '"',
  "\\",
  "$&",
  "$1",
  "</script>",
  "[Session Scratchpad]",
  '{"type":"custom"}',
  "__proto__",
  "constructor",
  "toString",
];

/**
 * Generates texts that break careless code. They may have lone surrogates.
 *
 * @param options The largest number of pieces. The default is 12.
 * @throws An Error of fast-check for a number that is not a whole one from 0 on.
 * @example
 * fc.assert(fc.property(hostileText(), (text) => planSteps(text).length >= 0));
 */
export function hostileText({ piecesMax = 12 } = {}): fc.Arbitrary<string> {
  const piece = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...hostilePieces) }, anyText);
  return fc.array(piece, { maxLength: piecesMax }).map((pieces) => pieces.join(""));
}

/**
 * Generates texts that break careless code, but have no lone surrogates.
 *
 * @param options The largest number of pieces. The default is 12.
 * @throws An Error of fast-check for a number that is not a whole one from 0 on.
 * @example
 * fc.assert(fc.property(wellFormedText(), (text) => !/\p{Surrogate}/u.test(text)));
 */
export function wellFormedText(options?: { piecesMax?: number }): fc.Arbitrary<string> {
  return hostileText(options).map((text) => text.replace(/\p{Surrogate}/gu, "\ufffd"));
}

/** The keys are few and short, so that they meet again; some are those that every object has. */
const entryKey = fc.constantFrom("a", "b", "plan-a", "constructor", "toString", "7");
const anyKey = fc.oneof({ weight: 4, arbitrary: entryKey }, fc.constantFrom("__proto__", "", "a/b", "é"));
const ref = fc.oneof(fc.constantFrom("r1", "r2", "src/a.ts"), hostileText({ piecesMax: 3 }));
const actor = fc.constantFrom("agent", "other");
const time = fc
  .date({ min: new Date("2026-01-01T00:00:00Z"), max: new Date("2026-01-01T01:00:00Z"), noInvalidDate: true })
  .map((date) => date.toISOString());
const version = fc.nat({ max: 30 });

/**
 * Generates budgets that are so small that they take effect.
 *
 * @throws Nothing, if the types hold.
 * @example
 * fc.assert(fc.property(arbitraryLimits(), (limits) => limits.plan <= 40));
 */
export function arbitraryLimits(): fc.Arbitrary<Limits> {
  const small = fc.nat({ max: 40 });
  const few = fc.nat({ max: 4 });
  return fc.record({ notes: small, plan: small, refs: few, entry: small, entriesTotal: small, sections: few });
}

/** These are the parameters of each action, mostly of the right kind. */
const parameters: { readonly [Name in ActionName]: fc.Arbitrary<{ readonly [parameter: string]: unknown }> } = {
  set_notes: fc.record({ content: hostileText() }),
  append_notes: fc.record({ content: hostileText() }),
  edit_notes: fc.oneof(
    fc.record({
      operation: fc.constant("find_replace"),
      find: hostileText({ piecesMax: 1 }),
      replace: hostileText({ piecesMax: 3 }),
      replace_all: fc.boolean(),
    }),
    fc.record({ operation: fc.constantFrom("prepend", "append"), content: hostileText() }),
    fc.record({ operation: fc.constant("delete"), content: hostileText({ piecesMax: 1 }) }),
    fc.record({ operation: fc.constant("delete"), find: hostileText({ piecesMax: 1 }) }),
  ),
  set_plan: fc.record({ content: hostileText() }),
  "refs.add": fc.record({ ref }),
  "refs.remove": fc.record({ ref }),
  "refs.set": fc.record({ items: fc.array(fc.oneof({ weight: 4, arbitrary: ref }, fc.integer()), { maxLength: 8 }) }),
  "entries.write": fc.record({ key: anyKey, content: hostileText() }),
  "entries.delete": fc.record({ key: anyKey }),
  "entries.claim": fc.record(
    { key: anyKey, ttlSeconds: fc.double({ min: 0.001, max: 4000, noNaN: true }) },
    { requiredKeys: ["key"] },
  ),
  "entries.release": fc.record({ key: anyKey }),
  "sections.write": fc.record(
    { name: anyKey, content: hostileText(), ttlMinutes: fc.integer({ min: 1, max: 90 }) },
    { requiredKeys: ["name", "content"] },
  ),
  "sections.clear": fc.record({ name: anyKey }),
};

/**
 * Generates actions of every kind. Some of them are refused.
 *
 * @throws Nothing, if the types hold.
 * @example
 * fc.assert(fc.property(arbitraryAction(), (action) => decide(initialState, action, context).answer.message !== ""));
 */
export function arbitraryAction(): fc.Arbitrary<{
  readonly action: ActionName;
  readonly [parameter: string]: unknown;
}> {
  return fc.oneof(...actionNames.map((action) => parameters[action].map((given) => ({ action, ...given }))));
}

/**
 * Generates what a model, a host or a bug may hand in as an action.
 *
 * @throws Nothing, if the types hold.
 * @example
 * fc.assert(fc.property(arbitraryRequest(), (request) => typeof decide(initialState, request, context).answer.ok === "boolean"));
 */
export function arbitraryRequest(): fc.Arbitrary<unknown> {
  const spoilt = fc
    .tuple(arbitraryAction(), fc.constantFrom("content", "ref", "items", "key", "find", "ttlSeconds"), fc.anything())
    .map(([action, parameter, value]) => ({ ...action, [parameter]: value }));
  return fc.oneof({ weight: 8, arbitrary: arbitraryAction() }, { weight: 2, arbitrary: spoilt }, fc.anything());
}

/**
 * Generates a state, often one that exceeds its budgets.
 *
 * @throws Nothing, if the types hold.
 * @example
 * fc.assert(fc.property(arbitraryState(), (state) => planProgress(state.plan).total >= 0));
 */
export function arbitraryState(): fc.Arbitrary<ScratchpadState> {
  const section = fc.record(
    { text: hostileText(), at: time, ttlMinutes: fc.integer({ min: 1, max: 90 }) },
    { requiredKeys: ["text", "at"] },
  );
  const image = fc.record({
    notes: hostileText({ piecesMax: 30 }),
    plan: hostileText({ piecesMax: 30 }),
    refs: fc.array(ref, { maxLength: 8 }),
    entries: fc.dictionary(anyKey, hostileText(), { maxKeys: 6 }),
    leases: fc.dictionary(entryKey, fc.record({ holder: actor, until: time }), { maxKeys: 3 }),
    sections: fc.dictionary(anyKey, section, { maxKeys: 6 }),
  });
  return image.map(freezeState);
}

const payloads: { readonly [Type in ScratchpadEventType]: fc.Arbitrary<Omit<EventOf<Type>, "type">> } = {
  "notes.set": wholeValue(hostileText(), hostileText()),
  "notes.appended": fc.record({ text: hostileText() }),
  "notes.edited": fc.record(
    {
      operation: fc.constantFrom("find_replace", "prepend", "append", "delete"),
      find: hostileText({ piecesMax: 1 }),
      replace: hostileText({ piecesMax: 3 }),
      all: fc.boolean(),
      text: hostileText({ piecesMax: 2 }),
    },
    { requiredKeys: ["operation"] },
  ),
  "plan.set": wholeValue(hostileText(), hostileText()),
  "ref.added": fc.record({ ref, evicted: ref }, { requiredKeys: ["ref"] }),
  "ref.removed": fc.record({ ref }),
  "refs.set": fc.record(
    {
      refs: fc.array(ref, { maxLength: 8 }),
      dropped: fc.array(ref, { maxLength: 3 }),
      ignored: fc.constant<true>(true),
    },
    { requiredKeys: ["refs"] },
  ),
  "entry.written": fc.record({ key: anyKey, text: hostileText() }),
  "entry.deleted": fc.record({ key: anyKey }),
  "lease.claimed": fc.record({ key: anyKey, holder: actor, until: time }),
  "lease.released": fc.record({ key: anyKey, holder: actor }),
  "section.written": fc.record(
    { name: anyKey, text: hostileText(), at: time, ttlMinutes: fc.integer({ min: 1, max: 90 }) },
    { requiredKeys: ["name", "text", "at"] },
  ),
  "section.cleared": fc.record({ name: anyKey }),
  "legacy.set": wholeValue(hostileText(), hostileText()),
  "turn.began": fc.record({ id: hostileText({ piecesMax: 1 }) }, { requiredKeys: [] }),
  "action.refused": fc.record({
    action: fc.constantFrom<string>(...actionNames),
    code: fc.constantFrom<RecordedRefusalCode>("over_budget", "not_found", "held", "rejected"),
    offered: jsonObject(),
  }),
  "state.restored": fc.record({ to: version, state: arbitraryState() }),
  "session.forked": fc.record({
    from: fc.record({ session: hostileText({ piecesMax: 2 }), version, hash: fc.string() }),
    state: arbitraryState(),
  }),
  "session.imported": fc.record({
    from: fc.record(
      {
        client: fc.constantFrom("claude-code", "codex"),
        version: hostileText({ piecesMax: 1 }),
        session: hostileText({ piecesMax: 2 }),
        bytes: fc.nat(),
        sha256: fc.string(),
      },
      { requiredKeys: ["client", "session", "bytes", "sha256"] },
    ),
  }),
  "text.redacted": fc.record(
    {
      versions: fc.array(version, { maxLength: 4 }),
      space: fc.constantFrom<Space>("notes", "plan", "refs", "entries", "sections"),
      digests: fc.array(fc.string(), { maxLength: 4 }),
      reason: hostileText({ piecesMax: 2 }),
    },
    { requiredKeys: ["versions", "digests"] },
  ),
  "prompt.shown": fc.record({
    shows: version,
    digest: fc.string(),
    chars: fc.nat(),
    place: hostileText({ piecesMax: 1 }),
  }),
  "nudge.shown": fc.record({ kind: hostileText({ piecesMax: 1 }), text: hostileText({ piecesMax: 2 }) }),
  unknown: fc.record({ name: fc.constantFrom("notes.sung", "constructor", "unknown"), payload: jsonObject() }),
};

/**
 * Generates events of every type, and some that `decide` never makes.
 *
 * @throws Nothing, if the types hold.
 * @example
 * fc.assert(fc.property(arbitraryEvent(), (event) => Object.isFrozen(evolve(initialState, event))));
 */
export function arbitraryEvent(): fc.Arbitrary<ScratchpadEvent> {
  const types = Object.keys(payloads) as ScratchpadEventType[];
  return fc.oneof(...types.map((type) => payloads[type].map((payload) => ({ type, ...payload }) as ScratchpadEvent)));
}

/**
 * Generates a history of events of every type, with at most `eventsMax` of them.
 *
 * @param options The largest number of events. The default is 20.
 * @throws An Error of fast-check for a number that is not a whole one from 0 on.
 * @example
 * fc.assert(fc.property(arbitraryHistory({ eventsMax: 5 }), (events) => Object.isFrozen(fold(events))));
 */
export function arbitraryHistory({ eventsMax = 20 } = {}): fc.Arbitrary<ScratchpadEvent[]> {
  return fc.array(arbitraryEvent(), { maxLength: eventsMax });
}

function wholeValue(text: fc.Arbitrary<string>, dropped: fc.Arbitrary<string>) {
  return fc.record({ text, dropped, ignored: fc.constant<true>(true) }, { requiredKeys: ["text"] });
}

function jsonObject(): fc.Arbitrary<Json> {
  // JSON is printed without the sign of a zero.
  const value = fc.jsonValue({ maxDepth: 2 }).map((each) => JSON.parse(JSON.stringify(each)) as Json);
  return fc.dictionary(fc.constantFrom("content", "key", "x"), value) as fc.Arbitrary<Json>;
}
