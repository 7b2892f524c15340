/** From one session file to another, line by line, so that the copy is the session that it was, with the host's messages. */
import { open, rm } from "node:fs/promises";
import { type LineCounts, LineRedactor, type LineRedactorParts } from "../audit/redact/redacted-lines.ts";
import { StorageError } from "../errors.ts";
import type { MirrorMode } from "../line/legacy.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import { notWritten } from "../workspace/whole-file.ts";

/** Bytes are written in pieces of about this size. */
const pieceUnits = 1 << 20;

export interface CopiedLines extends Readonly<LineCounts> {
  readonly mirror: MirrorMode;
}

/**
 * Looks through the lines and writes nothing. A pattern may take for ever on a text, and meanwhile no signal is listened to: who ends the process
 * must find it before there is something to take away.
 */
export async function searchLines(
  { file }: JournalStore,
  parts: Pick<LineRedactorParts, "plan" | "key" | "seal">,
): Promise<void> {
  if (file === undefined) return;
  const redactor = new LineRedactor({ ...parts, namespace: file.namespace, took: () => undefined });
  for await (const lines of file.lines()) for (const line of lines) redactor.take(line);
}

/**
 * Throws StorageError where something is at `target` already, and what `requireMatch` does once all lines were searched. What fails leaves
 * nothing there.
 */
export async function copyLinesWithout(
  source: JournalStore,
  target: string,
  parts: Omit<LineRedactorParts, "namespace">,
  requireMatch: (counts: Readonly<LineCounts>) => void,
): Promise<CopiedLines> {
  const file = source.file;
  if (file === undefined) throw new TypeError(`${source.where} is no session file`);
  const redactor = new LineRedactor({ ...parts, namespace: file.namespace });
  const handle = await open(target, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw notWritten(target, error);
    const message = `${target} exists already: a redacted copy needs a new file; nothing was written`;
    throw new StorageError(message, "not-written", { file: target }, error);
  });
  try {
    let piece = "";
    for await (const lines of file.lines()) {
      for (const line of lines) piece += redactor.take(line) ?? "";
      if (piece.length < pieceUnits) continue;
      await handle.writeFile(piece);
      piece = "";
    }
    await handle.writeFile(piece);
    await handle.sync();
    requireMatch(redactor.counts);
  } catch (error) {
    await rm(target, { force: true });
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : notWritten(target, error);
  } finally {
    await handle.close();
  }
  return { ...redactor.counts, mirror: redactor.mirrorMode };
}
