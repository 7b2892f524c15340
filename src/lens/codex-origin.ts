/** A session of Codex may go on from another one, also as a fork of it, or begin with a copy of it. The times of the copy are those of the copying. */
import { type Fields, fields, isFields } from "../event/fields.ts";
import { parentIn, timeIn } from "./codex-lines.ts";
import { text, time } from "./fields.ts";
import type { FactsKeeper } from "./keeper.ts";
import type { Confirmed, LinePlace, Telling } from "./telling.ts";

export class CodexOrigin {
  readonly #telling: Telling;
  readonly #keeper: FactsKeeper;
  #actor = "codex";
  /** What is read was copied from the parent: since when its turn went on, as an ISO time. */
  #inheritedAt: string | undefined;

  constructor(telling: Telling, keeper: FactsKeeper) {
    this.#telling = telling;
    this.#keeper = keeper;
  }

  /** The lines that are read now were copied from the parent. */
  get isInherited(): boolean {
    return this.#inheritedAt !== undefined;
  }

  get at(): string {
    return this.#inheritedAt ?? this.#keeper.at;
  }

  by(entryId: string | undefined, { offset, number }: LinePlace): Confirmed {
    const actor = this.#inheritedAt === undefined ? this.#actor : "codex";
    return { actor, at: this.at, entryId, place: { offset, number } };
  }

  /** The turn with this id began. */
  began(turn: string): void {
    const began = this.#inheritedAt === undefined ? undefined : timeIn(turn);
    if (began === undefined) return;
    const own = timeIn(this.#keeper.session);
    this.#inheritedAt = own !== undefined && began >= own ? undefined : new Date(began).toISOString();
  }

  /** The same id again stands at each turn of the desktop client; another one begins what was copied from the parent. */
  meta(meta: Fields, line: LinePlace): void {
    const id = text(meta["id"]) ?? "";
    this.#keeper.version(text(meta["cli_version"]));
    const base = meta["history_base"];
    const isOther = id !== this.#keeper.session;
    if (isFields(base)) this.#goOnFrom(base, isOther ? parentIn(meta) : undefined, time(meta["timestamp"]), line);
    if (this.#keeper.session === "" || (isOther && isFields(base))) {
      this.#inheritedAt = undefined;
      this.#keeper.session = id;
      this.#keeper.cwd = text(meta["cwd"]);
      this.#keeper.parentSession = parentIn(meta);
      if (isFields(fields(meta["source"])["subagent"])) this.#actor = id;
    } else if (isOther && this.#inheritedAt === undefined) {
      this.#inheritedAt = time(meta["timestamp"]) ?? this.#keeper.at;
      this.#telling.mark("fork", `copied from session ${id}`, line, this.#inheritedAt);
      const what = "what stands from here to the session's own first turn";
      this.#telling.inherited(line, `${what} was copied from session ${id}`);
    }
  }

  /**
   * A person rewound the conversation, or forked that of `origin`: it goes on in this file, behind a place in another one, which stands before it
   * here.
   */
  #goOnFrom(base: Fields, origin: string | undefined, at: string | undefined, line: LinePlace): void {
    const from = `line ${String(base["end_ordinal_exclusive"])} of the file of thread ${text(base["thread_id"]) ?? "?"}`;
    if (this.#keeper.session === "") {
      const what = `the conversation goes on from ${from}`;
      this.#telling.note(line, `${what}, which was not found: what stands there is not told`);
    } else if (origin !== undefined) {
      this.#telling.mark("fork", `goes on from ${from}`, line, at);
      this.#telling.inherited(line, `what stands before this line was copied from session ${origin}`);
    } else this.#telling.mark("branch", `goes on from ${from}`, line, at);
  }
}
