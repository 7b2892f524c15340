import { homedir } from "node:os";
import path from "node:path";
import { childrenAmong } from "../../audit/report/families.ts";
import { placeAmong } from "../../audit/sorted.ts";
import { shorten } from "../../audit/width.ts";
import { isJournalError } from "../../errors.ts";
import type { FoundSession } from "../../find/found-session.ts";
import { placeIn } from "../../open/addresses.ts";
import { type Journals, openJournals } from "../../open/open-journals.ts";
import { given } from "../../options.ts";
import type { SessionSummary } from "../../stream/catalog.ts";
import type { Output } from "../output.ts";
import { progressOf, progressText } from "../progress.ts";
import { damageIn } from "../session.ts";
import type { Span } from "../span.ts";
import { UsageError } from "../usage.ts";
import type { Call, ExitCode, Verb } from "../verb.ts";
import { isAddress, isFolder } from "../where.ts";
import { counted, noSessionIn, shortTime, unreadIn } from "../words.ts";

/** On a terminal, the first message is cut to this width. */
const messageColumns = 40;

export const ls: Verb = {
  about: "list the sessions of this folder, or those in a folder, a database or a broker",
  endsByItself: true,
  where: "folder",
  isWhereOptional: true,
  options: { all: { about: "the sessions of every folder; do not name a folder then" } },
  notes: [
    "Without a folder, it lists the sessions that Claude Code, Codex, pi and others kept of the current folder, and the journals that lie in it, newest first.",
    "A subagent's session follows its parent's. The other verbs take its path, or the beginning of its id.",
    "With a folder, it lists the journals in it and in the folders below. A place is also sqlite:journals.db, nats://host/prefix or postgres://host/database. Sessions without a scratchpad are left out.",
    "Sessions of other clients whose files lie in the folder come after its journals. Of OpenCode's database, it lists the sessions.",
    "With a file, it lists the session in it and, of another client, its subagents.",
  ],
  example: "session-journal ls --all",
  async run(call) {
    if (call.where === "") return listFound(call);
    if (!(await listOpenCode(call)) && !(await listFile(call))) return listAll(call);
    return 0;
  },
};

async function listFound(call: Call): Promise<ExitCode> {
  const { options, env, warn } = call;
  const { sessionsAndUnread } = await import("../../find/find-sessions.ts");
  const isAll = options.flag("all");
  const { found, unread } = await sessionsAndUnread({ env, all: isAll });
  printFound(found, call);
  if (unread.length > 0) warn(unreadIn(unread));
  else if (found.length === 0)
    warn(
      isAll
        ? "no session of any client was found"
        : "no session of this folder was found: ls . also looks in the folders below it, ls --all looks in every folder",
    );
  const { machineOf } = await import("../../find/finder.ts");
  const { rootsOf } = await import("../../find/clients.ts");
  for (const { client, path: file } of rootsOf(machineOf({ env }))) {
    if (client === "opencode") await warnOfOpenCode(file, warn);
    if (client === "codex") await warnOfPacked(file, warn);
  }
  return unread.length > 0 ? 1 : 0;
}

/** These would be missing in silence, like what a database holds that cannot be read. */
async function warnOfPacked(folder: string, warn: Call["warn"], found?: number): Promise<void> {
  const { packedBelow } = await import("../../find/session-files.ts");
  const { canUnpack } = await import("../../store/lens/packed-bytes.ts");
  const { unpackingAdvice } = await import("../../store/lens/zstd-frames.ts");
  const count = canUnpack() ? 0 : (found ?? packedBelow(folder));
  if (count === 0) return;
  const which = `${counted(count, "session")}${found === undefined ? " of any folder" : ""}`;
  const left = `${which} in ${folder} ${count === 1 ? "is" : "are"} left out`;
  warn(`${left}: Codex has compressed what is old (.jsonl.zst); Node 22.15 and newer read it, or ${unpackingAdvice}`);
}

