/** Rows of the database of OpenCode as lines in the form of its export. What becomes of a row later must not change a line that was told. */
import { fields } from "../../event/fields.ts";
import { parsed } from "../../lens/fields.ts";
import { callIn, planTools, todosIn, todoText } from "../../lens/opencode-calls.ts";
import { given } from "../../options.ts";

/** Only the beginning is asked for of a call that cannot matter, and this stands before it. No JSON begins so. */
export const cutMark = "~";
const cutPattern =
  /^\{"type":"tool","tool":"((?:[^"\\]|\\.)*)"(?:,"callID":"((?:[^"\\]|\\.)*)")?.*?"state":\{"status":"(\w*)/s;

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

/** The order of its fields changes while a tool runs. */
function isOpen({ data, isCut }: Part): boolean {
  if (!data.startsWith(toolBeginning)) return false;
  const status = isCut ? cutPattern.exec(data)?.[3] : fields(fields(parsed(data))["state"])["status"];
  return status === "pending" || status === "running";
}

interface Part extends Row {
  /** So many calls that are work were made before it. */
  readonly calls: number;
  /** The time when its call ended, as the client says it. */
  readonly end: number;
  /** The data is only the beginning of what stands there. */
  readonly isCut: boolean;
}

/** The parts stand in the order in which they were made. A call that is made counts: whether it has ended yet, those behind it must not say. */
function toldParts(rows: readonly Row[]): Part[] {
  let made = 0;
  return rows.map((row) => {
    const calls = made;
    const isCut = row.data.startsWith(cutMark);
    const whole = isCut ? { ...row, data: row.data.slice(cutMark.length) } : row;
    if (isWork(whole)) made += 1;
    return { ...whole, calls, isCut, ...(isCut ? { end: row.time } : endOf(row)) };
  });
}

/** The client clears old results at a compaction: it writes the time of that into them, and the row has another time since. */
function endOf({ data, time }: Row): Pick<Part, "data" | "end"> {
  const part = data.startsWith(toolBeginning) ? fields(parsed(data)) : {};
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

function partLine({ message, info, id, data, isCut, calls }: Part): string {
  const [, tool, callID, status] = isCut ? (cutPattern.exec(data) ?? []) : [];
  const part = isCut
    ? JSON.stringify({ id, type: "tool", tool, callID, state: { status } })
    : `{"id":${JSON.stringify(id)},${data.slice(data.indexOf("{") + 1)}`;
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
