/** What a list says of one session: its file is read once, from its first byte to its last. */

import { type PlanProgress, planProgress } from "../audit/steps.ts";
import { isJournalError } from "../errors.ts";
import { fields, isFields } from "../event/fields.ts";
import { oneLine } from "../lens/checklist.ts";
import { codex } from "../lens/codex.ts";
import { blockText, parsed } from "../lens/fields.ts";
import { TrackedFiles } from "../lens/tracked-files.ts";
import { openJournal } from "../open/open-journal.ts";
import { given, withoutHalf } from "../options.ts";
import { wholeCodex } from "../store/lens/codex-bytes.ts";
import { type ForeignFile, foreignFile, foreignIn, linesOf } from "../store/lens/foreign-file.ts";
import { LensReading } from "../store/lens/lens-reading.ts";
import { openText } from "../store/lens/packed-bytes.ts";
import { piIn } from "../store/lens/pi-file.ts";
import { type ByteSource, SessionBytes } from "../store/session-file/session-bytes.ts";
import { summaryAtOnce } from "./folder/read-summary.ts";

export interface FileSummary {
  readonly version: number;
  readonly turns: number;
  /** This is absent if there is no plan with steps. */
  readonly progress?: PlanProgress;
  /** This is the beginning of the person's first message. */
  readonly firstMessage?: string;
  readonly clientVersion?: string;
  /** Subagents whose lines stand in the same file. */
  readonly agents?: readonly (FileSummary & { readonly session: string })[];
}

interface JournalSummary {
  readonly version: number;
  readonly turn?: number;
  readonly plan?: string;
}

const messageLengthMax = 200;
const messageBytesMax = 256 * 1024;

/** Paths come again from session to session. */
const files = new TrackedFiles();

/** The result is undefined if the file is no session that can be opened. The file is opened once, but for what only a journal can tell. */
export async function summaryOf(file: string): Promise<FileSummary | undefined> {
  const bytes = openText(file);
  if (bytes === undefined) return undefined;
  try {
    const foreign = foreignIn(file, bytes) ?? piIn(file, bytes);
    if (foreign === undefined) return bytes instanceof SessionBytes ? await journalSummary(bytes) : undefined;
    const whole = foreign.lens === codex ? wholeCodex(bytes) : bytes;
    try {
      return await foreignSummary(foreign, whole);
    } finally {
      whole.close();
    }
  } finally {
    bytes.close();
  }
}

async function foreignSummary({ lens, agent, form, file }: ForeignFile, bytes: ByteSource): Promise<FileSummary> {
  let reading = new LensReading(bytes, { lens, files, isDocument: form === "document", ...given({ agent }) });
  for (;;) {
    const seen = new Seen();
    const again = await reading.advance((entry) => {
      if (entry.kind === "turn") seen.turns = entry.turn;
      if (entry.kind !== "event") return;
      seen.version += 1;
      if (entry.recorded.event.type === "plan.set") seen.plan(entry.recorded.event.text);
    });
    if (again === undefined) {
      const { firstMessage, versions, agents } = reading.facts();
      const inside = agent === undefined ? await agentsInside(file, agents, bytes.size()) : [];
      return seen.summary(firstMessage, versions.at(-1), inside);
    }
    reading = again;
  }
}

async function agentSummary(agent: ForeignFile): Promise<FileSummary | undefined> {
  const bytes = openText(agent.file);
  if (bytes === undefined) return undefined;
  try {
    return await foreignSummary(agent, bytes);
  } finally {
    bytes.close();
  }
}

/** A file may give any text as the id of a subagent. Only such a one can be part of an address, and of the name of a file. */
const agentId = /^[\w-]{1,64}$/;

/** The file is read once for each subagent: a file that names thousands would take hours. So many bytes are read in a few seconds. */
const [agentsAlways, agentBytesMax] = [32, 1024 * 1024 * 1024];

async function agentsInside(
  file: string,
  ids: readonly string[],
  sizeBytes: number,
): Promise<NonNullable<FileSummary["agents"]>> {
  const found: (FileSummary & { session: string })[] = [];
  const agentsMax = Math.max(agentsAlways, Math.floor(agentBytesMax / sizeBytes));
  const sought = ids.filter((id) => agentId.test(id)).slice(0, agentsMax);
  for (const session of sought) {
    const foreign = foreignFile(`${file}#agent-${session}`);
    const summary = foreign?.agent === undefined ? undefined : await agentSummary(foreign);
    // The session has begun it, and its lines are not here.
    if (summary === undefined || (summary.turns === 0 && summary.version === 0)) continue;
    found.push({ session, ...summary });
  }
  return found;
}

class Seen {
  version = 0;
  turns = 0;
  #progress: PlanProgress | undefined;

  /** A list that is put away once everything on it is done was done all the same. */
  plan(text: string): void {
    const progress = planProgress(text);
    if (progress.total > 0) this.#progress = progress;
    else if (this.#progress !== undefined && this.#progress.done < this.#progress.total) this.#progress = undefined;
  }

  summary(
    message: string | undefined,
    clientVersion: string | undefined,
    agents: NonNullable<FileSummary["agents"]> = [],
  ): FileSummary {
    const progress = this.#progress;
    return {
      version: this.version,
      turns: this.turns,
      ...given({ progress }),
      ...(message === undefined || message === ""
        ? {}
        : { firstMessage: withoutHalf(message.slice(0, messageLengthMax)) }),
      ...given({ clientVersion }),
      ...(agents.length === 0 ? {} : { agents }),
    };
  }
}

async function journalSummary(bytes: SessionBytes): Promise<FileSummary | undefined> {
  const read = readAtOnce(bytes) ?? (await readByJournal(bytes.file));
  if (read === undefined) return undefined;
  const seen = new Seen();
  seen.version = read.version;
  seen.turns = read.turn ?? 0;
  seen.plan(read.plan ?? "");
  return seen.summary(firstMessageIn(bytes), undefined);
}

/** The result is undefined if only a journal can tell. */
function readAtOnce(bytes: SessionBytes): JournalSummary | undefined {
  try {
    return summaryAtOnce(bytes);
  } catch {
    return undefined;
  }
}

async function readByJournal(file: string): Promise<JournalSummary | undefined> {
  const journal = await openJournal(file, { readonly: true, create: false }).catch((error: unknown) => {
    if (!isJournalError(error, "not_a_session")) throw error;
  });
  if (journal === undefined) return undefined;
  const { version, turn, state } = journal;
  await journal.close();
  return { version, turn, plan: state.plan };
}

function firstMessageIn(bytes: SessionBytes): string | undefined {
  for (const line of linesOf(bytes.slice(0, messageBytesMax))) {
    const value = parsed(line);
    const message = fields(isFields(value) && value["type"] === "message" ? value["message"] : undefined);
    if (message["role"] === "user") return oneLine(blockText(message["content"]));
  }
  return undefined;
}