async function warnOfOpenCode(file: string, warn: Call["warn"]): Promise<void> {
  const { openCodeFault } = await import("../../find/opencode.ts");
  const fault = await openCodeFault(file);
  if (fault !== undefined) warn(`OpenCode's sessions in ${file} are left out: ${fault}`);
}

function printFound(found: readonly FoundSession[], { options, output, env }: Call): void {
  if (options.flag("json")) for (const session of found) output.json(session);
  else if (found.length > 0) output.table(foundRows(found, env["HOME"] || homedir(), output), "whole");
}

function foundRows(found: readonly FoundSession[], home: string, output: Output): Span[][] {
  const isChild = childrenAmong(found);
  return found.map((session) => {
    const { title, clientVersion = "", at, turns, progress, firstMessage = "", where } = session;
    const message = output.isTerminal ? shorten(firstMessage, messageColumns) : firstMessage;
    return [
      { text: `${isChild(session) ? "  " : ""}${title} ${clientVersion}`.trimEnd(), style: "cyan" },
      { text: shortTime(at), style: "dim" },
      counted(turns, "turn"),
      progress === undefined ? "" : `${progress.done} of ${progress.total} done`,
      message,
      { text: shortPath(where, home), style: "dim" },
    ];
  });
}

/** The result is a path as a shell takes it. */
function shortPath(where: string, home: string): string {
  const isPlain = /^[\w./:@#~-]+$/.test(where);
  return isPlain && home !== "" && where.startsWith(`${home}${path.sep}`) ? `~${where.slice(home.length)}` : where;
}

/** The result is the exit code: 1 where something could not be read. */
async function listAll(call: Call): Promise<ExitCode> {
  const { sessions, isWhole } = await listPlace(call);
  await listBelow(call, sessions);
  return isWhole ? 0 : 1;
}

interface ListedPlace {
  /** These are the journals that were listed, sorted. */
  readonly sessions: readonly string[];
  /** Everything could be read. */
  readonly isWhole: boolean;
}

async function listPlace({ where, options, output, warn }: Call): Promise<ListedPlace> {
  if (options.flag("all")) throw new UsageError("--all looks in every folder: leave out --all, or the folder");
  const namespace = options.text("namespace");
  const journals = await openJournals(where, { readonly: true, ...given({ namespace }) });
  // As it was typed: what is printed can be typed again.
  const typed = isAddress(where) ? journals.where : where;
  const sessions: string[] = [];
  let isWhole = true;
  const unread = (fault: string): void => {
    isWhole = false;
    warn(fault);
  };
  const isJson = options.flag("json");
  try {
    await output.pages(listed(journals, typed, warn, unread), (page, table) => {
      for (const { summary } of page) sessions.push(summary.session);
      if (isJson) for (const { place, summary, plan } of page) output.json(jsonOf(summary, place, plan));
      else
        table(
          page.map(({ place, summary, plan }) => row(summary, place, progressText(plan))),
          "whole",
        );
    });
  } finally {
    await journals.close();
  }
  return { sessions: sessions.sort(), isWhole };
}

interface Listed {
  readonly place: string;
  readonly summary: SessionSummary;
  readonly plan: string;
}

/** Only sessions that have a scratchpad are listed. */
async function* listed(
  journals: Journals,
  typed: string,
  warn: Call["warn"],
  unread: (fault: string) => void,
): AsyncGenerator<Listed> {
  for await (const summary of journals.list()) {
    const { plan: known, isDamaged = false } = summary;
    if (summary.fault !== undefined) unread(summary.fault);
    if (summary.version === 0 && !isDamaged) continue;
    const place = placeIn(typed, summary.session);
    const read = known === undefined ? await readIn(journals, summary.session, place) : { plan: known };
    const fault = isDamaged ? damageIn(place) : "fault" in read ? read.fault : undefined;
    if (fault !== undefined) warn(fault);
    yield { place, summary, plan: read.plan };
  }
}

/** OpenCode keeps its sessions in a database of its own. Answers whether this is one. */
async function listOpenCode(call: Call): Promise<boolean> {
  const file = call.where.replace(/^sqlite:/, "");
  if (!file.endsWith(".db") || call.options.flag("all")) return false;
  const { openCodeFault, openCodeSessions } = await import("../../find/opencode.ts");
  const database = path.resolve(file);
  const found = await openCodeSessions(database);
  printFound(found, call);
  // An address is read as one of ours next, and says itself what is wrong; a path would be taken for a folder.
  const fault = found.length > 0 || file !== call.where ? undefined : await openCodeFault(database);
  if (fault !== undefined) throw new UsageError(`${file} cannot be read as a database: ${fault}`);
  return found.length > 0;
}

/** A file is a session, and that of another client has subagents besides. Answers whether this is one. */
async function listFile(call: Call): Promise<boolean> {
  // What reads other clients is not needed yet where a folder's journals are listed, and loading it would delay them.
  const isFile = !isAddress(call.where) && !isFolder(call.where);
  if (!isFile) return false;
  const { sessionsAt } = await import("../../find/lying-sessions.ts");
  const found = await sessionsAt(call.where);
  if (found === undefined) return false;
  printFound(found, call);
  if (found.length === 0) call.warn(`nobody has said anything in ${call.where} yet`);
  return true;
}

/** This lists the sessions of other clients, and leaves out `journals`. */
async function listBelow(call: Call, journals: readonly string[]): Promise<void> {
  if (call.output.closed.aborted) return;
  const found = isAddress(call.where) ? [] : await foundBelow(call, journals);
  printFound(found, call);
  if (journals.length + found.length === 0) call.warn(noSessionIn(call.where, isAddress(call.where)));
}

async function foundBelow(
  { where: folder, warn }: Call,
  journals: readonly string[],
): Promise<readonly FoundSession[]> {
  const { sessionsBelow } = await import("../../find/lying-sessions.ts");
  const { packedName } = await import("../../find/session-files.ts");
  let packed = 0;
  const found = await sessionsBelow(folder, (way) => {
    if (way.endsWith(packedName)) packed += 1;
    return isAmong(journals, way);
  });
  await warnOfPacked(folder, warn, packed);
  return found;
}

/** The texts are sorted. A set of a hundred thousand of them takes three times the memory of this list. */
function isAmong(texts: readonly string[], text: string): boolean {
  return texts[placeAmong(texts, text)] === text;
}

/** The plan is "" also where the session cannot be folded. `fault`: what is wrong with it, in one line. */
async function readIn(
  journals: Journals,
  session: string,
  place: string,
): Promise<{ readonly plan: string; readonly fault?: string }> {
  try {
    const journal = await journals.open(session);
    const { state, isDamaged } = journal;
    await journal.close();
    return { plan: state.plan, ...(isDamaged ? { fault: damageIn(place) } : {}) };
  } catch (error) {
    if (isJournalError(error)) return { plan: "", fault: error.message };
    throw error;
  }
}

function jsonOf({ plan: _, isDamaged: __, ...summary }: SessionSummary, place: string, plan: string): object {
  return { where: place, ...summary, ...progressOf(plan) };
}

function row(
  { version, at = "", turn, actor = "", writers = [] }: SessionSummary,
  place: string,
  progress: string,
): Span[] {
  return [
    { text: `v${version}`, style: "yellow" },
    { text: shortTime(at), style: "dim" },
    turn === undefined ? "" : `t${turn}`,
    { text: actor, style: "cyan" },
    place,
    ...(progress === "" ? [] : [{ text: progress, style: "dim" as const }]),
    ...writers.map(({ pid, host }): Span => ({ text: `open: process ${pid} on ${host}`, style: "dim" })),
  ];
}
