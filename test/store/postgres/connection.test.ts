import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { poolOf } from "../../../src/store/postgres/connection.ts";

/** A request for a password, as a server writes it. */
function request(kind: number, text: string): Buffer {
  const head = Buffer.alloc(9);
  head.write("R");
  head.writeInt32BE(8 + text.length, 1);
  head.writeInt32BE(kind, 5);
  return Buffer.concat([head, Buffer.from(text)]);
}

const [sasl, saslContinue] = [10, 11];

test("an address without the password that the server wants keeps no connection, and so no process, open", async () => {
  const requests = [request(sasl, "SCRAM-SHA-256\0\0"), request(saslContinue, "r=nonce,s=c2FsdA==,i=4096")];
  const server = createServer((socket) => socket.on("data", () => socket.write(requests.shift() ?? "")));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const connected: Promise<Socket[]> = once(server, "connection");
  const { port } = server.address() as { readonly port: number };
  const database = `postgres://user@127.0.0.1:${port}/postgres`;
  const pool = await poolOf(database, { database });
  await expect(pool.connect()).rejects.toThrow(/password must be a string/);
  const [socket] = await connected;
  if (socket?.closed === false) await once(socket, "close");
  await pool.end();
  server.close();
});
