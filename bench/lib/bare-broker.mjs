// Writers to one subject of a broker, with the client's library alone: what no journal on JetStream can do without.
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";

const appendsMax = 32;
const turnMs = 50;
const waitMs = 6000;
const lostNanoseconds = 1_000_000_000;
const text = JSON.stringify({ hash: "a".repeat(64), id: "i".repeat(26), text: "x".repeat(500) });

/** Makes the stream, and the message that is handed from writer to writer. */
export async function makeBare(server, name) {
  const connection = await connect({ servers: server });
  const { streams, consumers } = await jetstreamManager(connection);
  await streams.add({ name, subjects: [`${name}.*`] });
  await streams.add({ name: `${name}_turns`, subjects: [`${name}_turns.*`], storage: "memory" });
  const turns = { durable_name: "t", ack_policy: "explicit", ack_wait: lostNanoseconds, max_ack_pending: 1 };
  await consumers.add(`${name}_turns`, { ...turns, mem_storage: true });
  await connection.request(`${name}_turns.t`, "");
  await connection.close();
}

/**
 * Each appends behind the newest record, and only there, in turns of so many; with its turn it reads in one request what the
 * others appended. Whoever `isAlone` has nobody to wait for.
 */
export async function bareWriter(server, name, isAlone) {
  const connection = await connect({ servers: server, noAsyncTraces: true });
  const client = jetstream(connection);
  const { consumers } = await jetstreamManager(connection);
  const asked = { ack_policy: "none", mem_storage: true, num_replicas: 1 };
  const { name: consumer } = await consumers.add(name, asked);
  const next = (stream, from) => `$JS.API.CONSUMER.MSG.NEXT.${stream}.${from}`;
  let last = 0;
  let turn;

  async function read() {
    const options = { strategy: "timer", maxWait: waitMs, noMux: true };
    const request = JSON.stringify({ batch: 5000, no_wait: true });
    for await (const message of await connection.requestMany(next(name, consumer), request, options)) {
      if (!message.reply) return;
      JSON.parse(message.string());
      last = Number(message.reply.split(".")[5]);
    }
  }

  async function begin() {
    const request = JSON.stringify({ batch: 1, expires: (waitMs / 2) * 1_000_000 });
    const { reply } = await connection.request(next(`${name}_turns`, "t"), request, { timeout: waitMs, noMux: true });
    turn = { reply, endMs: performance.now() + turnMs, appends: 0 };
    await read();
  }

  function end() {
    if (turn === undefined || (++turn.appends < appendsMax && performance.now() < turn.endMs)) return;
    connection.request(turn.reply, "-NAK").catch(() => undefined);
    turn = undefined;
  }

  async function append() {
    if (!isAlone && turn === undefined) await begin();
    for (;;) {
      try {
        last = (await client.publish(`${name}.s`, text, { expect: { lastSubjectSequence: last } })).seq;
        return end();
      } catch (error) {
        // The turn was lost: the broker took it back.
        if (!/wrong last sequence/.test(error.message)) throw error;
        await read();
      }
    }
  }
  return { append, close: () => connection.close() };
}
