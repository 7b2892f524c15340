/** Rows of the database of OpenCode as lines in the form of its export. What becomes of a row later must not change a line that was told. */
import { fields } from "../../event/fields.ts";
import { parsed } from "../../lens/fields.ts";
import { callIn, planTools, todosIn, todoText } from "../../lens/opencode-calls.ts";
import { given } from "../../options.ts";

/** So much of a call that cannot matter says whose it is and how it ended. */
export const shortLength = 400;
const shortPattern =
  /^\{"type":"tool","tool":"([^"\\]{1,128})","callID":"([^"\\]{1,256})","state":\{"status":"(\w{1,32})"/;

const toolBeginning = '{"type":"tool"';
const toolPattern = /^\{"type":"tool","tool":"([^"\\]{1,128})"/;

export interface Row {
  readonly kind: number;
  readonly message: string;
  readonly info: string;
  /** A part was made then, and the list was set then. */
  readonly time: number;
  readonly id: string;
  readonly data: string;
}

/** With `isWhole`, the result also has what changes nothing. `list` is the client's. */
export function linesOfParts(rows: readonly Row[], list: readonly Row[], isWhole: boolean): string[] {
  const parts = inOrderOfEnds(toldParts(rows));
  const [open, ended] = [parts.filter(isOpen), parts.filter((part) => !isOpen(part))];
  const isAsTold = open.some(isTodoCall) || listIn(list) === lastListIn(ended);
  // There it stays, whatever follows: who looks whenever is told the same.
  const listed = listTime(list) ?? 0;
  const place = ended.findLastIndex((part) => isTodoCall(part) || part.end <= listed) + 1;
  return [
    ...ended.slice(0, place).map(partLine),
    ...((isWhole ? !open.some(isTodoCall) : !isAsTold) ? todoLines(list) : []),
    ...ended.slice(place).map(partLine),
    ...(isWhole ? open.map(partLine) : []),
  ];
}

/** The result has tool, id and status of a call that cannot matter, behind all that says so. It is empty for anything else. */
function shortIn(data: string): readonly (string | undefined)[] {
  return (data.length === shortLength ? shortPattern.exec(data) : null) ?? [];
}

/** The order of its fields changes while a tool runs. */
function isOpen({ data }: Row): boolean {
  if (!data.startsWith(toolBeginning)) return false;
  const [, , , short] = shortIn(data);
  const status = short ?? fields(fields(parsed(data))["state"])["status"];
  return status === "pending" || status === "running";
}

interface Part extends Row {
  /** So many calls that are work were made before it. */
  readonly calls: number;
  /** The time when its call ended, as the client says it. */
  readonly end: number;
}

/** The parts stand in the order in which they were made. A call that is made counts: whether it has ended yet, those behind it must not say. */
function toldParts(rows: readonly Row[]): Part[] {
  let made = 0;
  return rows.map((row) => {
    const calls = made;
    if (isWork(row)) made += 1;
    return { ...row, calls, ...endOf(row) };
  });
}

/** The client clears old results at a compaction: it writes the time of that into them, and the row has another time since. */
function endOf({ data, time }: Row): Pick<Part, "data" | "end"> {
  const isWhole = data.startsWith(toolBeginning) && shortIn(data).length === 0;
  const part = isWhole ? fields(parsed(data)) : {};
  const state = fields(part["state"]);
  const { compacted, ...times } = fields(state["time"]);
  const end = typeof times["end"] === "number" ? times["end"] : time;
  if (compacted === undefined) return { data, end };
  return { data: JSON.stringify({ ...part, state: { ...state, time: times } }), end };
}

function isWork({ data }: Row): boolean {
  if (!data.startsWith(toolBeginning)) return false;
  const [, tool = "invalid"] = toolPattern.exec(data) ?? [];
  return !planTools.has(tool === "invalid" ? callIn(fields(parsed(data))).tool : tool);
}

/** Messages stay in order. */
function inOrderOfEnds(parts: readonly Part[]): Part[] {
  const messages = new Map<string, Part[]>();
  for (const part of parts) {
    const own = messages.get(part.message);
    if (own === undefined) messages.set(part.message, [part]);
    else own.push(part);
  }
  return [...messages.values()].flatMap((own) => own.sort((one, other) => one.end - other.end));
}

function partLine({ message, info, id, data, calls }: Part): string {
  const [, tool, callID, status] = shortIn(data);
  const part =
    tool === undefined
      ? `{"id":${JSON.stringify(id)},${data.slice(data.indexOf("{") + 1)}`
      : JSON.stringify({ id, type: "tool", tool, callID, state: { status } });
  const before = data.startsWith(toolBeginning) ? `,"calls":${calls}` : "";
  return `{"info":${JSON.stringify(lastingInfo(message, info))},"parts":[${part}]${before}}`;
}

/** The result is without what is added to it while the model speaks, or later: what was read would not stand there any more. */
function lastingInfo(id: string, data: string): object {
  const { role, modelID, summary, time } = fields(parsed(data));
  const isSummary = summary === true ? { summary } : {};
  return { id, role, modelID, ...isSummary, time: { created: fields(time)["created"] } };
}

function isTodoCall({ data }: Row): boolean {
  return data.startsWith('{"type":"tool","tool":"todowrite"');
}

/** The result is the list that the last call set. */
function lastListIn(ended: readonly Row[]): string {
  for (const { data } of ended.filter(isTodoCall).reverse()) {
    const call = callIn(fields(parsed(data)));
    if (!call.hasFailed) return todoText(todosIn(call));
  }
  return "";
}

function listIn(rows: readonly Row[]): string {
  return todoText(todosOf(rows));
}

function todosOf(rows: readonly Row[]): { readonly content: string; readonly status: string }[] {
  return rows.flatMap(({ kind, data, info }) => (kind === 2 ? [{ content: data, status: info }] : []));
}

function todoLines(rows: readonly Row[]): string[] {
  return [JSON.stringify({ todo: todosOf(rows), ...given({ time: listTime(rows) }) })];
}

/** The client set its list then. An empty list has no time. */
function listTime(rows: readonly Row[]): number | undefined {
  const times = rows.flatMap(({ kind, time }) => (kind === 2 ? [time] : []));
  return times.length === 0 ? undefined : Math.max(...times);
}
