/**
 * This file watches the sockets that the client of NATS opens. The client leaves one open on which a server never spoke, such as one that
 * is paused or a balancer without a broker behind it; the process would not end before the other side closes it.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

const channel = "net.client.socket";
const owner = new AsyncLocalStorage<Sockets>();

export class Sockets {
  readonly #open = new Set<Socket>();

  /** Whatever `work` opens, now or later, is noted until `destroy`. */
  noting<Result>(work: () => Result): Result {
    subscribe(channel, this.#note);
    return owner.run(this, work);
  }

  destroy(): void {
    unsubscribe(channel, this.#note);
    for (const socket of this.#open) socket.destroy();
    this.#open.clear();
  }

  readonly #note = (message: unknown): void => {
    if (owner.getStore() !== this) return;
    const { socket } = message as { readonly socket: Socket };
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
  };
}
