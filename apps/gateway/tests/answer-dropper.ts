import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy that can lose a server's answers although the server has done the work. */
export type AnswerDropper = {
  readonly port: number;
  /** From now on the open connections carry requests only. */
  dropAnswers(): void;
  /** Breaks the open connections; later ones carry both directions. */
  cut(): void;
  close(): Promise<void>;
};

/** @param serverPort of a server on loopback */
export async function startAnswerDropper(serverPort: number): Promise<AnswerDropper> {
  const open = new Set<Socket>();
  let isDropping = false;
  const server = createServer((client) => {
    const upstream = connect(serverPort, "127.0.0.1");
    open.add(client);
    client.on("data", (chunk) => upstream.write(chunk));
    upstream.on("data", (chunk) => {
      if (!isDropping) client.write(chunk);
    });
    client
      .on("error", () => {})
      .on("close", () => {
        open.delete(client);
        upstream.destroy();
      });
    upstream.on("error", () => {}).on("close", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const socket of open) socket.destroy();
    isDropping = false;
  };
  return {
    port: (server.address() as AddressInfo).port,
    dropAnswers: () => {
      isDropping = true;
    },
    cut,
    close: async () => {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
