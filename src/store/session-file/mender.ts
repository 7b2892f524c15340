/** Makes older runtimes read what we read, and the last entry one whose path the host's newest entry is on. */
import type { CommitData, Draft } from "../../event/commit.ts";
import { parseEvent } from "../../event/parse.ts";
import { type EncodedLine, markLine, mirrorLine } from "../../line/encode.ts";
import type { MirroredValues } from "../../line/format.ts";
import { mirroredKeys, showsValue } from "../../line/legacy.ts";
import { evolve } from "../../state/evolve.ts";
import type { EventSink } from "../store.ts";
import { chained, type MakeLine, type SessionPen, uncertain } from "./session-pen.ts";
import type { SessionReader } from "./session-reader.ts";

/** Against an endless quarrel with a runtime that keeps writing other values. */
const mendsMax = 32;

/** What changes no value of an older runtime's. */
const unmirrored = /^(?:entry|lease|section|turn|action)\./;

type MirroredKey = ReturnType<typeof mirroredKeys>[number];

export class Mender {
  readonly #pen: SessionPen;
  readonly #keys: readonly MirroredKey[];

  constructor(pen: SessionPen) {
    this.#pen = pen;
    this.#keys = mirroredKeys(pen.settings.mirror, pen.settings.names);
  }

  /** Whether these events may change what is mirrored. */
  mayMirror(events: Draft["events"]): boolean {
    return this.#keys.length > 0 && events.some(({ event }) => !unmirrored.test(event.type));
  }

  /** The mirrors that go with a commit, one for each space that it changes: to be hung on its entry. */
  mirrorsOf(data: CommitData): (parentId: string) => EncodedLine[] {
    const reader = this.#pen.reader();
    const after = valuesAfter(data, reader);
    const changed = this.#keys.filter(
      ([key, , space]) => !showsValue({ [key]: reader.state[space] }, key, after[space]),
    );
    return (parentId) => chained(parentId, this.#makers(changed, after, data.id));
  }

  /** Appends what is missing, reads back and looks again, until nothing is. */
  async mend(sink: EventSink, heal: string): Promise<void> {
    const { stream } = this.#pen;
    if (!this.#pen.mayWrite) return;
    let start = heal;
    try {
      for (let round = 0; round < mendsMax; round++) {
        let stale = this.#stale();
        if (stale.length > 0 && stream.restsOnSnapshot) {
          await stream.readAgain(sink);
          stale = this.#stale();
        }
        const { parentId, sound } = this.#pen.parent();
        if (stale.length === 0 && sound) return;
        this.#pen.append(start, this.#mendingLines(stale, parentId));
        start = "";
        await stream.advance(sink);
      }
    } catch (error) {
      throw uncertain(error, this.#pen.settings.file);
    }
  }

  #stale(): MirroredKey[] {
    const { last, state } = this.#pen.reader();
    return this.#keys.filter(([key, , space]) => !showsValue(last, key, state[space]));
  }

  #mendingLines(stale: readonly MirroredKey[], parentId: string | null): EncodedLine[] {
    const { state, ledger } = this.#pen.reader();
    if (stale.length === 0) return [markLine(ledger.lastCommit, parentId, this.#pen.context())];
    return chained(parentId, this.#makers(stale, state, ledger.lastCommit));
  }

  #makers(keys: readonly MirroredKey[], values: MirroredValues, mirror: string): MakeLine[] {
    const context = this.#pen.context();
    return keys.map(
      ([, customType, space]) =>
        (parentId) =>
          mirrorLine(customType, values[space], mirror, parentId, context),
    );
  }
}

function valuesAfter(data: CommitData, reader: SessionReader): MirroredValues {
  let { state } = reader;
  for (const written of data.events) state = evolve(state, reader.ledger.settled(parseEvent(data.v, written)));
  return state;
}
