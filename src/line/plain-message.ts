/** This is a plain message of the host, of which the survey of its file says where its texts stand. */
import { parseObject } from "./decode.ts";
import type { Entry, HostLine, SessionLine } from "./format.ts";

/** These are the numbers of one line: from `at` on, they say where it ends, and where its texts stand, counted from `base`. */
export interface Numbers {
  readonly out: Uint32Array;
  readonly base: number;
  at: number;
}

/** Two numbers say where a text begins and how long it is. `same` is a text that may stand there again. */
function textAt(part: Buffer, { out, base, at }: Numbers, field: number, same: string | undefined): string {
  const begin = (out[at + field] as number) - base;
  const end = begin + (out[at + field + 1] as number);
  return same !== undefined && standsAt(part, begin, end, same) ? same : part.toString("latin1", begin, end);
}

/** The text is ASCII. */
function standsAt(part: Buffer, begin: number, end: number, text: string): boolean {
  if (end - begin !== text.length) return false;
  for (let at = begin; at < end; at++) if (part[at] !== text.charCodeAt(at - begin)) return false;
  return true;
}

/** Making a text takes longer than to see that it is one of these. */
const usualRoles: Readonly<Record<number, string>> = { 4: "user", 9: "assistant", 10: "toolResult" };

/** The fields of a line can be asked for also when what was read of the file was overwritten. */
export function keepBytes(line: SessionLine): void {
  if (line instanceof PlainMessage) line.keep();
}

/** Its fields are parsed when somebody asks for them. */
export class PlainMessage implements HostLine {
  readonly kind = "host";
  readonly type = "message";
  readonly customType = undefined;
  readonly isPlain = true;
  readonly entry: Entry;
  readonly role: string;
  #part: Buffer;
  #start: number;
  #feed: number;
  #fields: HostLine["fields"];

  /** The line stands in `part`. Most hang on the entry `before` them. */
  constructor(part: Buffer, start: number, feed: number, numbers: Numbers, before: string | undefined) {
    const { out, at } = numbers;
    const id = textAt(part, numbers, 1, undefined);
    const parentId = out[at + 3] === 0 ? null : textAt(part, numbers, 3, before);
    this.entry = { id, parentId, timestamp: textAt(part, numbers, 5, undefined) };
    this.role = textAt(part, numbers, 7, usualRoles[out[at + 8] as number]);
    this.#part = part;
    this.#start = start;
    this.#feed = feed;
  }

  keep(): void {
    this.#part = Buffer.from(this.#part.subarray(this.#start, this.#feed));
    [this.#start, this.#feed] = [0, this.#part.length];
  }

  get fields(): NonNullable<HostLine["fields"]> {
    this.#fields ??= parseObject(this.#part.subarray(this.#start, this.#feed)) ?? {};
    return this.#fields;
  }
}
