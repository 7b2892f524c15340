/** Whether a snapshot says what the lines say: without a seal, whoever may write it can make one that looks right. */
import { isDeepStrictEqual } from "node:util";
import type { ByteSource, FileIdentity } from "./session-bytes.ts";
import type { OpenedSession } from "./session-header.ts";
import { type ReaderSettings, SessionReader } from "./session-reader.ts";
import type { StreamImage } from "./session-stream.ts";
import { Told, type ToldImage } from "./told.ts";

/** Reads the lines that the snapshot stands for. Answers what it says of them that is not so. */
export async function faultInSnapshot(
  { bytes, header }: OpenedSession,
  { reader: saved, told: savedTold }: StreamImage,
  settings: Omit<ReaderSettings, "fold">,
): Promise<string | undefined> {
  const { names, seal } = settings;
  const reader = new SessionReader(new FirstBytes(bytes, saved.offset), header, { names, seal, fold: "file" });
  const told = new Told();
  await reader.read({ reset: () => undefined, event: (recorded) => told.note(recorded) });
  const found = reader.image();
  if (found === undefined || found.offset !== saved.offset) return "it ends inside of a line";
  const { head, ids, commands, valueIds, ...rest } = found.ledger;
  const {
    head: savedHead,
    ids: savedIds,
    commands: savedCommands,
    valueIds: savedValueIds,
    ...savedRest
  } = saved.ledger;
  if (!isDeepStrictEqual(head, savedHead))
    return `it is of version ${savedHead.version}, ${savedHead.hash}, where the lines make ${head.version}, ${head.hash}`;
  const version = `of version ${head.version}`;
  const space = Object.entries(found.state).find(
    ([name, value]) => !isDeepStrictEqual(value, fieldOf(saved.state, name)),
  );
  if (space !== undefined) return `its ${space[0]} are not those ${version}`;
  if (!isDeepStrictEqual(found.last, saved.last)) return `what older runtimes read is not what it says ${version}`;
  if (ids !== savedIds || commands !== savedCommands || valueIds !== savedValueIds)
    return `the commits and commands that it counts as known are not those ${version}`;
  return isDeepStrictEqual(rest, savedRest) && isDeepStrictEqual(toldBy(told.image()), toldBy(savedTold))
    ? undefined
    : `its turn, times or newest refusal are not those ${version}`;
}

/** A snapshot does not keep where its newest refusal stands. */
function toldBy({ count, print, at, refusal }: ToldImage): unknown[] {
  if (refusal === undefined) return [count, print, at];
  const { version, event, turn, actor, command } = refusal;
  return [count, print, at, version, event, refusal.at, turn, actor, command];
}

function fieldOf(value: object, name: string): unknown {
  return (value as Record<string, unknown>)[name];
}

/** A session as it was when it had so many bytes. */
class FirstBytes implements ByteSource {
  readonly identity: FileIdentity;
  readonly #bytes: ByteSource;
  readonly #count: number;

  constructor(bytes: ByteSource, count: number) {
    this.identity = bytes.identity;
    this.#bytes = bytes;
    this.#count = count;
  }

  size(): number {
    return Math.min(this.#bytes.size(), this.#count);
  }

  currentSize(): number {
    return this.size();
  }

  slice(start: number, end: number): Buffer {
    return this.#bytes.slice(start, Math.min(end, this.#count));
  }

  pieces(start: number, end: number, take: (piece: Buffer) => void): number {
    return this.#bytes.pieces(start, Math.min(end, this.#count), take);
  }

  tailBefore(offset: number): Buffer {
    return this.#bytes.tailBefore(offset);
  }

  close(): void {
    this.#bytes.close();
  }
}
