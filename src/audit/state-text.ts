/** A state written as text, each value on lines of its own, so that two states can be compared line by line. */
import type { Space } from "../action/actions.ts";
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";

/** Ends with a newline, or is "" for the initial state. Records stand in the order of their keys. */
export function stateText(state: ScratchpadState): string {
  const blocks = [
    ...block("# notes", state.notes),
    ...block("# plan", state.plan),
    ...block("# refs", state.refs.map((ref) => `- ${ref.replaceAll("\n", "\n  ")}`).join("\n"), state.refs.length > 0),
    ...sorted(state.entries).flatMap(([key, text]) => block(`# entry ${key}`, text, true)),
    ...sorted(state.leases).map(([key, lease]) => `# lease ${key}: ${lease.holder} until ${lease.until}\n`),
    ...sorted(state.sections).flatMap(([name, { text, at, ttlMinutes }]) =>
      block(`# section ${name}, ${at}${ttlMinutes === undefined ? "" : `, for ${ttlMinutes} minutes`}`, text, true),
    ),
  ];
  return blocks.join("\n");
}

/** This is one space, or one entry or section of it, as text. */
export interface SpaceText {
  readonly space: Space;
  /** This is the key of the entry, or the name of the section. */
  readonly key?: string;
  /** Ends with a newline; what is there and empty is one. */
  readonly text: string;
}

/** The result has only what is there, in the order of `stateText`. */
export function spaceTexts({ notes, plan, refs, entries, leases, sections }: ScratchpadState): SpaceText[] {
  const held = (key: string): string => {
    const lease = own(leases, key);
    return lease === undefined ? "" : `(held by ${lease.holder} until ${lease.until})\n`;
  };
  const written = (key: string): string => (Object.hasOwn(entries, key) ? `${entries[key]}\n` : "");
  const items = refs.map((ref) => `${ref.replaceAll("\n", "\n  ")}\n`).join("");
  return [
    ...(notes === "" ? [] : [{ space: "notes", text: `${notes}\n` } as const]),
    ...(plan === "" ? [] : [{ space: "plan", text: `${plan}\n` } as const]),
    ...(items === "" ? [] : [{ space: "refs", text: items } as const]),
    ...sorted({ ...entries, ...leases }).map(
      ([key]) => ({ space: "entries", key, text: held(key) + written(key) }) as const,
    ),
    ...sorted(sections).map(([key, { text, at, ttlMinutes }]) => {
      const time = `(${at}${ttlMinutes === undefined ? "" : `, for ${ttlMinutes} minutes`})`;
      return { space: "sections", key, text: `${time}\n${text}\n` } as const;
    }),
  ];
}

function block(title: string, text: string, shown = text !== ""): string[] {
  if (!shown) return [];
  return [text === "" ? `${title}\n` : `${title}\n${text}\n`];
}

function sorted<Value>(record: Readonly<Record<string, Value>>): [string, Value][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
