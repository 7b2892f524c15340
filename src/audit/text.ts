/** A state written as text, each value on lines of its own, so that two states can be compared line by line. */
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

function block(title: string, text: string, shown = text !== ""): string[] {
  if (!shown) return [];
  return [text === "" ? `${title}\n` : `${title}\n${text}\n`];
}

function sorted<Value>(record: Readonly<Record<string, Value>>): [string, Value][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
