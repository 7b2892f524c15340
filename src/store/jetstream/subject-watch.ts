/** Hears of each record that comes, also behind a stream that was put back to an older state. */
import { setTimeout as sleep } from "node:timers/promises";

const pauseMs = 50;

/** These are the messages of one consumer, and what its client says of it. */
interface Messages extends AsyncIterable<{ readonly subject: string; readonly time: Date }> {
  status(): AsyncIterable<{ readonly type: string }>;
  close(): Promise<unknown>;
}

export interface SubjectWatch {
  readonly first: Messages;
  /** The result has what was stored at this time, and later. */
  readonly listenFrom: (time: string) => Promise<Messages>;
  /** The newest record before `first` was stored then, by the broker's clock. */
  readonly since: string;
  readonly isClosed: () => boolean;
  readonly wake: (subject: string) => void;
  /** This is called when it listens again: what was there may be gone, and nothing else says so. */
  readonly again: () => void;
  readonly closed: () => void;
}

/**
 * Where the connection, the consumer or a record was lost, it goes on with what was stored since the last record that came: a stream that
 * was put back gives the numbers of its records again, and the client would wait for one behind those that it knows.
 */
export function watchSubjects(watch: SubjectWatch): () => Promise<void> {
  let [messages, since, stopped] = [watch.first, watch.since, false];
  const hear = async (): Promise<void> => {
    endAtReset(messages).catch(() => undefined);
    for await (const { subject, time } of messages) {
      since = time.toISOString();
      watch.wake(subject);
    }
  };
  const watching = (async () => {
    while (!stopped && !watch.isClosed()) {
      try {
        await hear();
        if (stopped) break;
        messages = await watch.listenFrom(since);
        watch.again();
      } catch {
        await sleep(pauseMs);
      }
    }
    // The watch may have been ended while it began to listen again.
    if (stopped) await messages.close();
    else watch.closed();
  })();
  return async () => {
    stopped = true;
    await messages.close();
    await watching;
  };
}

async function endAtReset(messages: Messages): Promise<void> {
  for await (const { type } of messages.status()) if (type === "reset") await messages.close();
}
