/** What a list says of one session: its file is read once, from its first byte to its last. */

import { type PlanProgress, planProgress } from "../audit/steps.ts";
import { oneLine } from "../lens/checklist.ts";
import { blockText, fields, isFields, parsed } from "../lens/fields.ts";
import { TrackedFiles } from "../lens/tracked-files.ts";
import { openJournal } from "../open/open-journal.ts";
import { given } from "../options.ts";
import { type ForeignFile, foreignFile } from "../store/lens/foreign-file.ts";
import { LensReading } from "../store/lens/lens-reading.ts";
import { piFile } from "../store/lens/pi-file.ts";
import { SessionBytes } from "../store/session-file/session-bytes.ts";

export interface SessionSummary {
  readonly version: number;
  readonly turns: number;
  /** Absent where there is no plan with steps. */
  readonly progress?: PlanProgress;
  /** This is the beginning of the person's first message. */
  readonly firstMessage?: string;
  readonly clientVersion?: string;
  /** Subagents whose lines stand in the same file. */
  readonly agents?: readonly (SessionSummary & { readonly session: string })[];
}

const messageLengthMax = 200;
const messageBytesMax = 256 * 1024;

/** Undefined: the file is no session that can be opened. */
export async function summaryOf(file: string): Promise<SessionSummary | undefined> {
  const foreign = foreignFile(file) ?? piFile(file, undefined);
  return foreign === undefined ? journalSummary(file) : foreignSummary(foreign);
}

async function foreignSummary(foreign: ForeignFile): Promise<SessionSummary | undefined> {
  const bytes = SessionBytes.open(foreign.file);
  if (bytes === undefined) return undefined;
  try {
    const { lens, agent, form } = foreign;
    const isDocument = form === "document";
    const settings = { lens, files: new TrackedFiles(), isDocument, ...given({ agent }) };
    let reading = new LensReading(bytes, settings);
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
        const inside = agent === undefined ? await agentsInside(foreign.file, agents) : [];
        return seen.summary(firstMessage, versions.at(-1), inside);
      }
      reading = again;
    }
  } finally {
    bytes.close();
  }
}

async function agentsInside(file: string, ids: readonly string[]): Promise<NonNullable<SessionSummary["agents"]>> {
  const found: (SessionSummary & { session: string })[] = [];
  for (const session of ids) {
    const foreign = foreignFile(`${file}#agent-${session}`);
    const summary = foreign?.agent === undefined ? undefined : await foreignSummary(foreign);
    if (summary !== undefined) found.push({ session, ...summary });
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
    agents: NonNullable<SessionSummary["agents"]> = [],
  ): SessionSummary {
    const progress = this.#progress;
    return {
      version: this.version,
      turns: this.turns,
      ...given({ progress }),
      ...(message === undefined || message === "" ? {} : { firstMessage: message.slice(0, messageLengthMax) }),
      ...given({ clientVersion }),
      ...(agents.length === 0 ? {} : { agents }),
    };
  }
}

async function journalSummary(file: string): Promise<SessionSummary | undefined> {
  const journal = await openJournal(file, { readonly: true, create: false }).catch(() => undefined);
  if (journal === undefined) return undefined;
  try {
    const seen = new Seen();
    seen.version = journal.version;
    seen.turns = journal.turn;
    seen.plan(journal.state.plan);
    return seen.summary(firstMessageIn(file), undefined);
  } finally {
    await journal.close();
  }
}

function firstMessageIn(file: string): string | undefined {
  const bytes = SessionBytes.open(file);
  if (bytes === undefined) return undefined;
  try {
    for (const line of bytes.slice(0, messageBytesMax).toString("utf8").split("\n")) {
      const value = parsed(line);
      const message = fields(isFields(value) && value["type"] === "message" ? value["message"] : undefined);
      if (message["role"] === "user") return oneLine(blockText(message["content"]));
    }
    return undefined;
  } finally {
    bytes.close();
  }
}
