/** Stands between a client and a broker, and breaks the connection once something was sent, before it is answered. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export class LossyConnection {
  readonly #server = createServer((client) => this.#join(client));
  readonly #sockets = new Set<Socket>();
  readonly #port: number;
  /** What is sent with this text in it is the last that gets through; undefined: all of it does. */
  breaksAfter: string | undefined;

  constructor(broker: string) {
    this.#port = Number(broker.split(":")[1]);
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(client: Socket): void {
    const broker = connect(this.#port, "127.0.0.1");
    let isMute = false;
    const end = (): void => {
      for (const socket of [client, broker]) {
        socket.destroy();
        this.#sockets.delete(socket);
      }
    };
    for (const socket of [client, broker]) {
      this.#sockets.add(socket);
      socket.on("error", end).on("close", end);
    }
    broker.on("data", (bytes) => {
      if (isMute) end();
      else client.write(bytes);
    });
    client.on("data", (bytes) => {
      isMute ||= this.breaksAfter !== undefined && bytes.includes(this.breaksAfter);
      broker.write(bytes);
    });
  }
}
