import { connect, createServer, type Socket } from "node:net";

/** Distributes TCP connections over replicas, as a Kubernetes Service does. */
export type TcpBalancer = {
  /** Sends no new connection to the replica at this port. Its open connections continue. */
  takeOut(port: number): void;
  putBack(port: number): void;
  close(): void;
};

/**
 * Starts a balancer on a port of 127.0.0.1.
 * @param ports ports of the replicas
 */
export async function startTcpBalancer(port: number, ports: readonly number[]): Promise<TcpBalancer> {
  const serving = new Set(ports);
  const sockets = new Set<Socket>();
  let next = 0;
  const server = createServer({ noDelay: true }, (client) => {
    const all = [...serving];
    next += 1;
    const replica = connect({ host: "127.0.0.1", port: all[next % all.length] ?? 0, noDelay: true });
    for (const socket of [client, replica]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    }
    client.on("error", () => replica.destroy());
    replica.on("error", () => client.destroy());
    client.pipe(replica);
    replica.pipe(client);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    takeOut: (one) => void serving.delete(one),
    putBack: (one) => void serving.add(one),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
