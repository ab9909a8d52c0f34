import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy in front of a database. It can drop responses, as a broken network or a failing primary would. */
export type CuttingProxy = {
  readonly uri: string;
  /**
   * From now on, drops the responses to messages that contain `text`, this number of times, and closes the connection
   * each time. The message itself is delivered.
   */
  cutAnswersTo(text: string, times: number): void;
  /** Number of responses that were dropped. */
  cuts(): number;
  close(): Promise<void>;
};

/** Starts a proxy in front of the single server of a MongoDB address. Credentials in the address are kept. */
export async function startCuttingProxy(targetUri: string): Promise<CuttingProxy> {
  const target = new URL(targetUri);
  const own = new URL(targetUri);
  const sockets = new Set<Socket>();
  let wanted = { text: "", times: 0 };
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isCut = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (bytes: Buffer) => {
      upstream.write(bytes);
      if (wanted.times > 0 && bytes.includes(wanted.text)) {
        wanted.times -= 1;
        isCut = true;
      }
    });
    upstream.on("data", (bytes: Buffer) => {
      if (!isCut) return void client.write(bytes);
      cuts += 1;
      client.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    uri: own.href,
    cutAnswersTo: (text, times) => {
      wanted = { text, times };
    },
    cuts: () => cuts,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
