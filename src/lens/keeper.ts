/** Keeps what a file says about its session, as it comes by. */

import type { Fields } from "../event/fields.ts";
import type { ForeignFacts, Repetitions } from "../event/foreign.ts";
import { given, withoutHalf } from "../options.ts";
import { startOfLine } from "./checklist.ts";
import { text, time } from "./fields.ts";

/** So many types that nobody knows are counted by name. */
const typesMax = 64;
/** Only so many UTF-16 code units are kept of what a person asked. */
const promptUnitsMax = 200;

interface WaitingCall {
  readonly tool: string;
  readonly place: { readonly number: number };
}

export class FactsKeeper {
  session = "";
  cwd: string | undefined;
  parentSession: string | undefined;
  firstMessage: string | undefined;
  /** The newest time that was seen, as an ISO time. */
  at = "1970-01-01T00:00:00.000Z";
  readonly versions: string[] = [];
  readonly models: string[] = [];
  readonly #known: ReadonlySet<string>;
  readonly #unknown = new Map<string, number>();
  readonly #prompts = new Map<number, string>();
  readonly #knownVersions = new Set<string>();
  readonly #knownModels = new Set<string>();
  #model: string | undefined;

  /** `known` are the types of lines that the lens knows. */
  constructor(known: ReadonlySet<string>) {
    this.#known = known;
  }

  count(type: string): void {
    if (this.#known.has(type)) return;
    const name = this.#unknown.has(type) || this.#unknown.size < typesMax ? type : "others";
    this.#unknown.set(name, (this.#unknown.get(name) ?? 0) + 1);
  }

  /** A turn began with this message. With `isOwn`, it was said in this session, and not in the one that it was copied from. */
  asked(turn: number, message: string, isOwn = true): void {
    const prompt = withoutHalf(startOfLine(message, promptUnitsMax));
    if (isOwn) this.firstMessage ??= prompt;
    if (prompt !== "" && !this.#prompts.has(turn)) this.#prompts.set(turn, prompt);
  }

  /** This learns from fields that lines of Claude Code and Codex have. */
  learn(line: Fields): void {
    this.session ||= text(line["sessionId"]) ?? "";
    this.cwd ??= text(line["cwd"]);
    this.at = time(line["timestamp"]) ?? this.at;
    this.version(text(line["version"]));
  }

  version(version: string | undefined): void {
    if (version !== undefined) addOnce(this.versions, this.#knownVersions, version);
  }

  /** True: it is another one than before. */
  model(model: string): boolean {
    const isOther = this.#model !== undefined && this.#model !== model;
    this.#model = model;
    if (isOther || this.models.length === 0) addOnce(this.models, this.#knownModels, model);
    return isOther;
  }

  get newestModel(): string | undefined {
    return this.#model;
  }

  /** `calls` are those that nothing has answered yet, under their ids. */
  facts(repetitions: Repetitions, calls: Iterable<readonly [string, WaitingCall]>): ForeignFacts {
    const { session, versions, models, cwd, parentSession, firstMessage } = this;
    return {
      session,
      versions,
      models,
      ...given({ cwd, parentSession }),
      agents: [],
      ...given({ firstMessage }),
      prompts: Array.from(this.#prompts, ([turn, text]) => ({ turn, text })),
      repetitions,
      unanswered: Array.from(calls, ([call, { tool, place }]) => ({ tool, call, line: place.number })),
      unknownTypes: Object.fromEntries(this.#unknown),
    };
  }
}

/** `known` has what the list has: a file that names thousands must not take a look at all of them for each. */
function addOnce(list: string[], known: Set<string>, name: string): void {
  if (known.has(name)) return;
  known.add(name);
  list.push(name);
}
