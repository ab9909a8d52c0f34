import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * One TCP address in front of servers that change, like a Kubernetes Service, a load balancer or the endpoint of a managed store. As those do,
 * it decides about new connections alone.
 */
export type SwitchedAddress = {
  readonly port: number;
  /** Connects new connections to another port of 127.0.0.1; open connections stay where they are. */
  pointTo(port: number): void;
  /**
   * Carries nothing more on the open connections, in either direction, and closes none of them: their machine is lost, and no packet says so.
   * New connections are not affected.
   */
  silence(): void;
  /** Closes every connection and stops listening. */
  close(): Promise<void>;
};

/** Listens on a free port of 127.0.0.1 and forwards to `targetPort`. */
export async function startSwitchedAddress(targetPort: number): Promise<SwitchedAddress> {
  let target = targetPort;
  const sockets = new Set<Socket>();
  /** Drops what the two ends of a connection still send. */
  const silencers = new Set<() => void>();

  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: target, host: "127.0.0.1", noDelay: true });
    let isSilent = false;
    const silence = (): void => {
      isSilent = true;
    };
    silencers.add(silence);
    const carry = (from: Socket, to: Socket): void => {
      sockets.add(from);
      from.on("data", (chunk) => {
        if (!isSilent) to.write(chunk);
      });
      from.on("end", () => {
        if (!isSilent) to.end();
      });
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        silencers.delete(silence);
        if (!isSilent) to.destroy();
      });
    };
    carry(client, upstream);
    carry(upstream, client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    pointTo: (port) => {
      target = port;
    },
    silence: () => {
      for (const silence of silencers) silence();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
